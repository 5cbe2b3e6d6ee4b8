#include "server/render/remotes.h"

#include <algorithm>

#include "compiler/run/job_json.h"

namespace tilewright::render {
namespace {

std::string_view kind_name(remote::Kind kind) {
  switch (kind) {
    case remote::Kind::Ssh: return "ssh";
    case remote::Kind::Exec: return "exec";
    case remote::Kind::Tls: return "tls";
    case remote::Kind::Tcp: return "tcp";
    case remote::Kind::Unix: return "unix";
    case remote::Kind::Slurm: return "slurm";
  }
  return {};
}

Json health_json(const remote::Health& h) {
  Json out{{"name", h.place.name},   {"kind", kind_name(h.place.kind)}, {"address", h.place.address},
           {"healthy", h.healthy()}, {"problem", h.problem.message},    {"remedy", h.problem.hint}};
  if (!h.healthy()) return out;
  Json gpus = Json::array();
  for (const run::DeviceInfo& d : devices_of(h)) {
    gpus.push_back({{"name", d.name},
                    {"compute_capability", std::to_string(d.major) + "." + std::to_string(d.minor)},
                    {"cuda", cuda_version(d.driver_version)},
                    {"memory_bytes", d.memory_bytes}});
  }
  out.update({{"host", h.worker.host},
              {"version", h.worker.version},
              {"executes", h.worker.executes},
              {"compiles", h.worker.compiles},
              {"compiler", h.worker.compiler},
              {"gpus", gpus},
              {"slots", h.slots},
              {"running", h.status.running},
              {"queued", h.status.queued},
              {"done", h.status.done},
              {"connect_ms", h.connect_seconds * 1e3},
              {"latency_ms", h.latency_seconds * 1e3}});
  return out;
}

}  // namespace

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::vector<run::DeviceInfo> devices_of(const remote::Health& health) {
  std::vector<run::DeviceInfo> out;
  for (const auto& json : health.worker.devices)
    if (auto device = run::device_of(Json(json))) out.push_back(*device);
  return out;
}

Json remotes_json(const std::string& settings, std::span<const remote::Health> remotes,
                  std::span<const PoolHealth> pools) {
  Json list = Json::array(), of_pools = Json::array();
  for (const remote::Health& h : remotes) list.push_back(health_json(h));
  for (const PoolHealth& pool : pools)
    of_pools.push_back({{"name", pool.name}, {"members", pool.members}, {"healthy", pool.healthy}});
  return {{"settings", settings},
          {"healthy", std::ranges::all_of(remotes, &remote::Health::healthy)},
          {"remotes", std::move(list)},
          {"pools", std::move(of_pools)}};
}

}  // namespace tilewright::render
