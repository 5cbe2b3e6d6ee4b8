// What several tools say in the same words: findings, places, kernels.
#pragma once
#include <string>
#include <string_view>

#include "compiler/text/amounts.h"
#include "server/ide/diagnostics.h"
#include "server/ide/view.h"
#include "server/mcp/tool.h"

namespace tilewright::mcp {

using text::counted;

// Lines and columns from 1, columns in code points.
text::LineColumn place_in(const text::Source& source, std::uint32_t offset);

// {severity, code, line, column, message, hint, fix, related} and the same as lines.
Item finding_item(const Question& question, const ide::Diagnostic& finding);
Item finding_item(const Question& question, const text::Diagnostic& said, const text::Anchors& anchors);
// The members of that item, for schemas of answers.
std::string_view finding_schema();

// The entry that is asked for by `entry` and `arch`. The error lists those that there are.
struct Chosen {
  std::shared_ptr<const session::Analysis> analysis;
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
};
std::expected<Chosen, std::string> chosen_kernel(const Subject& subject, const Arguments& arguments);

// Where the script cannot be analysed: it was stopped.
inline constexpr const char* kStopped = "stopped";

}  // namespace tilewright::mcp
