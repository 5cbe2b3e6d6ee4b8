#include "compiler/toolchain/newer.h"

#include <charconv>
#include <optional>
#include <utility>

namespace tilewright::toolchain {
namespace {

using Version = std::pair<int, int>;

std::optional<Version> parsed(std::string_view text) {
  Version out;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.first);
  if (error != std::errc() || end == text.data() + text.size() || *end != '.') return std::nullopt;
  if (std::from_chars(end + 1, text.data() + text.size(), out.second).ec != std::errc()) return std::nullopt;
  return out;
}

bool is_older(std::string_view version, std::string_view than) {
  const auto a = parsed(version), b = parsed(than);
  return a && b && *a < *b;
}

// What CUDA 13.0 does not know yet.
struct Since {
  std::string_view arch, cuda;
};
constexpr Since kArchitectures[] = {{"sm_107", "13.4"}};

// The assembler's words for PTX that it does not know, by their beginning.
constexpr std::string_view kUnknown[] = {"Unknown modifier", "Unexpected instruction types",
                                         "Not a name of any known instruction", "Unknown symbol"};

}  // namespace

std::string newer_for_architecture(std::string_view arch, std::string_view version) {
  for (const Since& s : kArchitectures) {
    if (!arch.starts_with(s.arch) || !is_older(version, s.cuda)) continue;
    return "CUDA " + std::string(version) + " does not know " + std::string(arch) + ": CUDA " + std::string(s.cuda) +
           " and later do";
  }
  return {};
}

std::string newer_for_message(std::string_view message, std::string_view version) {
  if (!is_older(version, kNewestCuda)) return {};
  for (std::string_view words : kUnknown) {
    if (!message.starts_with(words)) continue;
    return " (this is CUDA " + std::string(version) + "; CUDA " + std::string(kNewestCuda) + " knows more of PTX)";
  }
  return {};
}

std::string newer_for_crash(std::string_view version) {
  if (!is_older(version, kNewestCuda)) return {};
  return " (this is CUDA " + std::string(version) + "; try CUDA " + std::string(kNewestCuda) + ")";
}

}  // namespace tilewright::toolchain
