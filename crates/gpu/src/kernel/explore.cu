// The kernel that expands states, and the one that inserts states of the host. Their text follows that of the table.
//
// One kernel expands states for all purposes, since compiling the code of a model takes most of the time before a search. Successors are
// staged in shared memory, so that full warps look them up in the table. What is done with them depends on the purpose.
#define STAGED (32 * 1024 / (8 * KEY_WORDS))

// So many states of the host are at hand when states are compared.
#define MOST_GIVEN 4

// What the threads of a block share.
struct Block {
  Key staged[STAGED];
  u64 released;
  u64 transitions, ends; // of the levels that have ended
  Key given[MOST_GIVEN];
  u32 used, full;
  u32 compares_each; // whether successors are compared by the threads that make them
  u32 has_found, repeats;
  u32 level_transitions, level_ends; // of this level: a block expands fewer than 2^32 successors of one
  u8 found[THREADS]; // whether the state of a thread has a given one as successor
};

// Each pass takes the keys of a part of the table.
__device__ __forceinline__ bool is_in_pass(const Parameters& p, const Key& key) {
  return p.passes <= 1 || __umul64hi(hash_of(key), p.passes) == p.pass;
}

__device__ __forceinline__ bool is_given(const Parameters& p, const Block* block, const Key& key) {
  bool found = false;
  for (u64 i = 0; i < p.given_count; i++) found |= are_equal(key, i < MOST_GIVEN ? block->given[i] : load_key(p.given + i));
  return found;
}

// Takes one successor.
__device__ __noinline__ void take_now(const Parameters& p, Block* block, const Key& key) {
  if (!is_in_pass(p, key)) return;
  if (p.purpose == COMPARE) {
    if (is_given(p, block, key)) block->found[threadIdx.x] = block->has_found = 1;
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

// The keys that one thread inserts before the new ones are appended.
#define ROUNDS 16

// Inserts staged keys, and appends the new ones.
__device__ __forceinline__ void insert_staged(const Parameters& p, Block* block, u32 count) {
  for (u32 first = 0; first < count; first += ROUNDS * THREADS) {
    u32 end = count - first < ROUNDS * THREADS ? count : first + ROUNDS * THREADS, fresh = 0, bit = 1;
    for (u32 i = first + threadIdx.x; i < end; i += THREADS, bit <<= 1) {
      Key key = block->staged[i];
      if (is_in_pass(p, key) && insert(p, key)) fresh |= bit;
    }
    append_of_warp(p, block->staged + first, (end - first + THREADS - 1) / THREADS, fresh);
  }
}

// Prepares the staging of the successors of a state for each thread. If a staged one was a given one, the states are expanded again, and nothing
// is staged, so that each thread knows about its own successors.
__device__ __forceinline__ void prepare_stage(Block* block) {
  if (threadIdx.x == 0) {
    block->repeats = block->has_found && !block->compares_each;
    block->compares_each = block->repeats;
    block->has_found = 0;
    block->used = block->compares_each ? STAGED : 0;
  }
  block->found[threadIdx.x] = 0;
}

// Takes the staged keys. Afterwards all threads of the block agree on whether the memory is full.
__device__ __forceinline__ void take_staged(const Parameters& p, Block* block) {
  __syncthreads();
  u32 count = block->compares_each ? 0 : block->used < STAGED ? block->used : STAGED;
  u64 reported = threadIdx.x == 0 ? __ldcg(&p.counters[FULL]) : 0;
  if (p.purpose == INSERT) insert_staged(p, block, count);
  else for (u32 i = threadIdx.x; i < count; i += THREADS) take_now(p, block, block->staged[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    block->full = reported != 0;
    block->level_transitions += block->used;
  }
  prepare_stage(block);
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

// Adds what was counted in a level.
__device__ __forceinline__ void end_count(Block* block) {
  block->transitions += block->level_transitions;
  block->ends += block->level_ends;
  block->level_transitions = block->level_ends = 0;
}

// The number of states that a block expands together: all blocks have some, if there are enough.
__device__ __forceinline__ u32 width_of(const Parameters& p) {
  u64 width = (p.in_count / gridDim.x + 32) / 32 * 32;
  return width < THREADS ? (u32)width : THREADS;
}

// Expands states: of a level, whose new successors are the next one; of a level, to list those that may have one of the given states as
// successor; or of queued places. The first pass counts, and lists the states that are left to the host. A state that is left gives some
// successors, the same ones each time. When the memory is full, blocks leave off: every further insertion into a full table looks at very
// many buckets.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) expand_states(const __grid_constant__ Parameters given) {
  __shared__ Block block;
  __shared__ Parameters p;
  if (threadIdx.x == 0) {
    p = given;
    block.transitions = block.ends = block.level_transitions = block.level_ends = 0;
    block.has_found = block.compares_each = 0;
  }
  for (u64 i = threadIdx.x; given.purpose == COMPARE && i < MOST_GIVEN && i < given.given_count; i += THREADS) {
    block.given[i] = load_key(given.given + i);
  }
  prepare_stage(&block);
  __syncthreads();
  for (u64 level = 0;; level++) {
    const u32 width = width_of(p);
    for (u64 first = (u64)blockIdx.x * width; first < p.in_count; first += block.repeats ? 0 : (u64)gridDim.x * width) {
      u64 at = first + threadIdx.x;
      Key key;
      key.w[FLAG_WORD] = 0;
      if (threadIdx.x < width && at < p.in_count) key = key_to_expand(p, at);
      if (!is_hole(key)) {
        Stage stage{p, &block, 0};
        int result = expand(state_of(key), stage);
        if (result == MODEL_DONE) {
          // The host finds out which of the given states is a successor.
          if (block.compares_each && block.found[threadIdx.x]) leave(p, key);
        } else if (result == MODEL_STUCK && p.counts_ends) {
          atomicAdd(&block.level_ends, 1u);
        } else {
          // The host counts the transitions.
          atomicSub(&block.level_transitions, stage.emitted);
          if (p.pass == 0 && !block.compares_each) leave(p, key);
        }
      }
      take_staged(p, &block);
      if (block.full) break;
    }
    if (p.most_levels <= 1) break;
    u64 word = wait_for_all(p, given.counters, level, &block.released);
    // A level for which the memory was full is expanded again.
    if (threadIdx.x == 0 && !(word & LEVEL_IS_FULL)) end_count(&block);
    if (word & LAUNCH_ENDS) break;
    if (threadIdx.x == 0) go_to_next_level(p, given.counters, word);
    __syncthreads();
  }
  if (threadIdx.x != 0 || p.pass != 0) return;
  if (p.most_levels <= 1) end_count(&block);
  atomicAdd(&given.counters[TRANSITIONS], block.transitions);
  if (block.ends) atomicAdd(&given.counters[ENDS], block.ends);
}

// Inserts states of the host.
extern "C" __global__ void __launch_bounds__(THREADS) add_given(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.given_count; at += (u64)gridDim.x * THREADS) {
    Key key = load_key(p.given + at);
    if (insert(p, key)) append(p, key);
  }
}

// Moves the keys of a table to a larger one. If the keys are in the ring, the larger table refers to them.
extern "C" __global__ void __launch_bounds__(THREADS) move_keys(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.from_count; at += (u64)gridDim.x * THREADS) {
#if KEYS_IN_TABLE
    Key key = load_key((const Key*)p.from + at);
    if (!is_hole(key) && is_in_pass(p, key)) insert(p, key);
#else
    Key key = load_key(p.ring + at);
    if (!is_hole(key) && is_in_pass(p, key)) refer(p, key, at);
#endif
  }
}
