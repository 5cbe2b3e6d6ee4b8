#include "compiler/run/driver.h"

#include <dlfcn.h>

namespace tilewright::run {

std::expected<Driver, std::string> Driver::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::unexpected("no CUDA driver: " + std::string(::dlerror()));
  Driver driver;
  std::string missing;
  auto find = [&](const char* symbol) {
    void* address = ::dlsym(handle, symbol);
    if (!address) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
    return address;
  };
#define TILEWRIGHT_FIND(member, symbol, parameters) \
  driver.member = reinterpret_cast<decltype(driver.member)>(find(#symbol));
  TILEWRIGHT_DRIVER_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
  if (!missing.empty()) {
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
