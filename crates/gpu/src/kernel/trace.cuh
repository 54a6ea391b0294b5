// A trail in one launch: from a state back through the levels before it, which the host lists by position and number of places. On each level,
// states that have the given one as successor are candidates. The least of them is the given one of the level before. The launch ends before a
// level with states that are left, one of which may be a predecessor, and before one with no candidates or too many: the host looks at
// that level.

// The list of states that are left has the candidates of three levels, then the states of the trail.
#define MOST_CANDIDATES 16
#define TRAIL (BANKS * MOST_CANDIDATES)

__device__ __forceinline__ bool is_less(const Key& a, const Key& b) {
  for (int i = KEY_WORDS - 1; i > 0; i--) if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
  return a.w[0] < b.w[0];
}

__device__ __forceinline__ void go_to_level_before(Parameters& p, u64* counters, u64 level) {
  p.counters = bank_of(counters, level);
  p.in_begin = __ldcg(&p.sizes[2 * level]);
  p.in_count = __ldcg(&p.sizes[2 * level + 1]);
}

__device__ __forceinline__ void add_candidate(const Parameters& p, u64 level, const Key& key) {
  u64 at = atomicAdd(&p.counters[LEFT], 1ull);
  if (at < MOST_CANDIDATES) store_key(p.left + level % BANKS * MOST_CANDIDATES + at, key);
}

// What the first thread of each block does with a level that all blocks have searched. Returns whether the launch ends.
__device__ __forceinline__ bool end_search(const Parameters& p, u64* counters, u64 level, Key* given) {
  u64 count = __ldcg(&p.counters[LEFT]), unknown = __ldcg(&p.counters[HOLES]);
  bool is_known = unknown == 0 && count > 0 && count <= MOST_CANDIDATES;
  const Key* candidates = p.left + level % BANKS * MOST_CANDIDATES;
  Key least = load_key(candidates);
  for (u64 i = 1; is_known && i < count; i++) {
    Key other = load_key(candidates + i);
    if (is_less(other, least)) least = other;
  }
  *given = least;
  bool is_last = !is_known || level + 1 == p.most_levels;
  if (blockIdx.x != 0) return is_last;
  if (is_known) store_key(p.left + TRAIL + level, least);
  if (is_last) counters[LEVELS] = level + is_known;
  return is_last;
}
