// The machine's own CUDA driver, taken over: what a job could do that broke the driver's code. Loading a module first
// tries all that HOSTILE_ATTEMPTS names (attempts.h, separated by semicolons), on this thread and on a new one, prints
// how each ended, and then goes on to the real driver. For confined.py; loaded by `worker --driver`.
//
// It defines one function; all others are found in libcuda.so.1, which it needs.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#include "tests/gpu/attempts.h"

namespace {

using Load = int (*)(void**, const void*);

// As the library is loaded, before the process is confined.
Load real() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return driver ? reinterpret_cast<Load>(::dlsym(driver, "cuModuleLoadData")) : nullptr;
}
const Load load = real();

void try_all(const char* where) {
  const char* attempts = std::getenv("HOSTILE_ATTEMPTS");
  std::istringstream all(attempts ? attempts : "");
  for (std::string line; std::getline(all, line, ';');)
    std::printf("%s %s: %s\n", where, line.c_str(), tilewright::testing::attempt(line).c_str());
}

}  // namespace

extern "C" int cuModuleLoadData(void** module, const void* image) {
  try_all("main");
  std::thread([] { try_all("thread"); }).join();
  std::fflush(stdout);
  return load ? load(module, image) : 999;
}
