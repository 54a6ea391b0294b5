// The kernel that expands states, and the one that inserts states of the host. Their text follows that of the table.
//
// One kernel expands states for all purposes, since compiling the code of a model takes most of the time before a search. Successors are
// staged in shared memory, so that full warps look them up in the table. What is done with them depends on the purpose.
#define STAGED (32 * 1024 / (8 * KEY_WORDS))

// So many states of the host are at hand when states are compared.
#define MOST_GIVEN 4

// What is found out about a state besides what the code of the model tells: it may have a given state as successor.
#define HAS_GIVEN 3

// What the threads of a block share. The compiler may load sixteen bytes where four are used, so words that some threads write while others load
// are not among sixteen bytes of words that these load.
struct Block {
  Key staged[STAGED];
  alignas(16) Key given[MOST_GIVEN];
  // The number of staged keys; if states are compared, the end of those of each thread.
  alignas(16) u32 used[1 + THREADS];
  alignas(16) u32 level_transitions, level_ends; // of this level: a block expands fewer than 2^32 successors of one
  alignas(16) u64 transitions, ends;             // of the levels that have ended
  alignas(16) Ended ended;
  alignas(16) u32 full;
  u32 part; // states that are expanded together: their successors have room
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

// The code of a model contains this once for each of its edges, so it is short: the code of large models is not in the cache of instructions as it
// is. Keys that have no room are expanded again with fewer others. To increment up to a number that is not reached is one
// instruction: for an addition the compiler makes ten, by which one thread adds for all threads of the warp.
struct Stage {
  Block* block;
  u32 counter;
  u32 emitted;
  __device__ __forceinline__ void operator()(const State& s) {
    emitted++;
    u32 at = atomicInc(&block->used[counter], 0x7fffffffu);
    if (at < STAGED) block->staged[at] = key_of(s);
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

// The most states to expand together after some that had so many successors.
__device__ __forceinline__ u32 next_part(u32 most, u32 part, u32 used) {
  const u64 room = (u64)part * (STAGED / 8 * 7);
  if (used > STAGED) return room / used > 1 ? (u32)(room / used) : 1;
  const u32 more = most + 32 < THREADS ? most + 32 : THREADS;
  return (u64)used * more <= room ? more : most;
}

// Takes the staged keys, if all had room, and returns that. Afterwards all threads of the block agree on whether the memory is full.
__device__ __forceinline__ bool take_staged(const Parameters& p, Block* block, u32 part) {
  __syncthreads();
  const u32 used = block->used[0];
  const bool fits = used <= STAGED;
  u64 reported = threadIdx.x == 0 ? __ldcg(&p.counters[FULL]) : 0;
  if (p.purpose == INSERT) insert_staged(p, block, fits ? used : 0);
#ifdef CYCLES
  else for (u32 i = threadIdx.x; fits && i < used; i += THREADS) if (is_in_pass(p, block->staged[i])) tell(p, block->staged[i]);
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    block->full = reported != 0;
    block->part = next_part(block->part, part, used);
    if (fits) atomicAdd(&block->level_transitions, used);
    block->used[0] = 0;
  }
  __syncthreads();
  return fits;
}

// Compares the successors of each state, which have a share of the room, with the given ones. Returns whether all had room, and whether one of those
// of this thread is a given one.
__device__ __forceinline__ bool compare_staged(const Parameters& p, Block* block, u32 part, bool& found) {
  const u32 share = STAGED / part, begin = threadIdx.x * share, end = threadIdx.x < part ? block->used[1 + threadIdx.x] : begin;
  // A thread whose successors are too many may have overwritten those of another one.
  const bool fits = !__syncthreads_or(end - begin > share);
  found = false;
  for (u32 i = begin; fits && i < end; i++) found |= is_given(p, block, block->staged[i]);
  if (threadIdx.x == 0) {
    block->full = 0;
    block->part = fits ? part : part / 2 > 1 ? part / 2 : 1;
  }
  __syncthreads();
  return fits;
}

// A key of the level, or of a queued place.
__device__ __forceinline__ Key key_to_expand(const Parameters& p, u64 at) {
#ifdef CYCLES
  if (p.purpose == TELL) return key_at(p, __ldcg(p.queue + p.in_begin + at));
#endif
  return load_key(p.ring + ring_index(p, p.in_begin, at));
}

// Ends the work for a state whose successors were taken: lists it if it is left to the host, or may have a given state as successor.
__device__ __forceinline__ void end_state(const Parameters& p, Block* block, u64 at, u64 level, int result, u32 emitted) {
#ifdef CYCLES
  if (p.purpose == TELL && p.pass == 0) atomicAnd(p.marks + __ldcg(p.queue + p.in_begin + at), ~PENDING);
#endif
  const bool traces = p.purpose == COMPARE && p.most_levels > 1;
  if (result == MODEL_DONE || (result == MODEL_STUCK && traces)) return;
  if (result == MODEL_STUCK && p.counts_ends) {
    atomicAdd(&block->level_ends, 1u);
  } else if (traces) {
    if (result == HAS_GIVEN) add_candidate(p, level, key_to_expand(p, at));
    else atomicAdd(&p.counters[HOLES], 1ull);
  } else {
    // The host counts the transitions.
    if (p.purpose == INSERT) atomicSub(&block->level_transitions, emitted);
    if (p.pass == 0) leave(p, key_to_expand(p, at));
  }
}

// Adds what was counted in a level.
__device__ __forceinline__ void end_count(Block* block) {
  block->transitions += block->level_transitions;
  block->ends += block->level_ends;
  block->level_transitions = block->level_ends = 0;
}

// The number of states that a block expands together: all blocks have some, if there are enough.
__device__ __forceinline__ u32 width_of(const Parameters& p) {
  if (p.in_count >= (u64)THREADS * gridDim.x) return THREADS;
  u32 width = ((u32)p.in_count / gridDim.x + 32) / 32 * 32;
  return width < THREADS ? width : THREADS;
}

// Goes on to another level. Returns false if the launch ends.
__device__ __forceinline__ bool go_on(Parameters& p, Block* block, u64* counters, u64 level) {
  wait_for_all(counters, level);
  if (threadIdx.x == 0) {
    if (p.purpose == COMPARE) {
      block->ended.is_last = end_search(p, counters, level, block->given);
      if (!block->ended.is_last) go_to_level_before(p, counters, level + 1);
    } else {
      block->ended = end_level(p, counters, level);
      // A level for which the memory was full is expanded again.
      if (!block->ended.is_full) end_count(block);
      if (!block->ended.is_last) go_to_next_level(p, counters, level, block->ended.count);
    }
  }
  __syncthreads();
  return !block->ended.is_last;
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
    if (given.purpose == COMPARE && given.most_levels > 1) go_to_level_before(p, given.counters, 0);
    block.transitions = block.ends = block.level_transitions = block.level_ends = block.used[0] = 0;
    block.part = THREADS;
  }
  for (u64 i = threadIdx.x; given.purpose == COMPARE && i < MOST_GIVEN && i < given.given_count; i += THREADS) {
    block.given[i] = load_key(given.given + i);
  }
  __syncthreads();
  for (u64 level = 0;; level++) {
    const u32 width = width_of(p);
    u32 done = 0;
    for (u64 first = (u64)blockIdx.x * width; first < p.in_count;) {
      const u32 part = block.part < width - done ? block.part : width - done;
      const u64 at = first + done + threadIdx.x;
      Stage stage{&block, p.purpose == COMPARE ? 1 + threadIdx.x : 0, 0};
      if (p.purpose == COMPARE) block.used[1 + threadIdx.x] = threadIdx.x * (STAGED / part);
      int result = MODEL_DONE;
      if (threadIdx.x < part && at < p.in_count) {
        Key key = key_to_expand(p, at);
        if (!is_hole(key)) result = expand(state_of(key), stage);
      }
      bool found = false;
      const bool fits = p.purpose == COMPARE ? compare_staged(p, &block, part, found) : take_staged(p, &block, part);
      if (block.full) break;
      if (!fits && part > 1) continue;
      if (!fits) result = MODEL_LEFT;
      else if (found) result = HAS_GIVEN;
      if (threadIdx.x < part && at < p.in_count) end_state(p, &block, at, level, result, fits ? stage.emitted : 0);
      done += part;
      if (done == width) { first += (u64)gridDim.x * width; done = 0; }
    }
    if (p.most_levels <= 1 || !go_on(p, &block, given.counters, level)) break;
  }
  __syncthreads();
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
