// CUDA on one thread of the host, as far as the kernels use it. A block has one thread, and blocks run one after the other.
#include <cstdio>
#include <cstdlib>
#include <cstring>
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
#define HD inline
#define THREADS 1
#define EMULATED
#define __device__
#define __global__
#define __grid_constant__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
struct Dimension { unsigned x; };
static Dimension threadIdx{0}, blockIdx{0}, gridDim{1};
struct ulonglong2 { u64 x, y; };
template <class T> static inline T __ldcg(const T* p) { return *p; }
static inline u64 __umul64hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static inline u64 atomicCAS(u64* p, u64 expected, u64 value) { u64 old = *p; if (old == expected) *p = value; return old; }
static inline u64 atomicAdd(u64* p, u64 value) { u64 old = *p; *p += value; return old; }
static inline u32 atomicAdd(u32* p, u32 value) { u32 old = *p; *p += value; return old; }
static inline u32 atomicInc(u32* p, u32) { return (*p)++; }
static inline u32 atomicSub(u32* p, u32 value) { u32 old = *p; *p -= value; return old; }
static inline u32 atomicAnd(u32* p, u32 value) { u32 old = *p; *p &= value; return old; }
static inline u32 atomicOr(u32* p, u32 value) { u32 old = *p; *p |= value; return old; }
static inline u64 atomicOr(u64* p, u64 value) { u64 old = *p; *p |= value; return old; }
static inline unsigned __activemask() { return 1; }
static inline int __ffs(unsigned m) { return __builtin_ffs((int)m); }
static inline int __popc(unsigned m) { return __builtin_popcount(m); }
template <class T> static inline T __shfl_sync(unsigned, T value, int) { return value; }
template <class T> static inline T __shfl_down_sync(unsigned, T, int) { return 0; }
static inline unsigned __ballot_sync(unsigned, bool value) { return value; }
static inline void __syncthreads() {}
static inline int __syncthreads_or(int value) { return value; }
static inline void __syncwarp() {}
static inline void fence() {}
static inline void load_128(const u64* from, u64& low, u64& high) { low = from[0]; high = from[1]; }
static inline void swap_128(u64* at, u64 k0, u64 k1, u64& low, u64& high) {
  low = at[0];
  high = at[1];
  if (low == 0 && high == 0) { at[0] = k0; at[1] = k1; }
}
