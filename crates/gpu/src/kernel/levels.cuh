// Several levels in one launch, by blocks that all run at a time and wait for each other after each level. The launch ends with a level that is
// empty or last, or has states that are left, or when the memory is full or should grow, or when the next level is too large or too small for
// the number of blocks. That level has not ended, as after a launch for one level.

// What is told about each level that has ended: places and holes.
#define SIZES 2

// The word that releases the blocks: the number of levels that have ended, the number of places of the next one, and two bits.
#define RELEASED_LEVEL 48
#define LAUNCH_ENDS 1
#define LEVEL_IS_FULL 2

// What the last block that has ended a level does. Returns the word that releases the others.
__device__ __forceinline__ u64 end_level(const Parameters& p, u64* counters, u64 level) {
  u64 count = __ldcg(&p.counters[APPENDED]), holes = __ldcg(&p.counters[HOLES]);
  u64 full = __ldcg(&p.counters[FULL]), left = __ldcg(&p.counters[LEFT]);
  bool ends = full || left || count == 0 || count > p.most_places || count < p.least_places || level + 1 == p.most_levels ||
              count * 5 / 2 > p.most_appended;
  // The numbers of the last level are where the host looks for them. Otherwise the other bank is that of the next level.
  u64* to = ends ? counters : p.counters == counters ? counters + BANK : counters;
  to[APPENDED] = ends ? count : 0;
  to[HOLES] = ends ? holes : 0;
  to[FULL] = ends ? full : 0;
  to[LEFT] = ends ? left : 0;
  if (ends) counters[LEVELS] = level;
  else { p.sizes[SIZES * level] = count; p.sizes[SIZES * level + 1] = holes; }
  return (level + 1) << RELEASED_LEVEL | count << 2 | (full ? LEVEL_IS_FULL : 0) | (ends ? LAUNCH_ENDS : 0);
}

// Waits until all blocks have ended a level. Returns the word that releases them. What the threads of a block have written is visible to others
// by the fence of its first thread, which follows theirs.
__device__ __forceinline__ u64 wait_for_all(const Parameters& p, u64* counters, u64 level, u64* shared) {
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 word;
    fence();
    if (atomicAdd(&counters[ARRIVED], 1ull) + 1 == (level + 1) * gridDim.x) {
      fence();
      word = end_level(p, counters, level);
      fence();
      *(volatile u64*)&counters[RELEASED] = word;
    } else {
      do word = *(const volatile u64*)&counters[RELEASED]; while (word >> RELEASED_LEVEL == level);
    }
    *shared = word;
    fence();
  }
  __syncthreads();
  return *shared;
}

// The last level becomes the one that is expanded.
__device__ __forceinline__ void go_to_next_level(Parameters& p, u64* counters, u64 word) {
  u64 count = (word & ((1ull << RELEASED_LEVEL) - 1)) >> 2;
  p.counters = p.counters == counters ? counters + BANK : counters;
  p.in_begin = p.out_begin;
  p.in_count = count;
  p.out_begin = ring_index(p, p.out_begin, count);
  p.out_room = KEYS_IN_TABLE ? p.ring_size - count : p.out_room - count;
  p.most_appended -= count;
}
