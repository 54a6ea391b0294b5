// The kernels of a search level by level. Their text follows that of the table.

// Successors are staged in shared memory, so that full warps look them up in the table.
#ifndef STAGED_BYTES
#define STAGED_BYTES (24 * 1024)
#endif
#define STAGED (STAGED_BYTES / (8 * KEY_WORDS))

struct Staging {
  Key keys[STAGED];
  u8 by[STAGED];      // the thread that has staged a key
  u8 found[THREADS];  // whether a thread has staged one of the given states
  u32 used, full;
};

__device__ __forceinline__ Staging& staging() {
  __shared__ Staging area;
  return area;
}

#ifndef CYCLES
__device__ __forceinline__ void tell(const Parameters&, const Key&) {}
#endif

// Whether this pass has to do with a key.
__device__ __forceinline__ bool is_of_pass(const Parameters& p, const Key& key) {
  return p.passes < 2 || __umul64hi(hash_of(key), p.passes) == p.pass;
}

__device__ __forceinline__ bool is_given(const Parameters& p, const Key& key) {
  bool found = false;
  for (u64 i = 0; i < p.given_count; i++) found |= are_equal(key, load_key(p.given + i));
  return found;
}

// Does with a successor for which the stage has no room what is done with those that are staged.
__device__ __noinline__ void take_now(const Parameters& p, const Key& key) {
  if (p.step == COMPARE) {
    if (is_given(p, key)) staging().found[threadIdx.x] = 1;
  } else if (is_of_pass(p, key)) {
    if (p.step != STORE) tell(p, key);
    else if (insert(p, key)) append(p, key);
  }
}

// Stages a successor. This is part of the code of every edge, so it is short.
struct Stage {
  const Parameters& p;
  u32 emitted;
  __device__ __forceinline__ void operator()(const State& s) {
    emitted++;
    Key key = key_of(s);
    u32 at = atomicAdd(&staging().used, 1u);
    if (at < STAGED) {
      staging().keys[at] = key;
      staging().by[at] = (u8)threadIdx.x;
    } else {
      take_now(p, key);
    }
  }
};

// Stages the successors of a state, and gives their number. LEFT_TO_HOST is added if the host has to expand the state. Compiling this function
// takes most of the time that a text needs, so all kernels call one copy.
#define LEFT_TO_HOST (1u << 31)
__device__ __noinline__ u32 stage_successors(const Parameters& p, const Key key) {
  Stage stage{p, 0};
  int result = expand(state_of(key), stage);
  return stage.emitted | (result == MODEL_DONE ? 0u : LEFT_TO_HOST);
}

__device__ __forceinline__ void begin_staging() {
  if (threadIdx.x == 0) staging().used = 0;
  staging().found[threadIdx.x] = 0;
  __syncthreads();
}

// Calls a function with each staged key, all threads of the block together. Afterwards all threads agree on whether the memory is full.
template <class Use> __device__ __forceinline__ bool use_staged(const Parameters& p, Use use) {
  __syncthreads();
  Staging& s = staging();
  u32 count = s.used < STAGED ? s.used : STAGED;
  u64 reported = threadIdx.x == 0 ? __ldcg(&p.counters[FULL]) : 0;
  for (u32 i = threadIdx.x; i < (count + THREADS - 1) / THREADS * THREADS; i += THREADS) use(i < count, s.keys[i < count ? i : 0], i);
  __syncthreads();
  if (threadIdx.x == 0) { s.used = 0; s.full = reported != 0; }
  __syncthreads();
  return s.full;
}

struct Insert {
  const Parameters& p;
  __device__ __forceinline__ void operator()(bool is_key, const Key& key, u32) const {
    append_of_warp(p, is_key && is_of_pass(p, key) && insert(p, key), key);
  }
};

// Expands the states of a level. The first pass counts, and lists the states that are left to the host. When the memory is full, blocks
// leave off: every further insertion into a full table looks at very many buckets.
extern "C" __global__ void __launch_bounds__(THREADS) expand_level(const __grid_constant__ Parameters p) {
  u64 transitions = 0;
  begin_staging();
  for (u64 first = (u64)blockIdx.x * THREADS; first < p.in_count; first += (u64)gridDim.x * THREADS) {
    u64 at = first + threadIdx.x;
    if (at < p.in_count) {
      Key key = load_key(p.ring + ring_index(p, p.in_begin, at));
      if (!is_hole(key)) {
        u32 staged = stage_successors(p, key);
        if (!(staged & LEFT_TO_HOST)) transitions += staged;
        else if (p.pass == 0) leave(p, key);
      }
    }
    if (use_staged(p, Insert{p})) break;
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

struct Compare {
  const Parameters& p;
  __device__ __forceinline__ void operator()(bool is_key, const Key& key, u32 i) const {
    if (is_key && is_given(p, key)) staging().found[staging().by[i]] = 1;
  }
};

// Lists the states of a level that have one of the given states as successor, or are left to the host: only these if no states are given.
extern "C" __global__ void __launch_bounds__(THREADS) find_origins(const __grid_constant__ Parameters p) {
  begin_staging();
  for (u64 first = (u64)blockIdx.x * THREADS; first < p.in_count; first += (u64)gridDim.x * THREADS) {
    u64 at = first + threadIdx.x;
    Key key;
    u32 staged = 0;
    bool is_state = at < p.in_count;
    if (is_state) {
      key = load_key(p.ring + ring_index(p, p.in_begin, at));
      is_state = !is_hole(key);
      if (is_state) staged = stage_successors(p, key);
    }
    use_staged(p, Compare{p});
    if (is_state && ((staged & LEFT_TO_HOST) || staging().found[threadIdx.x])) leave(p, key);
    staging().found[threadIdx.x] = 0;
    __syncthreads();
  }
}
