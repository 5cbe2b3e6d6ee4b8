// What an editor offers at a place: fixing what a diagnostic names, silencing it, forcing a variant, pinning an entry.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

// A diagnostic of ours as it was shown.
struct ShownDiagnostic {
  std::string code;
  Stretch at;
  std::optional<text::Fix> fix;  // that it carried; nothing: it is to be found in the analysis
};

struct Action {
  enum class Kind {
    QuickFix,
    Refactor,  // of what is around the place
    Rewrite,   // of the call at the place
  };
  std::string title;
  Kind kind = Kind::QuickFix;
  Stretch at;  // becomes `text`
  std::string text;
  const ShownDiagnostic* fixes = nullptr;  // of those that were given
  bool preferred = false;
};
// At the byte `offset`, with what fixes and silences `shown`.
Answer<std::vector<Action>> actions(const Query& q, std::uint32_t offset, std::span<const ShownDiagnostic> shown);

}  // namespace tilewright::ide
