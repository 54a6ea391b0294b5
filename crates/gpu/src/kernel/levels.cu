// Several small levels in one launch, by a few blocks that all run at a time and wait for each other after each level.

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

// Expands a level and those after it, until one is large, empty or last, or has states that are left, or the memory is full. The last level
// is one that has not ended, as after a launch for one level.
extern "C" __global__ void __launch_bounds__(THREADS) expand_levels(const __grid_constant__ Parameters given) {
  __shared__ Key staged[STAGED];
  __shared__ u32 used, full, ends;
  Parameters p = given;
  u64 transitions = 0;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  for (u64 level = 0;; level++) {
    for (u64 first = (u64)blockIdx.x * THREADS; first < p.in_count; first += (u64)gridDim.x * THREADS) {
      u64 at = first + threadIdx.x;
      if (at < p.in_count) {
        Key key = load_key(p.ring + ring_index(p, p.in_begin, at));
        if (!is_hole(key)) {
          Apart apart{p, Stage{p, staged, &used, 0}, false, false};
          if (expand_apart(state_of(key), apart) == MODEL_DONE) transitions += apart.stage.emitted;
          else leave(p, key);
        }
      }
      insert_staged(p, staged, &used, &full);
    }
    if (wait_for_all(p, given.counters, level, &ends)) break;
    u64 count = __ldcg(&p.sizes[2 * level]);
    p.counters = p.counters == given.counters ? given.counters + BANK : given.counters;
    p.in_begin = p.out_begin;
    p.in_count = count;
    p.out_begin = ring_index(p, p.out_begin, count);
    p.out_room = KEYS_IN_TABLE ? p.ring_size - count : p.out_room - count;
  }
  __syncwarp();
  add_to(&given.counters[TRANSITIONS], transitions);
}
