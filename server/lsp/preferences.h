// What of the client's section `tilewright` concerns what editors show, and nothing that the compiler knows.
#pragma once
#include <string>

#include "protocol/rpc.h"

namespace tilewright::lsp {

struct Preferences {
  struct InlayHints {
    bool variants = true;  // chosen variant, width, issues, bytes
    bool scopes = true;    // extents of scope ids
    bool types = true;     // types of variables and buffers
  } inlay_hints;
  bool code_lenses = true;
  // When NVRTC looks at a document on its own: "idle" (some time after the last edit), "save", "off".
  std::string toolchain = "idle";
};

// From the section; `problem` names what does not fit, the default stands for it.
Preferences read_preferences(const protocol::Json& section, std::string& problem);

}  // namespace tilewright::lsp
