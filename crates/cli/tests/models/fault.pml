byte room[3];
byte i;

active proctype writer() {
	do
	:: room[i] = 1; i++
	od
}
