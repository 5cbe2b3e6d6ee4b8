// What a launch costs without Python: cuLaunchKernelEx in a loop, each call timed by itself; and tensors whose C interface
// of DLPack is as fast as torch's, for machines without it. Built by gpu_bench.py.
#include <dlfcn.h>
#include <string.h>
#include <time.h>

typedef int (*Launch)(const void*, void*, void**, void**);
typedef int (*Synchronize)(void);

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Nanoseconds of each launch; every `batch` launches the device is waited for, outside of the times. The driver's error.
int launch_loop(const char* driver, const void* config, void* function, void** params, int count, int batch, long long* times) {
  void* library = dlopen(driver, RTLD_NOW);
  if (!library) return -1;
  Launch launch = (Launch)dlsym(library, "cuLaunchKernelEx");
  Synchronize synchronize = (Synchronize)dlsym(library, "cuCtxSynchronize");
  if (!launch || !synchronize) return -2;
  for (int i = 0; i < count; ++i) {
    if (i % batch == 0) {
      int error = synchronize();
      if (error) return error;
    }
    long long begin = now();
    int error = launch(config, function, params, 0);
    times[i] = now() - begin;
    if (error) return error;
  }
  return synchronize();
}

// A tensor of DLPack, by the address of its Python object.
struct tensor {
  char bytes[56];
};
static struct {
  void* object;
  struct tensor tensor;
} known[64];
static int count;

void know(void* object, const struct tensor* tensor) {
  known[count % 64].object = object;
  known[count++ % 64].tensor = *tensor;
}
int borrow(void* object, struct tensor* out) {
  for (int i = 0; i < 64; ++i)
    if (known[i].object == object) return memcpy(out, &known[i].tensor, sizeof *out), 0;
  return -1;
}
int current_stream(int type, int device, void** out) {
  (void)type, (void)device;
  *out = 0;
  return 0;
}
