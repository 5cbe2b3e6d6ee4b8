#include "server/lsp/preferences.h"

#include "protocol/lsp.h"

namespace tilewright::lsp {

ide::Preferences read_preferences(const protocol::Json& section, std::string& problem) {
  ide::Preferences p;
  auto flag = [&](std::string_view dotted, bool& to) {
    const protocol::Json& value = protocol::at(section, dotted);
    if (value.is_boolean()) {
      to = value.get<bool>();
    } else if (!value.is_null()) {
      problem = "tilewright." + std::string(dotted) + " must be true or false";
    }
  };
  flag("inlayHints.variants", p.inlay_hints.variants);
  flag("inlayHints.scopes", p.inlay_hints.scopes);
  flag("inlayHints.types", p.inlay_hints.types);
  flag("codeLens", p.code_lenses);
  flag("simulate", p.simulate);
  const protocol::Json& when = protocol::at(section, "toolchain.check");
  if (when == "idle" || when == "save" || when == "off") {
    p.toolchain = when.get<std::string>();
  } else if (!when.is_null()) {
    problem = "tilewright.toolchain.check must be \"idle\", \"save\" or \"off\"";
  }
  return p;
}

}  // namespace tilewright::lsp
