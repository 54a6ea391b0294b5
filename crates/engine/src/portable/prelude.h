#ifndef HD
#ifdef __CUDACC__
#define HD __host__ __device__ __forceinline__
#else
#define HD inline
#endif
#endif
// Functions that are too long to be part of their callers.
#ifndef HD_LARGE
#ifdef __CUDACC__
#define HD_LARGE __device__ __noinline__
#else
#define HD_LARGE inline
#endif
#endif
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
struct State { u64 w[MODEL_WORDS]; };
enum { MODEL_DONE = 0, MODEL_LEFT = 1, MODEL_STUCK = 2 };
// Sixteen bytes.
struct V16 { u8 b[16]; };
// Memory is accessed by bytes: states have no alignment.
HD u32 ld1(const u8* p) { return p[0]; }
HD u32 ld2(const u8* p) { return p[0] | (u32)p[1] << 8; }
HD u32 ld4(const u8* p) { return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24; }
HD u64 ld8(const u8* p) { return ld4(p) | (u64)ld4(p + 4) << 32; }
HD V16 ldv(const u8* p) { V16 v; for (int i = 0; i < 16; i++) v.b[i] = p[i]; return v; }
HD void st1(u8* p, u32 v) { p[0] = (u8)v; }
HD void st2(u8* p, u32 v) { p[0] = (u8)v; p[1] = (u8)(v >> 8); }
HD void st4(u8* p, u32 v) { p[0] = (u8)v; p[1] = (u8)(v >> 8); p[2] = (u8)(v >> 16); p[3] = (u8)(v >> 24); }
HD void st8(u8* p, u64 v) { st4(p, (u32)v); st4(p + 4, (u32)(v >> 32)); }
HD void stv(u8* p, V16 v) { for (int i = 0; i < 16; i++) p[i] = v.b[i]; }
HD u32 div32(u32 a, u32 b) { return b == 0xffffffffu ? 0u - a : (u32)((i32)a / (i32)b); }
HD u32 rem32(u32 a, u32 b) { return b == 0xffffffffu ? 0u : (u32)((i32)a % (i32)b); }
// What the generated functions share.
template <class Em> struct Context {
    u64 out;
    u8 *inner, *inner_limit, *inner_start, *pending, *pending_start, *pending_limit;
    u32 branches, timeout, ask, urgent;
    u64 observed;
    u8 *before, *half, *half_limit, *scratch;
    u32 offer_number, offer_fields;
    u32 message[MODEL_FIELDS];
    u64 words[MODEL_WORDS], half_words[MODEL_WORDS];
    u64* emitted;
    u32 watcher;
    Em* em;
};
template <class Em> HD u32 rt_copy(u8* to, const u8* from, u64 len) { for (u64 i = 0; i < len; i++) to[i] = from[i]; return 0; }
