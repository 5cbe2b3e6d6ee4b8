// NVRTC by dlopen: the few entry points that are used, declared here, so that no CUDA header is needed to build.
// Only the helper process loads it.
#pragma once
#include <expected>
#include <string>
#include <vector>

namespace tilewright::toolchain {

class Nvrtc {
 public:
  // Loads `builtins` first: NVRTC asks the loader for it by name, and then finds it already there.
  static std::expected<Nvrtc, std::string> load(const std::string& library, const std::string& builtins);

  struct Result {
    int code = 0;  // nvrtcResult; 0 is success, 6 a program with errors, 1 out of memory
    std::string log, ptx, cubin;
  };
  Result compile(const std::string& source, const std::string& name, const std::vector<std::string>& options) const;
  const char* describe(int code) const { return error_string_(code); }

 private:
  using Program = void*;
  int (*create_)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                 const char* const* names) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int options, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*ptx_size_)(Program, std::size_t*) = nullptr;
  int (*ptx_)(Program, char*) = nullptr;
  int (*cubin_size_)(Program, std::size_t*) = nullptr;
  int (*cubin_)(Program, char*) = nullptr;
  const char* (*error_string_)(int) = nullptr;
};

}  // namespace tilewright::toolchain
