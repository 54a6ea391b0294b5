/* A cache coherence protocol: each cache line is Modified, Shared or Invalid.
 *
 * Caches talk to a memory over a bus that serves one request at a time. To read, a cache needs the line Shared; to write
 * it needs it Modified, and all other copies are invalidated. A modified line is written back when somebody else asks.
 *
 * Shows: typedef, mtype variables, arrays of records, `d_step` for the work of the bus, an observer process.
 * Expect: no errors: a modified line is the only copy, and whoever reads sees the latest value.
 */

#define CACHES 3

mtype = { invalid, shared, modified };

typedef Line {
	mtype state;
	bit value
};

Line cache[CACHES];
bit memory;
bit latest;                         /* what a read must see: the value written last */
bool ready;

inline write_back(who) {
	if
	:: cache[who].state == modified -> memory = cache[who].value
	:: else
	fi
}

proctype processor(byte me) {
	byte i;
	do
	:: /* read */
	   d_step {
	   	ready ->
	   	if
	   	:: cache[me].state == invalid ->
	   	   for (i : 0 .. CACHES - 1) {
	   	   	if
	   	   	:: cache[i].state == modified -> write_back(i); cache[i].state = shared
	   	   	:: else
	   	   	fi
	   	   };
	   	   cache[me].value = memory;
	   	   cache[me].state = shared
	   	:: else
	   	fi;
	   	i = 0
	   };
	   assert(cache[me].state == invalid || cache[me].value == latest)
	:: /* write the other value */
	   d_step {
	   	ready ->
	   	for (i : 0 .. CACHES - 1) {
	   		if
	   		:: i != me -> write_back(i); cache[i].state = invalid; cache[i].value = 0
	   		:: else
	   		fi
	   	};
	   	cache[me].value = 1 - latest;
	   	cache[me].state = modified;
	   	latest = cache[me].value;
	   	i = 0
	   }
	:: /* the line is needed for something else */
	   d_step {
	   	cache[me].state != invalid ->
	   	write_back(me);
	   	cache[me].state = invalid;
	   	cache[me].value = 0
	   }
	od
}

#define OWNER(c)  (cache[c].state == modified)
#define COPY(c)   (cache[c].state != invalid)

/* Looks at the caches between any two steps of the processors. */
proctype observer() {
end:	do
	:: d_step {
	   	assert(!OWNER(0) || (!COPY(1) && !COPY(2)));
	   	assert(!OWNER(1) || (!COPY(0) && !COPY(2)));
	   	assert(!OWNER(2) || (!COPY(0) && !COPY(1)))
	   }
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. CACHES - 1) {
			cache[i].state = invalid;
			run processor(i)
		};
		run observer();
		ready = true
	}
}
