// The kernel that expands states, and the one that inserts states of the host. Their text follows that of the table.
//
// One kernel expands states for all purposes, since compiling the code of a model takes most of the time before a search. Successors are
// staged in shared memory, so that full warps look them up in the table. What is done with them depends on the purpose.
#ifndef STAGED_BYTES
#define STAGED_BYTES (24 * 1024)
#endif
#define STAGED (STAGED_BYTES / (8 * KEY_WORDS))

// What the threads of a block share.
struct Block {
  Key staged[STAGED];
  u32 used, full, found, ends;
};

// Each pass takes the keys of a part of the table.
__device__ __forceinline__ bool is_in_pass(const Parameters& p, const Key& key) {
  return p.passes <= 1 || __umul64hi(hash_of(key), p.passes) == p.pass;
}

__device__ __forceinline__ bool is_given(const Parameters& p, const Key& key) {
  bool found = false;
  for (u64 i = 0; i < p.given_count; i++) found |= are_equal(key, load_key(p.given + i));
  return found;
}

// Takes one successor.
__device__ __noinline__ void take_now(const Parameters& p, Block* block, const Key& key) {
  if (!is_in_pass(p, key)) return;
  if (p.purpose == COMPARE) {
    if (is_given(p, key)) block->found = 1;
#ifdef CYCLES
  } else if (p.purpose == TELL) {
    tell(p, key);
#endif
  } else if (insert(p, key)) {
    append(p, key);
  }
}

// The code of a model contains this once for each of its edges, so it is short.
struct Stage {
  const Parameters& p;
  Block* block;
  u32 emitted;
  __device__ __forceinline__ void operator()(const State& s) {
    emitted++;
    Key key = key_of(s);
    u32 at = atomicAdd(&block->used, 1u);
    if (at < STAGED) block->staged[at] = key;
    else take_now(p, block, key);
  }
};

// Takes the staged keys. Afterwards all threads of the block agree on whether the memory is full.
__device__ __forceinline__ void take_staged(const Parameters& p, Block* block) {
  __syncthreads();
  u32 count = block->used < STAGED ? block->used : STAGED;
  u64 reported = threadIdx.x == 0 ? __ldcg(&p.counters[FULL]) : 0;
  for (u32 i = threadIdx.x; i < (count + THREADS - 1) / THREADS * THREADS; i += THREADS) {
    Key key = block->staged[i < count ? i : 0];
    if (p.purpose == INSERT) append_of_warp(p, i < count && is_in_pass(p, key) && insert(p, key), key);
    else if (i < count) take_now(p, block, key);
  }
  __syncthreads();
  if (threadIdx.x == 0) { block->used = 0; block->full = reported != 0; }
  __syncthreads();
}

// A key of the level, or of a queued place.
__device__ __forceinline__ Key key_to_expand(const Parameters& p, u64 at) {
#ifdef CYCLES
  if (p.purpose == TELL) {
    u64 place = __ldcg(p.queue + p.in_begin + at);
    if (p.pass == 0) atomicAnd(p.marks + place, ~PENDING);
    return key_at(p, place);
  }
#endif
  return load_key(p.ring + ring_index(p, p.in_begin, at));
}

// Lists the states of the block, if one of them has a given state as successor: the host finds out which. Those that are left are listed.
__device__ __forceinline__ void list_origins(const Parameters& p, Block* block, bool is_listed, const Key& key) {
  if (block->found && is_listed) leave(p, key);
  __syncthreads();
  if (threadIdx.x == 0) block->found = 0;
  __syncthreads();
}

// Expands states: of a level, whose new successors are the next one; of a level, to list those that may have one of the given states as
// successor; or of queued places. The first pass counts, and lists the states that are left to the host. A state that is left gives some
// successors, the same ones each time. When the memory is full, blocks leave off: every further insertion into a full table looks at very
// many buckets.
extern "C" __global__ void __launch_bounds__(THREADS) expand_states(const __grid_constant__ Parameters given) {
  __shared__ Block block;
  __shared__ Parameters p;
  u64 transitions = 0;
  if (threadIdx.x == 0) { block.used = block.found = 0; p = given; }
  __syncthreads();
  for (u64 level = 0;; level++) {
    for (u64 first = (u64)blockIdx.x * THREADS; first < p.in_count; first += (u64)gridDim.x * THREADS) {
      u64 at = first + threadIdx.x;
      Key key;
      key.w[FLAG_WORD] = 0;
      if (at < p.in_count) key = key_to_expand(p, at);
      bool is_done = false;
      if (!is_hole(key)) {
        Stage stage{p, &block, 0};
        is_done = expand(state_of(key), stage) == MODEL_DONE;
        if (is_done) transitions += stage.emitted;
        else if (p.pass == 0) leave(p, key);
      }
      take_staged(p, &block);
      if (p.purpose == COMPARE) list_origins(p, &block, is_done, key);
      if (block.full) break;
    }
    if (p.most_levels <= 1 || wait_for_all(p, given.counters, level, &block.ends)) break;
    if (threadIdx.x == 0) go_to_next_level(p, given.counters, level);
    __syncthreads();
  }
  __syncwarp();
  if (p.pass == 0) add_to(&given.counters[TRANSITIONS], transitions);
}

// Inserts states of the host.
extern "C" __global__ void __launch_bounds__(THREADS) add_given(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.given_count; at += (u64)gridDim.x * THREADS) {
    Key key = load_key(p.given + at);
    if (insert(p, key)) append(p, key);
  }
}
