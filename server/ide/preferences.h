// What an author wants to be shown, beyond anything that the compiler knows.
#pragma once
#include <string>

namespace tilewright::ide {

struct Preferences {
  struct InlayHints {
    bool variants = true;  // chosen variant, width, issues, bytes
    bool scopes = true;    // extents of scope ids
    bool types = true;     // types of variables and buffers
  } inlay_hints;
  bool code_lenses = true;
  // When NVRTC looks at a document on its own: "idle" (some time after the last edit), "save", "off".
  std::string toolchain = "idle";
  // True if kernels are tried out on the simulator in pauses of typing.
  bool simulate = true;
};

}  // namespace tilewright::ide
