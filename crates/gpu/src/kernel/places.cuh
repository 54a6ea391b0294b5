// The places of stored keys, and what a search for accepting cycles marks there. Nothing is inserted meanwhile.
//
// A place is the number of a slot of the table if it has the keys, and a position in the ring otherwise.
//
// A state is inside if it is in the set that the elimination makes smaller. It is pending if it is queued, or would be if the queue had room.
// The lower bits are the number of transitions to it from states that were reached. One half of the numbers is spare: a kernel
// goes on for a while after it has reported that there are too many.
#define INSIDE (1u << 31)
#define REACHED (1u << 30)
#define PENDING (1u << 29)
#define ACCEPTING (1u << 28)
#define DEGREE (ACCEPTING - 1)
#define MOST_DEGREE (DEGREE / 2)
#define NOWHERE (~0ull)

// What is done with a successor, and what a scan over all places does.
enum { NOT_TOLD, ACCEPT, REACH, ELIMINATE, START, COME_ROUND, INCLUDE, REFILL, COUNT, CANDIDATES };

#if KEYS_IN_TABLE
#define SLOTS (4 / KEY_WORDS)
__device__ __forceinline__ Key key_at(const Parameters& p, u64 place) { return load_key((const Key*)p.table + place); }

__device__ __forceinline__ u64 find(const Parameters& p, const Key& key) {
  u64 bucket = __umul64hi(hash_of(key), p.buckets);
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    for (int i = 0; i < SLOTS; i++) {
      Key other = key_at(p, bucket * SLOTS + i);
      if (are_equal(other, key)) return bucket * SLOTS + i;
      if (is_hole(other)) return NOWHERE;
    }
    if (++bucket == p.buckets) bucket = 0;
  }
  return NOWHERE;
}
#else
__device__ __forceinline__ Key key_at(const Parameters& p, u64 place) { return load_key(p.ring + place); }

__device__ __forceinline__ u64 find(const Parameters& p, const Key& key) {
  u64 hash = hash_of(key), bucket = __umul64hi(hash, p.buckets), tag = hash << 40;
  for (int probe = 0; probe < MOST_PROBES; probe++) {
    for (int i = 0; i < 4; i++) {
      u64 entry = __ldcg(p.table + bucket * 4 + i);
      if (entry == 0) return NOWHERE;
      if (refers_to(p, entry, tag, key)) return (entry & INDEX_MASK) - 1;
    }
    if (++bucket == p.buckets) bucket = 0;
  }
  return NOWHERE;
}
#endif

// A place that the queue has no room for stays pending.
__device__ __forceinline__ void enqueue(const Parameters& p, u64 place) {
  u64 at = reserve(&p.counters[QUEUED]);
  if (at < p.queue_room) p.queued[at] = place;
}

// Notes that a state is reached.
__device__ __forceinline__ void reach(const Parameters& p, u64 place) {
  u32 old = atomicOr(p.marks + place, REACHED | PENDING);
  if (!(old & REACHED)) enqueue(p, place);
}

// Does with a successor what the step says.
__device__ __forceinline__ void tell(const Parameters& p, const Key& key) {
  u64 place = find(p, key);
  if (place == NOWHERE) { report_full(p, NOT_STORED); return; }
  u32* mark = p.marks + place;
  u32 old = __ldcg(mark);
  switch (p.step) {
    case ACCEPT: atomicOr(mark, ACCEPTING); break;
    case REACH:
      if (!(old & INSIDE)) break;
      if ((atomicAdd(mark, 1u) & DEGREE) >= MOST_DEGREE) report_full(p, DEGREE_FULL);
      if (!(old & REACHED)) reach(p, place);
      break;
    case ELIMINATE:
      if (!(old & INSIDE)) break;
      // The state is removed with its last predecessor.
      if ((atomicSub(mark, 1u) & DEGREE) == 1) {
        atomicAnd(mark, ~(INSIDE | REACHED));
        atomicOr(mark, PENDING);
        enqueue(p, place);
      }
      break;
    case START:
      if ((old & INSIDE) && !(old & REACHED)) { p.counters[FOUND] = place; reach(p, place); }
      break;
    case COME_ROUND:
      if (place == p.target) p.counters[FOUND] = 1;
      if ((old & INSIDE) && !(old & REACHED)) reach(p, place);
      break;
  }
}
