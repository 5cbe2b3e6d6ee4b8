// The answer of `tilewright remotes` as JSON (protocol/schema/remotes.json), and words about it.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/executor.h"
#include "server/remote/health.h"
#include "server/render/json.h"

namespace tilewright::render {

// A pool of the settings that was asked for.
struct PoolHealth {
  std::string name;
  std::vector<std::string> members;
  bool healthy = false;  // all of its members are
};

// `settings`: the file that names them; may be empty.
Json remotes_json(const std::string& settings, std::span<const remote::Health> remotes,
                  std::span<const PoolHealth> pools);

// The GPUs of a remote that answered.
std::vector<run::DeviceInfo> devices_of(const remote::Health& health);
// CUDA counts 13.1 as 13010.
std::string cuda_version(int number);

}  // namespace tilewright::render
