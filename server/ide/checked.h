// A file that was checked, and what that found: for reports of many files.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/findings.h"

namespace tilewright::ide {

// One file, compiled once for each architecture.
struct CheckedFile {
  std::string path;
  std::vector<session::Compiled> compiled;
};

// What was found for any of the architectures, each cause once, in the order of the text.
std::vector<session::Finding> findings(const CheckedFile& file);

// What no answer about a kernel covers yet. It is said wherever "no errors" could be taken for "correct".
struct NotChecked {
  std::string_view what, words;
};
inline constexpr NotChecked kNotChecked[] = {{"synchronisation", "synchronisation not checked"}};

// "2 errors, 1 warning in 3 files with 5 kernels; synchronisation not checked".
struct Summary {
  std::size_t errors = 0, warnings = 0, files = 0, kernels = 0;
  std::size_t passed_over = 0;  // Python files that are no tile scripts

  void add(const CheckedFile& file);
  void add(const Summary& other);
  std::string text() const;
};

}  // namespace tilewright::ide
