// What is wrong with a script, where its reader can see it.
#pragma once
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

class BackgroundTrials;
class RunFindings;

// What NVRTC and ptxas said about the kernels, as far as they have looked at them, led back to the script.
std::vector<text::Diagnostic> toolchain_findings(const session::Compiled& compiled, const Artifacts& artifacts);

struct Diagnostic {
  const text::Diagnostic* said = nullptr;
  // Of the script itself. What lies in a file that it imports stands where the script leads there; what has no place at
  // all at the beginning.
  Stretch at;
  // Places that belong to it, of the script or of files: the true place of what lies elsewhere, the compiler's own, the
  // calls that led there.
  struct Related {
    text::Anchors::Place at;
    std::string_view message;
  };
  std::vector<Related> related;
};
// Owns what its parts point to.
struct Diagnostics {
  std::shared_ptr<const session::Analysis> analysis;
  std::vector<std::shared_ptr<const text::Diagnostic>> of_trials;
  std::deque<text::Diagnostic> of_tools;  // of NVRTC and ptxas, and of runs
  std::vector<Diagnostic> list;           // each cause once, in the order of the text; those of the tools follow
};
// All findings of a script. Texts are not copied: this runs at each keystroke.
Diagnostics diagnostics(const session::Snapshot& script, std::shared_ptr<const session::Analysis> analysis,
                        const Artifacts* artifacts, const BackgroundTrials* trials = nullptr,
                        const RunFindings* runs = nullptr);

}  // namespace tilewright::ide
