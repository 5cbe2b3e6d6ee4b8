#include "server/work/checked.h"

#include <set>
#include <tuple>

#include "compiler/text/amounts.h"

namespace tilewright::work {
std::vector<session::Finding> findings(const CheckedFile& file) { return session::findings(file.compiled, file.path); }

std::vector<SilencedFinding> silenced_findings(const CheckedFile& file) {
  std::vector<SilencedFinding> out;
  std::set<std::tuple<std::string_view, std::uint32_t, std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < file.compiled.size(); ++i) {
    const text::Anchors& anchors = file.compiled[i].evaluation->anchors;
    for (const session::Silenced& s : file.compiled[i].silenced) {
      const text::Anchors::Place at = anchors.resolve(s.diagnostic.span);
      const std::string_view path = at.source ? std::string_view(at.source->path()) : std::string_view();
      if (seen.emplace(path, at.begin, s.diagnostic.code, s.diagnostic.message).second)
        out.push_back({&s, {&s.diagnostic, &anchors, i}});
    }
  }
  return out;
}

std::string silenced_words(std::size_t findings) { return text::counted(findings, "finding") + " silenced"; }

std::vector<script::Unchecked> unchecked_functions(const CheckedFile& file) {
  if (file.compiled.empty() || !file.compiled.front().evaluation) return {};
  return file.compiled.front().evaluation->unchecked;
}

std::string unchecked_words(std::size_t functions) { return text::counted(functions, "function") + " not checked"; }

std::string untried_words(std::size_t findings) {
  return "fixes of " + text::counted(findings, "finding") + " not tried for lack of time";
}

std::optional<NotChecked> not_checked(std::size_t kernels, std::optional<std::size_t> untried) {
  if (kernels == 0 || untried == 0) return std::nullopt;
  if (!untried) return NotChecked{};
  return NotChecked{.words = "synchronisation not wholly checked in " + std::to_string(*untried) + " of " +
                             text::counted(kernels, "kernel")};
}

void Summary::add(const CheckedFile& file) {
  ++files;
  unchecked += unchecked_functions(file).size();
  silenced += silenced_findings(file).size();
  if (file.untried) untried = untried.value_or(0) + *file.untried;
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
  unchecked += other.unchecked;
  silenced += other.silenced;
  if (other.untried) untried = untried.value_or(0) + *other.untried;
}

std::string Summary::text() const {
  std::string out = text::counted(errors, "error") + ", " + text::counted(warnings, "warning") + " in " +
                    text::counted(files, "file") + " with " + text::counted(kernels, "kernel");
  if (passed_over) out += "; " + text::counted(passed_over, "other Python file") + " without tile scripts";
  if (unchecked) out += "; " + unchecked_words(unchecked);
  if (auto left_out = not_checked(kernels, untried)) out += "; " + left_out->words;
  if (silenced) out += "; " + silenced_words(silenced);
  if (kernels && untried == 0 && !silenced) out += "; synchronisation checked";
  return out + "\n";
}

}  // namespace tilewright::work
