#include "compiler/toolchain/nvrtc.h"

#include <dlfcn.h>

namespace tilewright::toolchain {
namespace {

template <typename Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::string last_error() {
  const char* text = ::dlerror();
  return text ? text : "unknown error";
}

template <typename Program>
std::string text_of(Program program, int (*size_of)(Program, std::size_t*), int (*get)(Program, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (get(program, text.data()) != 0) return {};
  return text;
}

// NVRTC counts the terminating zero of its texts.
void trim_zero(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

}  // namespace

std::expected<Nvrtc, std::string> Nvrtc::load(const std::string& library, const std::string& builtins) {
  if (!::dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL)) return std::unexpected(last_error());
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::unexpected(last_error());
  Nvrtc nvrtc;
  bool whole =
      resolve(handle, "nvrtcCreateProgram", nvrtc.create_) && resolve(handle, "nvrtcDestroyProgram", nvrtc.destroy_) &&
      resolve(handle, "nvrtcCompileProgram", nvrtc.compile_) &&
      resolve(handle, "nvrtcGetProgramLogSize", nvrtc.log_size_) && resolve(handle, "nvrtcGetProgramLog", nvrtc.log_) &&
      resolve(handle, "nvrtcGetPTXSize", nvrtc.ptx_size_) && resolve(handle, "nvrtcGetPTX", nvrtc.ptx_) &&
      resolve(handle, "nvrtcGetCUBINSize", nvrtc.cubin_size_) && resolve(handle, "nvrtcGetCUBIN", nvrtc.cubin_) &&
      resolve(handle, "nvrtcGetErrorString", nvrtc.error_string_);
  if (!whole) return std::unexpected(library + " lacks an entry point: " + last_error());
  return nvrtc;
}

Nvrtc::Result Nvrtc::compile(const std::string& source, const std::string& name,
                             const std::vector<std::string>& options) const {
  Result result;
  Program program = nullptr;
  result.code = create_(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr);
  if (result.code != 0) return result;
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());
  result.code = compile_(program, static_cast<int>(arguments.size()), arguments.data());
  result.log = text_of(program, log_size_, log_);
  // PTX exists even when ptxas refused it, and is then what its messages count lines in.
  result.ptx = text_of(program, ptx_size_, ptx_);
  if (result.code == 0) result.cubin = text_of(program, cubin_size_, cubin_);
  trim_zero(result.log);
  trim_zero(result.ptx);
  destroy_(&program);
  return result;
}

}  // namespace tilewright::toolchain
