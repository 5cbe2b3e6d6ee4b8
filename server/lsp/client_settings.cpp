#include "server/lsp/client_settings.h"

#include "compiler/ir/target.h"
#include "protocol/lsp.h"

namespace tilewright::lsp {

using protocol::Json;

project::ClientSettings read_client_settings(const Json& section, std::string& problem) {
  project::ClientSettings out;
  if (section.is_null()) return out;
  if (!section.is_object()) {
    problem = "the setting 'tilewright' must be an object";
    return out;
  }
  auto words = [&](const char* key, std::vector<std::string>& list, auto&& valid) {
    const Json& value = protocol::at(section, key);
    if (value.is_null()) return;
    if (!value.is_array()) {
      problem = std::string("tilewright.") + key + " must be a list";
      return;
    }
    for (const Json& item : value) {
      if (!item.is_string() || !valid(item.get<std::string>())) {
        problem = std::string("tilewright.") + key + ": " + item.dump(-1, ' ', false, Json::error_handler_t::replace) +
                  " is not understood";
      } else {
        list.push_back(item.get<std::string>());
      }
    }
  };
  words("architectures", out.architectures, [](const std::string& s) { return ir::parse_target(s).has_value(); });
  words("entries", out.entries, [](const std::string& s) { return !s.empty(); });
  const Json& deny = protocol::at(section, "denyFallback");
  if (deny.is_boolean()) {
    out.deny_fallback = deny.get<bool>();
  } else if (!deny.is_null()) {
    problem = "tilewright.denyFallback must be true or false";
  }
  return out;
}

}  // namespace tilewright::lsp
