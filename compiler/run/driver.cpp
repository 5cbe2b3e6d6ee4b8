#include "compiler/run/driver.h"

#include <dlfcn.h>

#include "compiler/run/function_finder.h"

namespace tilewright::run {

std::expected<Driver, std::string> Driver::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::unexpected("no CUDA driver: " + std::string(::dlerror()));
  Driver driver;
  FunctionFinder functions(handle);
#define TILEWRIGHT_FIND(member, symbol, parameters) functions.find(driver.member, #symbol);
  TILEWRIGHT_DRIVER_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
  if (const std::string& missing = functions.missing(); !missing.empty()) {
    return std::unexpected("the CUDA driver " + library + " is too old: it has no " + missing +
                           " (CUDA 12 or newer is needed)");
  }
  return driver;
}

std::string Driver::describe(cu::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(result, &name) != cu::kSuccess || !name) return "CUDA error " + std::to_string(result);
  std::string out = name;
  if (error_text(result, &text) == cu::kSuccess && text) out += std::string(": ") + text;
  return out;
}

}  // namespace tilewright::run
