// What a text for the device begins with.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
#define HD __device__ __forceinline__
#define THREADS 256
// The blocks that a multiprocessor has registers for: some wait for memory while others go on.
#define BLOCKS 4
