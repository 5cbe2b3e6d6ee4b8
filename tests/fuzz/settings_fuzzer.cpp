// Any bytes are a settings file: they are settings, or an error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/project/config.h"
#include "server/project/run_targets.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto config = project::parse_config(std::string_view(reinterpret_cast<const char*>(data), size), "tilewright.toml");
  if (!config) {
    if (!config.error().starts_with("tilewright.toml")) std::abort();
    return 0;
  }
  if (config->limits.depth == 0 || config->limits.depth > text::Limits().depth) std::abort();
  if (config->limits.steps == 0 || config->limits.memory_bytes == 0) std::abort();
  for (const std::string& name : project::run_targets(*config)) {
    if (name.empty()) std::abort();
  }
  return 0;
}
