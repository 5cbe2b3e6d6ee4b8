// What was found for any of the architectures that a script was compiled for.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "compiler/session/compile.h"

namespace tilewright::session {

// A diagnostic with the file places that it has there.
struct Finding {
  const text::Diagnostic* diagnostic = nullptr;
  const text::Anchors* anchors = nullptr;
  std::size_t target = 0;  // which of the compilations found it first
};

// Each cause once, in the order of the text. The places of the script itself, whose path is `own`, come before those of
// files that it imports; what has no place comes first.
std::vector<Finding> findings(std::span<const Compiled> compiled, std::string_view own);

}  // namespace tilewright::session
