/* The same as alternating-bit.esml, step by step. */
#define MAX 3
mtype = { msg, ack };
typedef packet { bit b; byte data };
chan sm = [0] of { mtype, bit, byte };
chan mr = [0] of { mtype, bit, byte };
chan rm = [0] of { mtype, bit };
chan ms = [0] of { mtype, bit };

active proctype Sender() {
	packet p;
	bit seen;
	do
	:: true ->
	   if
	   :: sm!msg(p.b, p.data) -> skip
	   :: ms?ack(seen) ->
	      if
	      :: seen == p.b -> p.b = 1 - p.b; p.data = (p.data + 1) % MAX
	      :: seen != p.b -> skip
	      fi
	   fi
	od
}

active proctype Forth() {
	packet p;
	do
	:: true ->
	   sm?msg(p.b, p.data);
	   if
	   :: true -> mr!msg(p.b, p.data)
	   :: true -> skip
	   fi
	od
}

active proctype Back() {
	bit b;
	do
	:: true ->
	   rm?ack(b);
	   if
	   :: true -> ms!ack(b)
	   :: true -> skip
	   fi
	od
}

active proctype Receiver() {
	packet p;
	bit expected;
	byte next;
	do
	:: true ->
	   mr?msg(p.b, p.data);
	   if
	   :: p.b == expected ->
	      if
	      :: p.data == next -> skip
	      fi;
	      expected = 1 - expected;
	      next = (next + 1) % MAX
	   :: p.b != expected -> skip
	   fi;
	   rm!ack(p.b)
	od
}
