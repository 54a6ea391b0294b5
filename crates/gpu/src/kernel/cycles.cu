// The kernels of a search for accepting cycles: one-way-catch-them-young (I. Cerna and R. Pelanek, SPIN 2003) on the places of the table.

// Tells states of the host.
extern "C" __global__ void __launch_bounds__(THREADS) tell_given(const __grid_constant__ Parameters p) {
  for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < p.given_count; at += (u64)gridDim.x * THREADS) {
    tell(p, load_key(p.given + at));
  }
}

// The new mark of a place at the beginning of a step, and whether the place is queued.
__device__ __forceinline__ u32 begin_at(const Parameters& p, u64 place, u32 old, bool& queued) {
  queued = false;
  switch (p.step) {
    case INCLUDE: return is_hole(key_at(p, place)) ? 0 : (old & ACCEPTING) | INSIDE;
    case REACH:
      if (!(old & INSIDE)) return old & ACCEPTING;
      queued = (old & ACCEPTING) || is_accepting(state_of(key_at(p, place)));
      return (old & ACCEPTING) | INSIDE | (queued ? REACHED | PENDING : 0);
    case ELIMINATE:
      if (!(old & INSIDE) || !(old & REACHED)) return old & ACCEPTING;
      queued = (old & DEGREE) == 0;
      return queued ? (old & ACCEPTING) | PENDING : old;
    case REFILL: queued = old & PENDING; return old;
    case COME_ROUND: return old & (ACCEPTING | INSIDE);
    default: return old;
  }
}

// Begins a step at all places, or counts the states that are inside, or lists candidates for a cycle: accepting states inside that were not
// reached.
extern "C" __global__ void __launch_bounds__(THREADS) scan_places(const __grid_constant__ Parameters p) {
  u64 inside = 0;
  for (u64 place = (u64)blockIdx.x * THREADS + threadIdx.x; place < p.places; place += (u64)gridDim.x * THREADS) {
    u32 old = p.marks[place];
    if (p.step == COUNT) {
      inside += (old & INSIDE) != 0;
    } else if (p.step == CANDIDATES) {
      if (!(old & INSIDE) || (old & REACHED)) continue;
      Key key = key_at(p, place);
      if ((old & ACCEPTING) || is_accepting(state_of(key))) leave(p, key);
    } else {
      bool queued;
      u32 now = begin_at(p, place, old, queued);
      if (now != old) p.marks[place] = now;
      if (queued) enqueue(p, place);
    }
  }
  __syncwarp();
  add_to(&p.counters[INSIDE_COUNT], inside);
}
