// What fixes findings of scripts, as plain values: server/ide/script_fixes.h makes them, reports show them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::work {

// Bytes [begin, end) of a script become `text`.
struct Edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

// An edit that was tried: afterwards the finding is gone, and no more findings are left than before.
struct FindingFix {
  std::string code;      // of the finding
  std::string message;   // of the finding
  std::uint32_t at = 0;  // byte of the script at which the finding begins
  std::string title;     // "Replace by T.copy"
  Edit edit;
};

// A finding whose fixes were not all tried: the time, or the number of simulations, was used up.
struct UntriedFinding {
  std::string code, message;
  std::uint32_t at = 0;  // byte of the script at which it begins
};
// The fixes of a script's findings, in the order of the findings.
struct FindingFixes {
  std::vector<FindingFix> tried;
  std::vector<UntriedFinding> untried;
};

struct FindingCounts {
  std::size_t errors = 0, warnings = 0;
  std::size_t all() const { return errors + warnings; }
};

struct AppliedFix {
  std::string code, message, title;
  std::uint32_t line = 0;  // from 1, of the text at the time
};

struct FixedScript {
  std::string text;                 // the script after all of them
  std::vector<AppliedFix> applied;  // in the order of their application
  FindingCounts before, after;
  std::size_t untried = 0;  // findings left whose fixes were not all tried: the time was used up
  bool stopped = false;     // a stop was requested: more could be fixed
};

}  // namespace tilewright::work
