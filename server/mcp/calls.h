// Tile primitives of a script as answers tell them.
#pragma once
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/look.h"
#include "server/mcp/tool.h"

namespace tilewright::mcp {

struct FoundCall {
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
  const dispatch::CallReport* report = nullptr;
  std::uint32_t line = 0;  // of the script itself, from 1; 0: it is not written there
};
struct FoundCalls {
  std::shared_ptr<const session::Analysis> analysis;  // keeps what the list points to
  std::vector<FoundCall> list;
  std::string why_none;  // " on this line; there are some on lines 20, 24": of an empty list
};
// Those of the arguments' `line` and `entry`; one that reads alike for several kernels once. The error: stopped.
std::expected<FoundCalls, std::string> calls_at(const Question& question);

// `whole`: with operands, threads and the reasons of the variants that do not serve it.
Item call_item(const FoundCall& call, bool whole);
std::string_view call_schema();

}  // namespace tilewright::mcp
