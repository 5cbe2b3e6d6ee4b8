#include "server/bsp/arguments.h"

#include <charconv>

#include "compiler/ir/target.h"
#include "server/remote/place.h"

namespace tilewright::bsp {

std::expected<Arguments, std::string> read_arguments(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Both `--arch sm_90a` and `--arch=sm_90a`.
    const auto equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (words[i] == "--instructions") {
      out.build.instructions = true;
      continue;
    }
    if (words[i] == "--require-all") {
      out.require_all = true;
      continue;
    }
    if (name != "--arch" && name != "--entry" && name != "--deny" && name != "--on" && name != "--deadline")
      return std::unexpected(
          "unknown argument '" + words[i] +
          "': --arch, --entry, --deny, --instructions, --on, --require-all and --deadline are known");
    if (equals == std::string::npos && i + 1 == words.size()) return std::unexpected(name + " lacks its value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (name == "--arch") {
      if (!ir::parse_target(value)) return std::unexpected("unknown architecture '" + value + "'");
      out.build.architectures.push_back(value);
    } else if (name == "--entry") {
      out.build.entries.push_back(value);
    } else if (name == "--on") {
      if (auto why = remote::not_from_a_client(value)) return std::unexpected("--on: " + *why);
      out.on = value;
    } else if (name == "--deadline") {
      double seconds = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
      if (error != std::errc{} || end != value.data() + value.size() || !(seconds >= 0.001 && seconds <= 86400))
        return std::unexpected("--deadline takes seconds from 0.001 to 86400, not '" + value + "'");
      out.deadline = seconds;
    } else if (value == "fallback") {
      out.build.deny_fallback = true;
    } else {
      return std::unexpected("--deny takes 'fallback', not '" + value + "'");
    }
  }
  return out;
}

}  // namespace tilewright::bsp
