// Several levels in one launch, by blocks that all run at a time and wait for each other after each level. The launch ends with a level that is
// empty or last, or has states that are left, or when the memory is full or should grow, or when the next level is too large or too small for
// the number of blocks. That level has not ended, as after a launch for one level.
//
// The first thread of each block loads the counters of a level that all blocks have ended and comes to the same decision, so nobody waits for
// a block that decides. A level counts in the bank of its number modulo 3. Before the barrier that ends a level, the bank of the next level is
// cleared: it was last loaded before the barrier that ended the level before.

// What is told about each level that has ended: places and holes.
#define SIZES 2

// A level that all blocks have ended.
struct Ended {
  u64 count; // places of the next level
  u32 is_last, is_full;
};

__device__ __forceinline__ u64* bank_of(u64* counters, u64 level) { return counters + level % BANKS * BANK; }

__device__ __forceinline__ void clear_bank(u64* bank) { bank[APPENDED] = bank[HOLES] = bank[FULL] = bank[LEFT] = 0; }

// Waits until all blocks have ended a level. What the threads of a block have written is visible to others by the fence of its first thread, which
// follows theirs.
__device__ __forceinline__ void wait_for_all(u64* counters, u64 level) {
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) clear_bank(bank_of(counters, level + 1));
    fence();
    atomicAdd(&counters[ARRIVED], 1ull);
    while (*(const volatile u64*)&counters[ARRIVED] < (level + 1) * gridDim.x) {}
    fence();
  }
}

// What the first thread of each block does with a level that all blocks have ended. Numbers of the last one go to where the host looks for them.
__device__ __forceinline__ Ended end_level(const Parameters& p, u64* counters, u64 level) {
  u64 count = __ldcg(&p.counters[APPENDED]), holes = __ldcg(&p.counters[HOLES]);
  u64 full = __ldcg(&p.counters[FULL]), left = __ldcg(&p.counters[LEFT]);
  bool is_last = full || left || count == 0 || count > p.most_places || count < p.least_places || level + 1 == p.most_levels ||
                 count * 5 / 2 > p.most_appended;
  if (blockIdx.x == 0 && !is_last) {
    p.sizes[SIZES * level] = count;
    p.sizes[SIZES * level + 1] = holes;
  } else if (blockIdx.x == 0) {
    counters[LEVELS] = level;
    counters[APPENDED] = count;
    counters[HOLES] = holes;
    counters[FULL] = full;
    counters[LEFT] = left;
  }
  return Ended{count, is_last, full != 0};
}

// The last level becomes the one that is expanded.
__device__ __forceinline__ void go_to_next_level(Parameters& p, u64* counters, u64 level, u64 count) {
  p.counters = bank_of(counters, level + 1);
  p.in_begin = p.out_begin;
  p.in_count = count;
  p.out_begin = ring_index(p, p.out_begin, count);
  p.out_room = KEYS_IN_TABLE ? p.ring_size - count : p.out_room - count;
  p.most_appended -= count;
}
