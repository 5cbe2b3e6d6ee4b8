#include "compiler/toolchain/cuda_home.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/owned_path.h"

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The newest file `PREFIX` + version number in a folder: libnvrtc.so.13 before libnvrtc.so.12, never
// libnvrtc.so.13.0.88, which the former links to, unless nothing else is there.
fs::path library(const fs::path& folder, const std::string& prefix) {
  std::error_code error;
  fs::path best;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename();
    if (!name.starts_with(prefix)) continue;
    std::string suffix = name.substr(prefix.size());
    if (suffix.empty() || suffix.find_first_not_of("0123456789.") != std::string::npos) continue;
    auto rank = [&](const std::string& text) {
      std::size_t dots = static_cast<std::size_t>(std::ranges::count(text, '.'));
      return std::pair(std::strtol(text.c_str(), nullptr, 10), -static_cast<long>(dots));
    };
    if (best.empty() || rank(best.filename().string().substr(prefix.size())) < rank(suffix)) best = it->path();
  }
  return best;
}

std::string version_of(const fs::path& header) {
  std::ifstream in(header);
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kDefine = "#define CUDA_VERSION ";
    if (!line.starts_with(kDefine)) continue;
    int number = std::atoi(line.c_str() + kDefine.size());
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  }
  return {};
}

// What other users can change is refused: its code would run as this user. That is everything that is loaded, started
// or included, and the folders it lies in.
std::string refusal(const CudaHome& home) {
  std::vector<fs::path> used{home.nvrtc.parent_path(), home.nvrtc, home.builtins};
  if (!home.nvdisasm.empty()) used.push_back(home.nvdisasm);
  used.insert(used.end(), home.includes.begin(), home.includes.end());
  for (const fs::path& path : used)
    if (std::string wrong = changeable_by_others(path); !wrong.empty()) return "refused, because " + wrong;
  return {};
}

// Fills `home`, or says what is missing.
std::string look(const fs::path& given, CudaHome& home) {
  if (!present(given)) return "no such folder";
  std::error_code error;
  home = {};
  home.root = fs::absolute(given, error);  // the helper works elsewhere
  const fs::path root = home.root;
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    home.nvrtc = library(root / folder, "libnvrtc.so.");
    if (home.nvrtc.empty()) continue;
    home.builtins = library(root / folder, "libnvrtc-builtins.so.");
    break;
  }
  if (home.nvrtc.empty()) return "no libnvrtc.so";
  if (home.builtins.empty()) return "no libnvrtc-builtins.so";
  if (!present(root / "include/cuda_fp16.h")) return "no include/cuda_fp16.h";
  home.includes = {root / "include"};
  if (present(root / "include/cccl/cuda")) home.includes.push_back(root / "include/cccl");
  if (present(root / "bin/nvdisasm")) home.nvdisasm = root / "bin/nvdisasm";
  home.version = version_of(root / "include/cuda.h");
  return refusal(home);
}

// A file's identity without reading all of it.
std::string stamp(const fs::path& file) {
  std::error_code error;
  std::string id = build_id(file);
  if (id.empty()) {
    auto time = fs::last_write_time(file, error).time_since_epoch().count();
    id = std::to_string(time);
  }
  return file.filename().string() + " " + std::to_string(fs::file_size(file, error)) + " " + id + "\n";
}

}  // namespace

std::expected<CudaHome, std::string> find_cuda(std::span<const fs::path> candidates) {
  CudaHome home;
  std::string reasons;
  for (const fs::path& candidate : candidates) {
    if (candidate.empty()) continue;
    std::string reason = look(candidate, home);
    if (reason.empty()) return home;
    // NVIDIA's wheels of a major release share one folder.
    for (const char* wheels : {"nvidia/cu13", "nvidia/cu14", "nvidia/cu12"}) {
      if (!present(candidate / wheels)) continue;
      reason = look(candidate / wheels, home);
      if (reason.empty()) return home;
    }
    reasons += (reasons.empty() ? "" : "; ") + candidate.string() + ": " + reason;
  }
  return std::unexpected("no CUDA compiler (NVRTC) found" + (reasons.empty() ? "" : " (" + reasons + ")"));
}

std::string identity_of_compiler(const CudaHome& home) {
  std::string text = stamp(home.nvrtc) + stamp(home.builtins);
  std::map<std::string, std::uintmax_t> headers;
  for (const fs::path& folder : home.includes) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::error_code not_a_file;
      auto size = it->file_size(not_a_file);
      headers[it->path().filename()] = not_a_file ? 0 : size;
    }
  }
  for (const auto& [name, size] : headers) text += name + " " + std::to_string(size) + "\n";
  return hex(sha256(text));
}

std::string identity_of_disassembler(const CudaHome& home) {
  if (home.nvdisasm.empty()) return {};
  // It carries no build id, but it is small enough to read.
  std::ostringstream bytes;
  bytes << std::ifstream(home.nvdisasm, std::ios::binary).rdbuf();
  return hex(sha256(bytes.view()));
}

}  // namespace tilewright::toolchain
