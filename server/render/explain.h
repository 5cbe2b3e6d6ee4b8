// The answers of `tilewright explain` as JSON (protocol/schema/explain.json).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/render/json.h"

namespace tilewright::render {

struct ExplainedCall {
  const dispatch::CallReport* call = nullptr;
  std::string width{};  // why it moves as many bytes at a time as it does; empty: nothing is known
};
// The calls of one kernel that are explained.
struct ExplainedKernel {
  const session::CompiledKernel* kernel = nullptr;
  std::vector<ExplainedCall> calls{};
};

Json explained_json(std::span<const ExplainedKernel> kernels, const session::Compiled& compiled);
Json explained_code_json(const text::CodeInfo& code);
// Of a descriptor of a matrix unit, `what` as it was written.
Json explained_descriptor_json(std::string_view what, std::string_view text);
// A file that could not be looked at.
Json not_explained_json(std::string_view file, std::string_view message);

}  // namespace tilewright::render
