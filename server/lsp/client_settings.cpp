#include "server/lsp/client_settings.h"

#include "compiler/ir/target.h"
#include "compiler/script/surface.h"
#include "protocol/lsp.h"
#include "protocol/uri.h"

namespace tilewright::lsp {

project::ClientSettings read_client_settings(const protocol::Json& section, std::string& problem) {
  project::ClientSettings out;
  if (section.is_null()) return out;
  if (!section.is_object()) {
    problem = "the setting 'tilewright' must be an object";
    return out;
  }
  auto words = [&](const protocol::Json& from, const std::string& key, std::vector<std::string>& list, auto&& valid) {
    const protocol::Json& value = protocol::at(from, key);
    if (value.is_null()) return;
    if (!value.is_array()) {
      problem = "tilewright." + key + " must be a list";
      return;
    }
    for (const protocol::Json& item : value) {
      if (!item.is_string() || !valid(item.get<std::string>())) {
        problem = "tilewright." + key + ": " + item.dump(-1, ' ', false, protocol::Json::error_handler_t::replace) +
                  " is not understood";
      } else {
        list.push_back(item.get<std::string>());
      }
    }
  };
  const auto known = [](const std::string& s) { return ir::parse_target(s).has_value(); };
  words(section, "architectures", out.architectures, known);
  if (const protocol::Json& documents = protocol::at(section, "documents"); documents.is_object()) {
    for (const auto& [uri, own] : documents.items()) {
      std::vector<std::string> architectures;
      words(own, "architectures", architectures, known);
      if (!architectures.empty()) out.architectures_of.emplace(protocol::path_of(uri), std::move(architectures));
    }
  } else if (!documents.is_null()) {
    problem = "tilewright.documents must be an object";
  }
  words(section, "entries", out.entries, [](const std::string& s) { return !s.empty(); });
  const protocol::Json& deny = protocol::at(section, "denyFallback");
  if (deny.is_boolean()) {
    out.deny_fallback = deny.get<bool>();
  } else if (!deny.is_null()) {
    problem = "tilewright.denyFallback must be true or false";
  }
  // Editors write the empty text where nothing is set.
  const protocol::Json& dialect = protocol::at(section, "dialect");
  const std::string release = dialect.is_string() ? dialect.get<std::string>() : "";
  if (!release.empty()) {
    if (auto known = script::known_dialect(release)) {
      out.dialect = *known;
    } else {
      problem = "tilewright.dialect: " + known.error();
    }
  } else if (!dialect.is_string() && !dialect.is_null()) {
    problem = "tilewright.dialect must be a text, such as \"0.27\"";
  }
  return out;
}

}  // namespace tilewright::lsp
