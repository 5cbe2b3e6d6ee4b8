// Functions of a library that was opened at run time.
#pragma once
#include <dlfcn.h>

#include <string>

namespace tilewright::run {

class FunctionFinder {
 public:
  explicit FunctionFinder(void* library) : library_(library) {}
  // Null where the library has no such function.
  template <class Function>
  void find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(::dlsym(library_, symbol));
    if (!function) missing_ += (missing_.empty() ? "" : ", ") + std::string(symbol);
  }
  // The names that were looked for and are not there, "cuInit, cuMemAlloc"; empty: all are.
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace tilewright::run
