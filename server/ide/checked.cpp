#include "server/ide/checked.h"

namespace tilewright::ide {
namespace {

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

}  // namespace

std::vector<session::Finding> findings(const CheckedFile& file) { return session::findings(file.compiled, file.path); }

void Summary::add(const CheckedFile& file) {
  ++files;
  if (!file.compiled.empty()) kernels += file.compiled.front().kernels.size();
  for (const auto& [diagnostic, anchors, target] : findings(file)) {
    errors += diagnostic->severity == text::Severity::Error;
    warnings += diagnostic->severity == text::Severity::Warning;
  }
}

void Summary::add(const Summary& other) {
  errors += other.errors;
  warnings += other.warnings;
  files += other.files;
  kernels += other.kernels;
  passed_over += other.passed_over;
}

std::string Summary::text() const {
  std::string out = counted(errors, "error") + ", " + counted(warnings, "warning") + " in " + counted(files, "file") +
                    " with " + counted(kernels, "kernel");
  if (passed_over) out += "; " + counted(passed_over, "other Python file") + " without tile scripts";
  if (kernels) {
    for (const NotChecked& left_out : kNotChecked) out += "; " + std::string(left_out.words);
  }
  return out + "\n";
}

}  // namespace tilewright::ide
