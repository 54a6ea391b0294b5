// The kernels of a search level by level. Their text follows that of the table.

// Successors are staged in shared memory, so that full warps look them up in the table.
#ifndef STAGED_BYTES
#define STAGED_BYTES (24 * 1024)
#endif
#define STAGED (STAGED_BYTES / (8 * KEY_WORDS))

#ifndef CYCLES
__device__ __forceinline__ void tell(const Parameters&, const Key&) {}
#endif

// Inserts a successor for which the stage has no room, or tells it.
__device__ __noinline__ void take_now(const Parameters& p, const Key& key) {
  if (p.step) tell(p, key);
  else if (insert(p, key)) append(p, key);
}

struct Stage {
  const Parameters& p;
  Key* staged;
  u32* used;
  u32 emitted;
  __device__ __forceinline__ void operator()(const State& s) {
    emitted++;
    Key key = key_of(s);
    if (p.passes > 1 && __umul64hi(hash_of(key), p.passes) != p.pass) return;
    u32 at = atomicAdd(used, 1u);
    if (at < STAGED) staged[at] = key;
    else take_now(p, key);
  }
};

// Inserts the staged keys. Afterwards all threads of the block agree on whether the memory is full.
__device__ __forceinline__ void insert_staged(const Parameters& p, const Key* staged, u32* used, u32* full) {
  __syncthreads();
  u32 count = *used < STAGED ? *used : STAGED;
  u64 reported = threadIdx.x == 0 ? __ldcg(&p.counters[FULL]) : 0;
  for (u32 i = threadIdx.x; i < (count + THREADS - 1) / THREADS * THREADS; i += THREADS) {
    Key key = staged[i < count ? i : 0];
    append_of_warp(p, i < count && insert(p, key), key);
  }
  __syncthreads();
  if (threadIdx.x == 0) { *used = 0; *full = reported != 0; }
  __syncthreads();
}

// Expands the states of a level. The first pass counts, and lists the states that are left to the host. When the memory is full, blocks
// leave off: every further insertion into a full table looks at very many buckets.
extern "C" __global__ void __launch_bounds__(THREADS) expand_level(const __grid_constant__ Parameters p) {
  __shared__ Key staged[STAGED];
  __shared__ u32 used, full;
  u64 transitions = 0;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  for (u64 first = (u64)blockIdx.x * THREADS; first < p.in_count; first += (u64)gridDim.x * THREADS) {
    u64 at = first + threadIdx.x;
    if (at < p.in_count) {
      Key key = load_key(p.ring + ring_index(p, p.in_begin, at));
      if (!is_hole(key)) {
        Stage stage{p, staged, &used, 0};
        if (expand(state_of(key), stage) == MODEL_DONE) transitions += stage.emitted;
        else if (p.pass == 0) leave(p, key);
      }
    }
    insert_staged(p, staged, &used, &full);
    if (full) break;
  }
  __syncwarp();
  if (p.pass == 0) add_to(&p.counters[TRANSITIONS], transitions);
}

// Inserts states of the host.
extern "C" __global__ void __launch_bounds__(THREADS) add_given(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.given_count; at += (u64)gridDim.x * THREADS) {
    Key key = load_key(p.given + at);
    if (insert(p, key)) append(p, key);
  }
}

// Takes successors where speed is of no importance: compares them with the given states, or stages them.
struct Apart {
  const Parameters& p;
  Stage stage;
  bool compares, found;
  __device__ __forceinline__ void operator()(const State& s) {
    if (!compares) { stage(s); return; }
    Key key = key_of(s);
    for (u64 i = 0; i < p.given_count; i++) found |= are_equal(key, load_key(p.given + i));
  }
};

// The code of the model once for all kernels that use this: its compilation takes most of the time.
__device__ __noinline__ int expand_apart(const State& s, Apart& apart) { return expand(s, apart); }

// Lists the states of a level that have one of the given states as successor, or are left to the host: only these if no states are given.
extern "C" __global__ void __launch_bounds__(THREADS) find_origins(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.in_count; at += (u64)gridDim.x * THREADS) {
    Key key = load_key(p.ring + ring_index(p, p.in_begin, at));
    if (is_hole(key)) continue;
    Apart apart{p, Stage{p, nullptr, nullptr, 0}, true, false};
    if (expand_apart(state_of(key), apart) != MODEL_DONE || apart.found) leave(p, key);
  }
}
