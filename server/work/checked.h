// A file that was checked, and what that found: for reports of many files.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/findings.h"
#include "server/work/fix.h"

namespace tilewright::work {

// One file, compiled once for each architecture.
struct CheckedFile {
  std::string path;
  std::vector<session::Compiled> compiled;
  // Kernels whose synchronisation was not, or not wholly, looked at; nothing: not asked for.
  std::optional<std::size_t> untried{};
  FindingFixes fixes{};  // of the findings in the file itself; none where they are not asked for
};

// What was found for any of the architectures, each cause once, in the order of the text.
std::vector<session::Finding> findings(const CheckedFile& file);

// Findings of the simulator that are silenced, each once, with the anchors of their places.
struct SilencedFinding {
  const session::Silenced* silenced = nullptr;
  session::Finding finding;
};
std::vector<SilencedFinding> silenced_findings(const CheckedFile& file);
// "1 finding silenced".
std::string silenced_words(std::size_t findings);

// Functions of a file that look like kernels and were not looked at, each with why.
std::vector<script::Unchecked> unchecked_functions(const CheckedFile& file);
// "2 functions not checked".
std::string unchecked_words(std::size_t functions);

// "fixes of 2 findings not tried for lack of time".
std::string untried_words(std::size_t findings);

// What an answer about kernels does not cover. It is said wherever "no errors" could be taken for "correct".
struct NotChecked {
  std::string_view what = "synchronisation";
  std::string words = "synchronisation not checked";
};
// Of so many kernels: nothing when there are none, or when all of it was looked at.
std::optional<NotChecked> not_checked(std::size_t kernels, std::optional<std::size_t> untried);

// "2 errors, 1 warning in 3 files with 5 kernels; synchronisation not checked".
struct Summary {
  std::size_t errors = 0, warnings = 0, files = 0, kernels = 0;
  std::size_t passed_over = 0;  // Python files that are no tile scripts
  std::optional<std::size_t> untried{};
  std::size_t unchecked = 0;  // functions that look like kernels and were not looked at
  std::size_t silenced = 0;   // findings of the simulator

  void add(const CheckedFile& file);
  void add(const Summary& other);
  std::string text() const;
};

}  // namespace tilewright::work
