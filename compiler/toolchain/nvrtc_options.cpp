#include "compiler/toolchain/nvrtc_options.h"

#include <algorithm>
#include <string_view>

#include "compiler/text/letters.h"

namespace tilewright::toolchain {
namespace {

constexpr std::size_t kMost = 64, kLongest = 256;  // options of a compilation; characters of one

enum class Value { None, Boolean, Number, Standard, Register };

// With "--" and a value after '=', as NVRTC documents them; a value of None has neither.
struct Allowed {
  std::string_view name;
  Value value;
};
constexpr Allowed kAllowed[] = {
    {"--use_fast_math", Value::None},
    {"--extra-device-vectorization", Value::None},
    {"--generate-line-info", Value::None},
    {"-lineinfo", Value::None},
    {"--device-int128", Value::None},
    {"--device-float128", Value::None},
    {"--restrict", Value::None},
    {"--disable-warnings", Value::None},
    {"-w", Value::None},
    {"--fmad", Value::Boolean},
    {"--ftz", Value::Boolean},
    {"--prec-div", Value::Boolean},
    {"--prec-sqrt", Value::Boolean},
    {"--use_fast_math", Value::Boolean},
    {"--maxrregcount", Value::Number},
    {"--std", Value::Standard},
    {"--ptxas-options", Value::Register},
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 4 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool fits(Value kind, std::string_view value) {
  switch (kind) {
    case Value::None: return false;
    case Value::Boolean: return value == "true" || value == "false";
    case Value::Number: return is_number(value);
    case Value::Standard: return value == "c++17" || value == "c++20";
    case Value::Register: {
      // Of ptxas alone how far it uses registers and how hard it tries.
      for (std::string_view name : {"--register-usage-level=", "-O"})
        if (value.starts_with(name)) return is_number(value.substr(name.size()));
      return false;
    }
  }
  return false;
}

// NAME, or of a definition NAME=VALUE with a plain number or name as its value.
bool is_macro(std::string_view text, bool definition) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos && !definition) return false;
  const std::string_view name = text.substr(0, equals);
  auto plain = [](char c) { return text::begins_name(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || !text::begins_name(name[0]) || !std::ranges::all_of(name, plain)) return false;
  return equals == std::string_view::npos || std::ranges::all_of(text.substr(equals + 1), plain);
}

bool is_allowed(std::string_view option) {
  if (option.starts_with("-U") || option.starts_with("-D")) return is_macro(option.substr(2), option[1] == 'D');
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  return std::ranges::any_of(kAllowed, [&](const Allowed& a) {
    if (a.name != name) return false;
    return equals == std::string_view::npos ? a.value == Value::None : fits(a.value, option.substr(equals + 1));
  });
}

}  // namespace

std::string wrong_options(std::span<const std::string> options) {
  if (options.size() > kMost)
    return std::to_string(options.size()) + " options for NVRTC; at most " + std::to_string(kMost) + " are allowed";
  for (const std::string& option : options) {
    if (option.size() <= kLongest && is_allowed(option)) continue;
    std::string shown = option.substr(0, kLongest);
    std::ranges::replace_if(shown, [](unsigned char c) { return c < ' ' || c >= 0x7F; }, '?');
    return "the option '" + shown +
           "' of NVRTC is not allowed: a client may choose -D and -U of plain names, fast math, "
           "--fmad, --ftz, --prec-div, --prec-sqrt, --maxrregcount, --std=c++17 or c++20, and of --ptxas-options "
           "--register-usage-level and -O";
  }
  return {};
}

bool is_architecture(const std::string& arch) {
  std::string_view rest = arch;
  if (rest.starts_with("sm_"))
    rest.remove_prefix(3);
  else if (rest.starts_with("compute_"))
    rest.remove_prefix(8);
  else
    return false;
  if (rest.ends_with('a') || rest.ends_with('f')) rest.remove_suffix(1);
  return rest.size() >= 2 && rest.size() <= 3 && is_number(rest);
}

}  // namespace tilewright::toolchain
