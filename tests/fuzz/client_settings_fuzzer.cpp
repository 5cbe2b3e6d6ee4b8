// Any JSON is what an editor says of the settings in its section `tilewright`: what fits is taken, the rest is named.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/ir/target.h"
#include "server/lsp/client_settings.h"

using namespace tilewright;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void demand_targets(const std::vector<std::string>& names) {
  for (const std::string& name : names) demand(ir::parse_target(name).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // As it arrives: within a message, whose numbers and depth are looked at.
  const std::string message = R"({"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":)" +
                              std::string(reinterpret_cast<const char*>(data), size) + "}}";
  const protocol::Message read = protocol::parse_message(message);
  if (read.kind != protocol::Message::Kind::Notification || !read.params.is_object()) return 0;
  const auto section = read.params.find("settings");
  if (section == read.params.end()) return 0;
  std::string problem;
  const project::ClientSettings settings = lsp::read_client_settings(*section, problem);
  demand(problem.empty() || problem.contains("tilewright"));
  demand(section->is_object() || section->is_null() || !problem.empty());
  demand_targets(settings.architectures);
  for (const auto& [path, names] : settings.architectures_of) {
    demand(!names.empty());
    demand_targets(names);
  }
  for (const std::string& entry : settings.entries) demand(!entry.empty());
  return 0;
}
