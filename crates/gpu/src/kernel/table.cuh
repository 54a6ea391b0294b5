// The table of visited states on the device. Its text follows that of the model, which defines State, MODEL_WORDS, MODEL_BITS and expand.
//
// A key is a state with one more bit, MODEL_BITS, that is set in every key. So no key is 0, and 0 is an empty slot. A key of one word
// is stored in the table itself, and so is one of two words if the device compares and swaps 128 bits. Longer keys are in the ring;
// the table then has entries of 24 bits of the hash and the position of the key.
//
// A bucket has 32 bytes, which one thread reads with two loads. Its number is the upper part of hash times number of buckets.

#define KEY_WORDS (MODEL_BITS < 64 ? 1 : MODEL_BITS < 128 ? 2 : 4)
#define FLAG_WORD (MODEL_BITS / 64)
#define FLAG_BIT (1ull << (MODEL_BITS % 64))
#if MODEL_BITS < 64 || (MODEL_BITS < 128 && defined(SWAPS_128_BITS))
#define KEYS_IN_TABLE 1
#else
#define KEYS_IN_TABLE 0
#endif

// Buckets that are looked at before the table counts as full.
#define MOST_PROBES 4096

struct alignas(KEY_WORDS == 1 ? 8 : 16) Key { u64 w[KEY_WORDS]; };

// The memory of a search and the work of one launch. Positions in the ring are less than its size; those of a level are consecutive
// modulo the size.
struct Parameters {
  u64* table;      // buckets of four words
  u64 buckets;
  Key* ring;       // the keys of the levels
  u64 ring_size;
  u64 in_begin;    // the keys that are expanded
  u64 in_count;
  u64 out_begin;   // the keys of the next level, as far as they are known
  u64 out_room;
  u64* counters;
  Key* left;       // states that are left to the host
  u64 left_room;
  const Key* given; // states that the host gives
  u64 given_count;
  u64 passes;      // each pass inserts the keys of a part of the table
  u64 pass;
  u32* marks;      // of a search for cycles: one for each place
  u64* queue;      // places whose successors are to be told, from in_begin on
  u64* queued;     // places that are queued meanwhile
  u64 queue_room;
  u64 places;      // places that may have a key
  u64 step;        // what successors are told
  u64 target;      // the place of the state from which a cycle is searched
  u64 purpose;     // for what states are expanded
  u64 most_levels; // of a launch that expands several levels
  u64* sizes;      // what those levels are: see levels.cuh and trace.cuh
  u64 most_places; // the launch ends before larger levels
  u64 least_places; // and before smaller ones
  u64 most_appended; // and before one after which that many keys may have been appended
  u64 counts_ends; // whether invalid end states are counted instead of left
  u64* from;       // the slots of the table before it grew
  u64 from_count;  // their number, or that of the keys in the ring
};

// A launch that expands several levels has three banks of counters: levels use them in turn. The counter of blocks that have ended a level is
// behind them, since many blocks load it while others count.
enum { APPENDED, TRANSITIONS, HOLES, FULL, LEFT, QUEUED, INSIDE_COUNT, FOUND, LEVELS, ENDS };
#define BANK 16
#define BANKS 3
#define ARRIVED (BANKS * BANK)
enum { INSERT, COMPARE, TELL };
enum { TABLE_FULL = 1, RING_FULL = 2, DEGREE_FULL = 4, NOT_STORED = 8 };

HD u64 mix(u64 k) {
  k ^= k >> 33; k *= 0xff51afd7ed558ccdull;
  k ^= k >> 33; k *= 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}

HD u64 hash_of(const Key& key) {
  u64 h = key.w[0];
#pragma unroll
  for (int i = 1; i < KEY_WORDS; i++) { h *= 0x9e3779b97f4a7c15ull; h = (h << 31 | h >> 33) ^ key.w[i]; }
  return mix(h);
}

HD Key key_of(const State& s) {
  Key key;
#pragma unroll
  for (int i = 0; i < KEY_WORDS; i++) key.w[i] = i < MODEL_WORDS ? s.w[i < MODEL_WORDS ? i : 0] : 0;
  key.w[FLAG_WORD] |= FLAG_BIT;
  return key;
}

HD State state_of(const Key& key) {
  State s;
#pragma unroll
  for (int i = 0; i < MODEL_WORDS; i++) s.w[i] = i == FLAG_WORD ? key.w[i] & ~FLAG_BIT : key.w[i];
  return s;
}

HD bool is_hole(const Key& key) { return key.w[FLAG_WORD] == 0; }

HD bool are_equal(const Key& a, const Key& b) {
  bool equal = true;
#pragma unroll
  for (int i = 0; i < KEY_WORDS; i++) equal &= a.w[i] == b.w[i];
  return equal;
}

// Keys of other threads are read past the first-level cache, which is not coherent.
__device__ __forceinline__ Key load_key(const Key* from) {
  Key key;
  if constexpr (KEY_WORDS == 1) {
    key.w[0] = __ldcg(&from->w[0]);
  } else {
#pragma unroll
    for (int i = 0; i < KEY_WORDS; i += 2) {
      ulonglong2 pair = __ldcg((const ulonglong2*)&from->w[i]);
      key.w[i] = pair.x;
      key.w[(i + 1) % KEY_WORDS] = pair.y;
    }
  }
  return key;
}

__device__ __forceinline__ void store_key(Key* to, const Key& key) {
  if constexpr (KEY_WORDS == 1) {
    to->w[0] = key.w[0];
  } else {
#pragma unroll
    for (int i = 0; i < KEY_WORDS; i += 2) {
      ulonglong2 pair;
      pair.x = key.w[i];
      pair.y = key.w[(i + 1) % KEY_WORDS];
      *(ulonglong2*)&to->w[i] = pair;
    }
  }
}

__device__ __forceinline__ u64 ring_index(const Parameters& p, u64 begin, u64 offset) {
  u64 at = begin + offset;
  return at >= p.ring_size ? at - p.ring_size : at;
}

__device__ __forceinline__ void report_full(const Parameters& p, u64 what) { atomicOr(&p.counters[FULL], what); }

#ifndef EMULATED
__device__ __forceinline__ void fence() { __threadfence(); }
#endif

// A place in the list of a counter for every lane that calls this together with others.
__device__ __forceinline__ u64 reserve(u64* counter) {
  unsigned together = __activemask();
  int leader = __ffs(together) - 1, lane = threadIdx.x & 31;
  u64 first = 0;
  if (lane == leader) first = atomicAdd(counter, (u64)__popc(together));
  first = __shfl_sync(together, first, leader);
  return first + __popc(together & ((1u << lane) - 1));
}

// A bucket, and what it had when it was loaded. What was loaded may be old, but slots only change from empty to a key, and an empty one is
// compared again.
struct Probe { u64 hash, bucket, slot[4]; };

__device__ __forceinline__ void load_bucket(const Parameters& p, Probe& at);

__device__ __forceinline__ Probe probe(const Parameters& p, const Key& key) {
  Probe at;
  at.hash = hash_of(key);
  at.bucket = __umul64hi(at.hash, p.buckets);
  load_bucket(p, at);
  return at;
}

__device__ __forceinline__ void load_next(const Parameters& p, Probe& at) {
  if (++at.bucket == p.buckets) at.bucket = 0;
  load_bucket(p, at);
}

#if !KEYS_IN_TABLE || KEY_WORDS == 1
__device__ __forceinline__ void load_bucket(const Parameters& p, Probe& at) {
  const ulonglong2* slots = (const ulonglong2*)(p.table + at.bucket * 4);
  ulonglong2 a = __ldcg(slots), b = __ldcg(slots + 1);
  at.slot[0] = a.x;
  at.slot[1] = a.y;
  at.slot[2] = b.x;
  at.slot[3] = b.y;
}

// The number of the first slot that was empty.
__device__ __forceinline__ int first_empty(const Probe& at) {
  return at.slot[0] == 0 ? 0 : at.slot[1] == 0 ? 1 : at.slot[2] == 0 ? 2 : at.slot[3] == 0 ? 3 : 4;
}
#endif

#if KEYS_IN_TABLE && KEY_WORDS == 1
// Inserts a key, and returns whether it is new.
__device__ __forceinline__ bool insert(const Parameters& p, const Key& key) {
  Probe at = probe(p, key);
  u64 k = key.w[0];
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    u64* slots = p.table + at.bucket * 4;
    if (at.slot[0] == k || at.slot[1] == k || at.slot[2] == k || at.slot[3] == k) return false;
    for (int i = first_empty(at); i < 4; i++) {
      u64 old = atomicCAS(slots + i, 0ull, k);
      if (old == 0) return true;
      if (old == k) return false;
    }
    load_next(p, at);
  }
  report_full(p, TABLE_FULL);
  return false;
}
#elif KEYS_IN_TABLE
#ifndef EMULATED
__device__ __forceinline__ void load_128(const u64* from, u64& low, u64& high) {
  asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0,%1}, t; }" : "=l"(low), "=l"(high) : "l"(from) : "memory");
}
// Puts a key into an empty slot, and gives what was there.
__device__ __forceinline__ void swap_128(u64* at, u64 k0, u64 k1, u64& low, u64& high) {
  u64 zero = 0;
  asm volatile("{ .reg .b128 c,v,r; mov.b128 c,{%3,%3}; mov.b128 v,{%4,%5}; atom.relaxed.gpu.global.cas.b128 r,[%2],c,v; mov.b128 {%0,%1}, r; }"
               : "=l"(low), "=l"(high) : "l"(at), "l"(zero), "l"(k0), "l"(k1) : "memory");
}
#endif
__device__ __forceinline__ void load_bucket(const Parameters& p, Probe& at) {
  const u64* slots = p.table + at.bucket * 4;
  load_128(slots, at.slot[0], at.slot[1]);
  load_128(slots + 2, at.slot[2], at.slot[3]);
}

__device__ __forceinline__ bool insert(const Parameters& p, const Key& key) {
  Probe at = probe(p, key);
  u64 k0 = key.w[0], k1 = key.w[1];
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    u64* slots = p.table + at.bucket * 4;
    if ((at.slot[0] == k0 && at.slot[1] == k1) || (at.slot[2] == k0 && at.slot[3] == k1)) return false;
    // The second word of a key is never 0.
    for (int i = at.slot[1] == 0 ? 0 : at.slot[3] == 0 ? 1 : 2; i < 2; i++) {
      u64 o0, o1;
      swap_128(slots + 2 * i, k0, k1, o0, o1);
      if (o1 == 0) return true;
      if (o0 == k0 && o1 == k1) return false;
    }
    load_next(p, at);
  }
  report_full(p, TABLE_FULL);
  return false;
}
#else
#define INDEX_MASK ((1ull << 40) - 1)
// Another thread has stored the same key: the place in the ring stays empty.
__device__ __forceinline__ void leave_hole(const Parameters& p, u64 mine) {
  Key none;
  for (int i = 0; i < KEY_WORDS; i++) none.w[i] = 0;
  store_key(p.ring + mine, none);
  atomicAdd(&p.counters[HOLES], 1ull);
}

// A key is stored before the entry that refers to it, but without a fence a thread may load the entry and an older content of the place. Then
// the tags agree and the keys differ, so the key is loaded again behind a fence. That is rare otherwise; a fence for every known state would be
// expensive, since it empties the first-level cache.
__device__ __forceinline__ bool refers_to(const Parameters& p, u64 entry, u64 tag, const Key& key) {
  if (entry == 0 || (entry & ~INDEX_MASK) != tag) return false;
  const Key* at = p.ring + (entry & INDEX_MASK) - 1;
  if (are_equal(load_key(at), key)) return true;
  fence();
  return are_equal(load_key(at), key);
}

// The key is in the ring before the table refers to it. The ring does not wrap around.
__device__ __forceinline__ bool insert(const Parameters& p, const Key& key) {
  Probe at = probe(p, key);
  const u64 none = ~0ull;
  u64 tag = at.hash << 40, mine = none;
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    u64* slots = p.table + at.bucket * 4;
    if (refers_to(p, at.slot[0], tag, key) || refers_to(p, at.slot[1], tag, key) || refers_to(p, at.slot[2], tag, key) ||
        refers_to(p, at.slot[3], tag, key)) {
      if (mine != none) leave_hole(p, mine);
      return false;
    }
    for (int i = first_empty(at); i < 4; i++) {
      if (mine == none) {
        u64 offset = reserve(&p.counters[APPENDED]);
        if (offset >= p.out_room) { report_full(p, RING_FULL); return false; }
        mine = ring_index(p, p.out_begin, offset);
        store_key(p.ring + mine, key);
        fence();
      }
      u64 old = atomicCAS(slots + i, 0ull, tag | (mine + 1));
      if (old == 0) return true;
      fence();
      if (refers_to(p, old, tag, key)) { leave_hole(p, mine); return false; }
    }
    load_next(p, at);
  }
  if (mine != none) leave_hole(p, mine);
  report_full(p, TABLE_FULL);
  return false;
}

// Makes a new table refer to a key of the ring. The keys of the ring are different.
__device__ __forceinline__ void refer(const Parameters& p, const Key& key, u64 position) {
  Probe at = probe(p, key);
  u64 entry = at.hash << 40 | (position + 1);
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    for (int i = first_empty(at); i < 4; i++) {
      if (atomicCAS(p.table + at.bucket * 4 + i, 0ull, entry) == 0) return;
    }
    load_next(p, at);
  }
  report_full(p, TABLE_FULL);
}
#endif

// Appends a new key to the next level. Keys that are in the ring already stay where they are.
__device__ __forceinline__ void append(const Parameters& p, const Key& key) {
  if constexpr (KEYS_IN_TABLE) {
    u64 offset = atomicAdd(&p.counters[APPENDED], 1ull);
    if (offset >= p.out_room) report_full(p, RING_FULL);
    else store_key(p.ring + ring_index(p, p.out_begin, offset), key);
  }
}

// Appends keys of a list: those whose bits are set in `fresh`, of which each thread has one bit for every THREADS keys. All lanes of a warp call
// this.
__device__ __forceinline__ void append_of_warp(const Parameters& p, const Key* keys, u32 rounds, u32 fresh) {
  if constexpr (KEYS_IN_TABLE) {
    __syncwarp();
    u32 lane = threadIdx.x & 31, total = 0;
    for (u32 round = 0; round < rounds; round++) total += __popc(__ballot_sync(~0u, fresh >> round & 1));
    if (total == 0) return;
    u64 first = 0;
    if (lane == 0) first = atomicAdd(&p.counters[APPENDED], (u64)total);
    first = __shfl_sync(~0u, first, 0);
    if (first + total > p.out_room) report_full(p, RING_FULL);
    for (u32 round = 0; round < rounds; round++) {
      bool is_fresh = fresh >> round & 1;
      u32 all = __ballot_sync(~0u, is_fresh);
      u64 offset = first + __popc(all & ((1u << lane) - 1));
      if (is_fresh && offset < p.out_room) store_key(p.ring + ring_index(p, p.out_begin, offset), keys[round * THREADS + threadIdx.x]);
      first += __popc(all);
    }
  }
}

// Appends a state to the list of those that the host expands.
__device__ __forceinline__ void leave(const Parameters& p, const Key& key) {
  u64 at = atomicAdd(&p.counters[LEFT], 1ull);
  if (at < p.left_room) store_key(p.left + at, key);
}

__device__ __forceinline__ void add_to(u64* counter, u64 number) {
  for (int o = 16; o; o >>= 1) number += __shfl_down_sync(~0u, number, o);
  if ((threadIdx.x & 31) == 0 && number) atomicAdd(counter, number);
}
