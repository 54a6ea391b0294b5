/* The same as array-name.dve, step by step. */
byte list[3] = { 1, 2, 3 };
byte got;
chan c = [0] of { byte };

active proctype Queue() {
	byte own[2];
	do
	:: list[0] == 1;
	   c!list[0];
	   list[0] = 0;
	   own[0] = list[2];
	   list[1] = own[0];
	   d_step { own[0] == 3 -> list[0] = 1; own[0] = 0 }
	od
}

active proctype User() {
	byte in[2];
	do
	:: c?in[0]; got = in[0]
	od
}
