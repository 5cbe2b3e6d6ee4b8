#include "compiler/run/job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewright::run {
namespace {

using Json = nlohmann::ordered_json;
using toolchain::field;
using toolchain::Record;
using toolchain::take;

constexpr std::string_view kRoles[] = {"input", "output", "inout"};
constexpr std::string_view kKinds[] = {"pointer", "scalar", "tensor_map"};
constexpr std::string_view kStatuses[] = {"done", "no_driver", "not_launched", "fault", "timeout", "stopped", "lost"};

template <class Enum, std::size_t N>
Enum named(const std::string_view (&names)[N], const std::string& name) {
  auto at = std::ranges::find(names, name);
  if (at == std::end(names)) throw std::invalid_argument("unknown word '" + name + "'");
  return static_cast<Enum>(at - names);
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string from_hex(const std::string& text) {
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw std::invalid_argument("a scalar is hexadecimal");
  };
  if (text.size() % 2) throw std::invalid_argument("a scalar has whole bytes");
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  return out;
}

std::array<std::int64_t, 3> three(const Json& j, const char* what, std::int64_t limit) {
  if (!j.is_array() || j.size() != 3) throw std::invalid_argument(std::string(what) + " has three numbers");
  std::array<std::int64_t, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = j[i].get<std::int64_t>();
    if (out[i] < 1 || out[i] > limit) throw std::invalid_argument(std::string(what) + " is out of range");
  }
  return out;
}

Json plan_json(const Job& job) {
  Json buffers = Json::array(), params = Json::array(), maps = Json::array();
  for (const JobBuffer& b : job.buffers)
    buffers.push_back({{"name", b.name}, {"bytes", b.bytes}, {"role", kRoles[static_cast<int>(b.role)]}});
  for (const JobParam& p : job.params) {
    Json j{{"kind", kKinds[static_cast<int>(p.kind)]}};
    if (p.kind == JobParam::Kind::Scalar) {
      j["bytes"] = to_hex(p.scalar);
    } else {
      j["index"] = p.index;
      if (p.byte_offset) j["byte_offset"] = p.byte_offset;
    }
    params.push_back(j);
  }
  for (const JobTensorMap& m : job.tensor_maps) {
    maps.push_back({{"buffer", m.buffer},
                    {"byte_offset", m.byte_offset},
                    {"dtype", m.dtype},
                    {"dims", m.dims},
                    {"strides", m.strides},
                    {"box", m.box},
                    {"element_strides", m.element_strides},
                    {"interleave", m.interleave},
                    {"swizzle", m.swizzle},
                    {"l2_promotion", m.l2_promotion},
                    {"oob_fill", m.oob_fill}});
  }
  Json out{{"symbol", job.symbol},
           {"grid", job.grid},
           {"block", job.block},
           {"cluster", job.cluster},
           {"dynamic_shared_bytes", job.dynamic_shared_bytes},
           {"buffers", buffers},
           {"params", params},
           {"tensor_maps", maps}};
  if (job.preferred_cluster) out["preferred_cluster"] = *job.preferred_cluster;
  if (job.cooperative) out["cooperative"] = true;
  if (job.programmatic_dependent_launch) out["programmatic_dependent_launch"] = true;
  return out;
}

// Throws std::exception (of the JSON library or invalid_argument).
Job plan_of(const Json& j) {
  constexpr std::int64_t kGrid = (std::int64_t{1} << 31) - 1;
  constexpr std::int64_t kBytes = std::int64_t{1} << 40;
  Job job;
  job.symbol = j.at("symbol").get<std::string>();
  job.grid = three(j.at("grid"), "grid", kGrid);
  job.block = three(j.at("block"), "block", 1024);
  job.cluster = three(j.at("cluster"), "cluster", 16);
  if (j.contains("preferred_cluster"))
    job.preferred_cluster = three(j.at("preferred_cluster"), "preferred_cluster", 16);
  job.cooperative = j.value("cooperative", false);
  job.programmatic_dependent_launch = j.value("programmatic_dependent_launch", false);
  job.dynamic_shared_bytes = j.at("dynamic_shared_bytes").get<std::int64_t>();
  if (job.dynamic_shared_bytes < 0 || job.dynamic_shared_bytes > (1 << 20))
    throw std::invalid_argument("dynamic_shared_bytes is out of range");
  for (const Json& b : j.at("buffers")) {
    JobBuffer& buffer = job.buffers.emplace_back();
    buffer.name = b.at("name").get<std::string>();
    buffer.bytes = b.at("bytes").get<std::int64_t>();
    if (buffer.bytes < 0 || buffer.bytes > kBytes) throw std::invalid_argument("bytes of a buffer are out of range");
    buffer.role = named<Role>(kRoles, b.at("role").get<std::string>());
  }
  for (const Json& m : j.at("tensor_maps")) {
    JobTensorMap& map = job.tensor_maps.emplace_back();
    map.buffer = m.at("buffer").get<int>();
    map.byte_offset = m.at("byte_offset").get<std::int64_t>();
    map.dtype = m.at("dtype").get<int>();
    map.dims = m.at("dims").get<std::vector<std::uint64_t>>();
    map.strides = m.at("strides").get<std::vector<std::uint64_t>>();
    map.box = m.at("box").get<std::vector<std::uint32_t>>();
    map.element_strides = m.at("element_strides").get<std::vector<std::uint32_t>>();
    map.interleave = m.at("interleave").get<int>();
    map.swizzle = m.at("swizzle").get<int>();
    map.l2_promotion = m.at("l2_promotion").get<int>();
    map.oob_fill = m.at("oob_fill").get<int>();
    std::size_t rank = map.dims.size();
    if (rank < 1 || rank > 5 || map.strides.size() + 1 != rank || map.box.size() != rank ||
        map.element_strides.size() != rank)
      throw std::invalid_argument("a tensor map has ranks that do not fit each other");
    if (map.buffer < 0 || static_cast<std::size_t>(map.buffer) >= job.buffers.size())
      throw std::invalid_argument("a tensor map names a buffer that does not exist");
  }
  for (const Json& p : j.at("params")) {
    JobParam& param = job.params.emplace_back();
    param.kind = named<JobParam::Kind>(kKinds, p.at("kind").get<std::string>());
    if (param.kind == JobParam::Kind::Scalar) {
      param.scalar = from_hex(p.at("bytes").get<std::string>());
      continue;
    }
    param.index = p.at("index").get<int>();
    param.byte_offset = p.value("byte_offset", std::int64_t{0});
    std::size_t count = param.kind == JobParam::Kind::Pointer ? job.buffers.size() : job.tensor_maps.size();
    if (param.index < 0 || static_cast<std::size_t>(param.index) >= count)
      throw std::invalid_argument("a parameter names something that does not exist");
  }
  return job;
}

// Runs `read`; what it throws becomes the error.
template <class F>
auto guarded(F&& read) -> std::expected<decltype(read()), std::string> {
  try {
    return read();
  } catch (const std::exception& e) {
    return std::unexpected(std::string("not a launch: ") + e.what());
  }
}

}  // namespace

std::string_view status_name(Status status) { return kStatuses[static_cast<int>(status)]; }

std::string plan_to_json(const Job& job) { return plan_json(job).dump(1); }
std::expected<Job, std::string> plan_from_json(std::string_view json) {
  return guarded([&] { return plan_of(Json::parse(json)); });
}

std::string DeviceInfo::arch() const { return "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : ""); }

Record encode(const Job& job) {
  Json plan = plan_json(job);
  plan["warmups"] = job.warmups;
  plan["repeats"] = job.repeats;
  Record record{{"op", "run"}, {"plan", plan.dump()}, {"cubin", job.cubin}};
  for (const JobBuffer& b : job.buffers) record.emplace_back("contents", b.contents);
  return record;
}

std::expected<Job, std::string> decode_job(const Record& record) {
  return guarded([&] {
    Json plan = Json::parse(field(record, "plan"));
    Job job = plan_of(plan);
    job.warmups = std::clamp(plan.value("warmups", 0), 0, 1000);
    job.repeats = std::clamp(plan.value("repeats", 0), 0, 10000);
    job.cubin = field(record, "cubin");
    std::size_t at = 0;
    for (const auto& [name, value] : record) {
      if (name != "contents") continue;
      if (at >= job.buffers.size()) throw std::invalid_argument("more contents than buffers");
      JobBuffer& buffer = job.buffers[at++];
      buffer.contents = value;
      std::size_t expected = buffer.role == Role::Output ? 0 : static_cast<std::size_t>(buffer.bytes);
      if (value.size() != expected) throw std::invalid_argument("contents of " + buffer.name + " have the wrong size");
    }
    if (at != job.buffers.size()) throw std::invalid_argument("fewer contents than buffers");
    return job;
  });
}

Record encode(const Outcome& outcome) {
  Json buffers = Json::array();
  for (const BufferOutcome& b : outcome.buffers)
    buffers.push_back({b.guard_damage, b.guard_first, b.unwritten, b.changed, b.unstable});
  Json plain{{"status", kStatuses[static_cast<int>(outcome.status)]},
             {"buffers", buffers},
             {"microseconds", outcome.microseconds}};
  Record record{
      {"outcome", plain.dump()}, {"message", outcome.message}, {"error", outcome.error}, {"printed", outcome.printed}};
  for (const BufferOutcome& b : outcome.buffers) record.emplace_back("contents", b.contents);
  return record;
}

std::expected<Outcome, std::string> decode_outcome(Record record) {
  return guarded([&] {
    Json plain = Json::parse(field(record, "outcome"));
    Outcome out;
    out.status = named<Status>(kStatuses, plain.at("status").get<std::string>());
    out.microseconds = plain.at("microseconds").get<std::vector<double>>();
    out.message = take(record, "message");
    out.error = take(record, "error");
    out.printed = take(record, "printed");
    for (const Json& b : plain.at("buffers")) {
      out.buffers.push_back({{},
                             b.at(0).get<std::int64_t>(),
                             b.at(1).get<std::int64_t>(),
                             b.at(2).get<std::int64_t>(),
                             b.at(3).get<std::int64_t>(),
                             b.at(4).get<std::int64_t>()});
    }
    std::size_t at = 0;
    for (auto& [name, value] : record) {
      if (name == "contents" && at < out.buffers.size()) out.buffers[at++].contents = std::move(value);
    }
    return out;
  });
}

Record encode(const DeviceInfo& d) {
  Json plain{{"name", d.name},
             {"major", d.major},
             {"minor", d.minor},
             {"driver_version", d.driver_version},
             {"multiprocessors", d.multiprocessors},
             {"memory_bytes", d.memory_bytes},
             {"l2_bytes", d.l2_bytes},
             {"shared_bytes_per_block", d.shared_bytes_per_block},
             {"bandwidth", d.bandwidth}};
  return {{"device", plain.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

std::expected<DeviceInfo, std::string> decode_device(const Record& record) {
  return guarded([&] {
    Json j = Json::parse(field(record, "device"));
    DeviceInfo d;
    d.name = j.at("name").get<std::string>();
    d.major = j.at("major").get<int>();
    d.minor = j.at("minor").get<int>();
    d.driver_version = j.at("driver_version").get<int>();
    d.multiprocessors = j.at("multiprocessors").get<int>();
    d.memory_bytes = j.at("memory_bytes").get<std::int64_t>();
    d.l2_bytes = j.at("l2_bytes").get<std::int64_t>();
    d.shared_bytes_per_block = j.at("shared_bytes_per_block").get<std::int64_t>();
    d.bandwidth = j.at("bandwidth").get<double>();
    return d;
  });
}

}  // namespace tilewright::run
