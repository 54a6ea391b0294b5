// Obeys commands on standard input, which stand for calls of a driver. It follows the kernels.
static void fail(const char* why) { fprintf(stderr, "%s\n", why); exit(1); }
static void get(void* to, size_t bytes) { if (fread(to, 1, bytes, stdin) != bytes) exit(0); }
static u64 number() { u64 n; get(&n, 8); return n; }
static void put(const void* from, size_t bytes) { if (fwrite(from, 1, bytes, stdout) != bytes) fail("no answer can be written"); }
static void answer(u64 n) { put(&n, 8); fflush(stdout); }

typedef void (*Kernel)(Parameters);
static const Kernel kernels[] = {expand_states, add_given, move_keys,
#ifdef CYCLES
  tell_given, scan_places
#endif
};

static void launch() {
  u64 kernel = number(), blocks = number();
  Parameters p;
  get(&p, sizeof p);
  if (kernel >= sizeof kernels / sizeof *kernels) fail("no such kernel");
  gridDim.x = (unsigned)blocks;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) kernels[kernel](p);
}

int main() {
  for (;;) {
    switch (number()) {
      case 0: { u64 bytes = number(); answer((u64)aligned_alloc(256, (bytes + 255) / 256 * 256)); break; }
      case 1: { u64 at = number(), bytes = number(); memset((void*)at, 0, bytes); break; }
      case 2: { u64 at = number(), bytes = number(); get((void*)at, bytes); break; }
      case 3: { u64 at = number(), bytes = number(); put((void*)at, bytes); fflush(stdout); break; }
      case 4: launch(); break;
      case 5: answer(sizeof(Parameters)); break;
      case 6: free((void*)number()); break;
      case 7: { u64 from = number(), to = number(), bytes = number(); memmove((void*)to, (void*)from, bytes); break; }
      default: fail("no such command");
    }
  }
}
