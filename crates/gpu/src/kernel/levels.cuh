// Several small levels in one launch, by a few blocks that all run at a time and wait for each other after each level. The launch ends with a
// level that is large, empty or last, or has states that are left, or when the memory is full. That level has not ended, as after
// a launch for one level.

// Larger levels are expanded by launches of their own.
#define SMALL_LEVEL 4096

// What the last block that has ended a level does. Returns whether the launch ends.
__device__ __forceinline__ bool end_level(const Parameters& p, u64* counters, u64 level) {
  u64 count = __ldcg(&p.counters[APPENDED]), holes = __ldcg(&p.counters[HOLES]);
  u64 full = __ldcg(&p.counters[FULL]), left = __ldcg(&p.counters[LEFT]);
  bool ends = full || left || count == 0 || count > SMALL_LEVEL || level + 1 == p.most_levels;
  // The numbers of the last level are where the host looks for them. Otherwise the other bank is that of the next level.
  u64* to = ends ? counters : p.counters == counters ? counters + BANK : counters;
  to[APPENDED] = ends ? count : 0;
  to[HOLES] = ends ? holes : 0;
  to[FULL] = ends ? full : 0;
  to[LEFT] = ends ? left : 0;
  if (ends) counters[LEVELS] = level;
  else { p.sizes[2 * level] = count; p.sizes[2 * level + 1] = holes; }
  return ends;
}

// Waits until all blocks have ended a level. Returns whether the launch ends.
__device__ __forceinline__ bool wait_for_all(const Parameters& p, u64* counters, u64 level, u32* ends) {
  fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (atomicAdd(&counters[ARRIVED], 1ull) + 1 == (level + 1) * gridDim.x) {
      fence();
      *ends = end_level(p, counters, level);
      fence();
      atomicAdd(&counters[RELEASED], *ends ? 3ull : 2ull);
    } else {
      u64 released;
      do released = atomicAdd(&counters[RELEASED], 0ull); while (released / 2 == level);
      *ends = released & 1;
    }
    fence();
  }
  __syncthreads();
  return *ends;
}

// The last level becomes the one that is expanded.
__device__ __forceinline__ void go_to_next_level(Parameters& p, u64* counters, u64 level) {
  u64 count = __ldcg(&p.sizes[2 * level]);
  p.counters = p.counters == counters ? counters + BANK : counters;
  p.in_begin = p.out_begin;
  p.in_count = count;
  p.out_begin = ring_index(p, p.out_begin, count);
  p.out_room = KEYS_IN_TABLE ? p.ring_size - count : p.out_room - count;
}
