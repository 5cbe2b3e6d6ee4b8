#include "compiler/run/job.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "compiler/process/fd.h"
#include "compiler/run/job_json.h"
#include "compiler/text/json_reader.h"
#include "compiler/text/words.h"

namespace tilewright::run {
namespace {

using text::Json;
using text::JsonReader;
using toolchain::field;
using toolchain::Record;
using toolchain::take;

// Ranges of what another process or machine says.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;  // of a buffer, and of places around it
constexpr std::size_t kMostBuffers = 1024, kMostLaunches = 1024, kMostTimes = 20'000;

constexpr auto kKinds = text::words_of<JobParam::Kind>({"pointer", "scalar", "tensor_map"});
constexpr auto kStatuses =
    text::words_of<Status>({"done", "no_driver", "not_launched", "fault", "timeout", "stopped", "lost", "incomplete"});

template <class Enum, std::size_t N>
Enum named(JsonReader& r, const text::Words<Enum, N>& words, const std::string& word) {
  const std::optional<Enum> found = words.find(word);
  r.require(found.has_value(), "unknown word '" + word + "'");
  return r.ok() ? *found : Enum{};
}

// A list that an older release leaves out.
Json list_or(JsonReader& r, const Json& j, std::string_view name, const Json& otherwise) {
  return j.contains(name) ? r.at(j, name) : otherwise;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string from_hex(JsonReader& r, const std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  r.require(text.size() % 2 == 0, "a scalar has whole bytes");
  r.require(text.find_first_not_of(kDigits) == std::string::npos, "a scalar is hexadecimal");
  if (!r.ok()) return {};
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2)
    out += static_cast<char>(kDigits.find(text[i]) * 16 + kDigits.find(text[i + 1]));
  return out;
}

std::array<std::int64_t, 3> three(JsonReader& r, const Json& j, const char* what, std::int64_t limit) {
  std::array<std::int64_t, 3> out{};
  r.require(j.is_array() && j.size() == 3, std::string(what) + " has three numbers");
  for (std::size_t i = 0; i < 3 && r.ok(); ++i) {
    out[i] = r.get<std::int64_t>(j, i);
    r.require(out[i] >= 1 && out[i] <= limit, std::string(what) + " is out of range");
  }
  return out;
}

Json map_json(const JobTensorMap& m) {
  Json j{{"buffer", m.buffer},
         {"byte_offset", m.byte_offset},
         {"dtype", m.dtype},
         {"dims", m.dims},
         {"strides", m.strides},
         {"box", m.box},
         {"element_strides", m.element_strides},
         {"interleave", m.interleave},
         {"swizzle", m.swizzle},
         {"l2_promotion", m.l2_promotion},
         {"oob_fill", m.oob_fill}};
  if (m.place != lower::MapPlace::Parameter) j["place"] = lower::map_place_word(m.place);
  if (!m.symbol.empty()) j["symbol"] = m.symbol;
  return j;
}

Json buffers_json(const Job& job) {
  Json out = Json::array();
  for (const JobBuffer& b : job.buffers)
    out.push_back({{"name", b.name}, {"bytes", b.bytes}, {"role", kRoleWords[b.role]}});
  return out;
}

Json launch_json(const JobLaunch& launch) {
  Json params = Json::array(), maps = Json::array();
  for (const JobParam& p : launch.params) {
    Json j{{"kind", kKinds[p.kind]}};
    if (p.kind == JobParam::Kind::Scalar) {
      j["bytes"] = to_hex(p.scalar);
    } else {
      j["index"] = p.index;
      if (p.byte_offset) j["byte_offset"] = p.byte_offset;
    }
    params.push_back(j);
  }
  for (const JobTensorMap& m : launch.tensor_maps) maps.push_back(map_json(m));
  Json out{{"symbol", launch.symbol},
           {"grid", launch.grid},
           {"block", launch.block},
           {"cluster", launch.cluster},
           {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
           {"params", params},
           {"tensor_maps", maps}};
  if (launch.preferred_cluster) out["preferred_cluster"] = *launch.preferred_cluster;
  if (launch.cooperative) out["cooperative"] = true;
  if (launch.programmatic_dependent_launch) out["programmatic_dependent_launch"] = true;
  return out;
}

Json plan_json(const Job& job) {
  Json out = Json::object();
  if (job.launches.size() == 1) {
    out = launch_json(job.launches.front());
  } else {
    out["launches"] = Json::array();
    for (const JobLaunch& launch : job.launches) out["launches"].push_back(launch_json(launch));
  }
  out["buffers"] = buffers_json(job);
  return out;
}

JobTensorMap map_of(JsonReader& r, const Json& m, std::size_t buffers) {
  JobTensorMap map;
  map.buffer = r.get<int>(m, "buffer");
  map.byte_offset = r.get<std::int64_t>(m, "byte_offset");
  map.dtype = r.get<int>(m, "dtype");
  map.dims = r.get<std::vector<std::uint64_t>>(m, "dims");
  map.strides = r.get<std::vector<std::uint64_t>>(m, "strides");
  map.box = r.get<std::vector<std::uint32_t>>(m, "box");
  map.element_strides = r.get<std::vector<std::uint32_t>>(m, "element_strides");
  map.interleave = r.get<int>(m, "interleave");
  map.swizzle = r.get<int>(m, "swizzle");
  map.l2_promotion = r.get<int>(m, "l2_promotion");
  map.oob_fill = r.get<int>(m, "oob_fill");
  r.bounds("byte_offset of a tensor map", map.byte_offset, -kMostBytes, kMostBytes);
  for (int word : {map.dtype, map.interleave, map.swizzle, map.l2_promotion, map.oob_fill})
    r.bounds("a word of a tensor map", word, 0, 255);
  const auto place = lower::map_place(r.value<std::string>(m, "place", "parameter"));
  r.require(place.has_value(), "a tensor map lies nowhere known");
  map.place = place.value_or(lower::MapPlace::Parameter);
  map.symbol = r.value<std::string>(m, "symbol", "");
  const std::size_t rank = map.dims.size();
  r.require(rank >= 1 && rank <= 5 && map.strides.size() + 1 == rank && map.box.size() == rank &&
                map.element_strides.size() == rank,
            "a tensor map has ranks that do not fit each other");
  r.require(map.buffer >= 0 && static_cast<std::size_t>(map.buffer) < buffers,
            "a tensor map names a buffer that does not exist");
  return map;
}

JobParam param_of(JsonReader& r, const Json& p, std::size_t buffers, std::size_t maps) {
  JobParam param;
  param.kind = named(r, kKinds, r.get<std::string>(p, "kind"));
  if (param.kind == JobParam::Kind::Scalar) {
    param.scalar = from_hex(r, r.get<std::string>(p, "bytes"));
    return param;
  }
  param.index = r.get<int>(p, "index");
  param.byte_offset = r.value(p, "byte_offset", std::int64_t{0});
  r.bounds("byte_offset of a parameter", param.byte_offset, -kMostBytes, kMostBytes);
  const std::size_t count = param.kind == JobParam::Kind::Pointer ? buffers : maps;
  r.require(param.index >= 0 && static_cast<std::size_t>(param.index) < count,
            "a parameter names something that does not exist");
  return param;
}

JobLaunch launch_of(JsonReader& r, const Json& j, std::size_t buffers) {
  constexpr std::int64_t kGrid = (std::int64_t{1} << 31) - 1;
  JobLaunch launch;
  launch.symbol = r.get<std::string>(j, "symbol");
  launch.grid = three(r, r.at(j, "grid"), "grid", kGrid);
  launch.block = three(r, r.at(j, "block"), "block", 1024);
  launch.cluster = three(r, r.at(j, "cluster"), "cluster", 16);
  if (j.contains("preferred_cluster"))
    launch.preferred_cluster = three(r, r.at(j, "preferred_cluster"), "preferred_cluster", 16);
  launch.cooperative = r.value(j, "cooperative", false);
  launch.programmatic_dependent_launch = r.value(j, "programmatic_dependent_launch", false);
  launch.dynamic_shared_bytes = r.get<std::int64_t>(j, "dynamic_shared_bytes");
  r.require(launch.dynamic_shared_bytes >= 0 && launch.dynamic_shared_bytes <= (1 << 20),
            "dynamic_shared_bytes is out of range");
  const Json& maps = r.at(j, "tensor_maps");
  r.count("tensor maps", maps, kMostBuffers);
  const Json& params = r.at(j, "params");
  r.count("parameters", params, 4 * kMostBuffers);
  if (!r.ok()) return launch;
  for (const Json& m : maps) launch.tensor_maps.push_back(map_of(r, m, buffers));
  for (const Json& p : params) launch.params.push_back(param_of(r, p, buffers, launch.tensor_maps.size()));
  return launch;
}

// Of at most so many.
std::vector<JobLaunch> launches_of(JsonReader& r, const Json& list, const char* what, std::size_t buffers) {
  std::vector<JobLaunch> out;
  r.count(what, list, kMostLaunches);
  if (!r.ok()) return out;
  for (const Json& launch : list) out.push_back(launch_of(r, launch, buffers));
  return out;
}

Job plan_of(JsonReader& r, const Json& j) {
  Job job;
  const Json& buffers = r.at(j, "buffers");
  r.count("buffers", buffers, kMostBuffers);
  if (!r.ok()) return job;
  for (const Json& b : buffers) {
    JobBuffer& buffer = job.buffers.emplace_back();
    buffer.name = r.get<std::string>(b, "name");
    buffer.bytes = r.get<std::int64_t>(b, "bytes");
    r.require(buffer.bytes >= 0 && buffer.bytes <= kMostBytes, "bytes of a buffer are out of range");
    buffer.role = named(r, kRoleWords, r.get<std::string>(b, "role"));
  }
  if (!j.contains("launches")) {
    job.launches.push_back(launch_of(r, j, job.buffers.size()));
    return job;
  }
  job.launches = launches_of(r, r.at(j, "launches"), "launches", job.buffers.size());
  r.require(!job.launches.empty(), "nothing is launched");
  return job;
}

Json written_order(const Job& job) {
  Json plan = plan_json(job);
  plan["warmups"] = job.warmups;
  plan["repeats"] = job.repeats;
  plan["copy_bytes"] = job.copy_bytes;
  plan["schedules"] = job.schedules;
  plan["samples"] = job.samples;
  plan["turns"] = Json::array();
  for (const JobBuffer& b : job.buffers) plan["turns"].push_back(b.turn);
  plan["rivals"] = Json::array();
  for (const JobLaunch& launch : job.rivals) plan["rivals"].push_back(launch_json(launch));
  plan["marked"] = Json::array();
  for (const JobLaunch& launch : job.marked) plan["marked"].push_back(launch_json(launch));
  return plan;
}

Job read_order(JsonReader& r, const Json& plan) {
  Job job = plan_of(r, plan);
  job.warmups = std::clamp(r.value(plan, "warmups", 0), 0, 1000);
  job.repeats = std::clamp(r.value(plan, "repeats", 0), 0, 10000);
  job.schedules = std::clamp(r.value(plan, "schedules", 0), 0, 10000);
  job.samples = r.value(plan, "samples", false);
  job.copy_bytes = std::clamp<std::int64_t>(r.value(plan, "copy_bytes", std::int64_t{0}), 0, std::int64_t{1} << 40);
  const Json turns = list_or(r, plan, "turns", Json::array());
  r.count("turns", turns, job.buffers.size());
  for (std::size_t i = 0; i < turns.size() && r.ok(); ++i)
    job.buffers[i].turn = std::clamp<std::int64_t>(r.get<std::int64_t>(turns, i), 0, 64);
  job.rivals = launches_of(r, list_or(r, plan, "rivals", Json::array()), "rivals", job.buffers.size());
  job.marked = launches_of(r, list_or(r, plan, "marked", Json::array()), "marked", job.buffers.size());
  return job;
}

Json measured_json(const Measured& m) {
  const Conditions& c = m.conditions;
  return {{"cold", m.cold},
          {"hot", m.hot},
          {"rival_cold", m.rival_cold},
          {"rival_hot", m.rival_hot},
          {"copy", m.copy},
          {"checked", m.checked},
          {"rival_differs", m.rival_differs},
          {"turned", m.turned},
          {"otherwise", {m.otherwise, m.rival_otherwise}},
          {"mixed", {m.mixed, m.mixed_otherwise, m.rival_mixed_otherwise}},
          {"beyond", m.beyond},
          {"persisting", m.persisting},
          {"absent", c.absent},
          {"driver", c.driver},
          {"sm", {c.sm_least, c.sm_most, c.sm_limit}},
          {"memory_clock", c.memory_clock},
          {"celsius", {c.first_celsius, c.last_celsius}},
          {"watts", c.watts},
          {"reasons", c.reasons},
          {"samples", c.samples}};
}

Measured measured_of(JsonReader& r, const Json& j) {
  Measured m;
  auto times = [&](const char* name) {
    const Json& list = r.at(j, name);
    r.count("times", list, kMostTimes);
    auto out = r.get<std::vector<double>>(list);
    for (double time : out) r.bounds("a time", time, 0, 1e15);
    return out;
  };
  m.cold = times("cold");
  m.hot = times("hot");
  m.copy = times("copy");
  m.rival_cold = times("rival_cold");
  m.rival_hot = times("rival_hot");
  m.checked = r.get<int>(j, "checked");
  m.rival_differs = r.get<std::int64_t>(j, "rival_differs");
  // A worker of an older release knows nothing of these.
  m.turned = r.value(j, "turned", 0);
  const Json otherwise = list_or(r, j, "otherwise", Json::array({0, 0}));
  m.otherwise = r.get<int>(otherwise, 0u);
  m.rival_otherwise = r.get<int>(otherwise, 1u);
  const Json mixed = list_or(r, j, "mixed", Json::array({0, 0, 0}));
  m.mixed = r.get<int>(mixed, 0u);
  m.mixed_otherwise = r.get<int>(mixed, 1u);
  m.rival_mixed_otherwise = r.get<int>(mixed, 2u);
  m.beyond = r.value(j, "beyond", 0.0);
  m.persisting = r.value(j, "persisting", std::int64_t{0});
  Conditions& c = m.conditions;
  c.absent = r.get<std::string>(j, "absent");
  c.driver = r.get<std::string>(j, "driver");
  c.sm_least = r.get<int>(r.at(j, "sm"), 0u);
  c.sm_most = r.get<int>(r.at(j, "sm"), 1u);
  c.sm_limit = r.get<int>(r.at(j, "sm"), 2u);
  c.memory_clock = r.get<int>(j, "memory_clock");
  c.first_celsius = r.get<int>(r.at(j, "celsius"), 0u);
  c.last_celsius = r.get<int>(r.at(j, "celsius"), 1u);
  c.watts = r.get<double>(j, "watts");
  c.reasons = r.get<std::uint64_t>(j, "reasons");
  c.samples = r.get<int>(j, "samples");
  r.bounds("checked", m.checked, 0, static_cast<int>(kMostTimes));
  r.bounds("turned", m.turned, 0, static_cast<int>(kMostBuffers));
  for (int launches : {m.otherwise, m.rival_otherwise, m.mixed, m.mixed_otherwise, m.rival_mixed_otherwise})
    r.bounds("launches that left something else", launches, 0, static_cast<int>(kMostTimes));
  r.bounds("a time", m.beyond, 0, 1e15);
  r.bounds("persisting", m.persisting, 0, kMostBytes);
  r.bounds("rival_differs", m.rival_differs, 0, static_cast<std::int64_t>(kMostBuffers) * kMostBytes);
  for (int megahertz : {c.sm_least, c.sm_most, c.sm_limit, c.memory_clock})
    r.bounds("a clock in megahertz", megahertz, 0, 1'000'000);
  for (int celsius : {c.first_celsius, c.last_celsius}) r.bounds("a temperature", celsius, -300, 10'000);
  r.bounds("watts", c.watts, 0, 1e6);
  r.bounds("samples", c.samples, 0, 1'000'000'000);
  return m;
}

Json samples_json(const Samples& s) {
  Json places = Json::array();
  for (const Sampled& p : s.places) places.push_back({p.launch, p.offset, p.reason, p.count});
  return {{"absent", s.absent}, {"reasons", s.reasons}, {"places", std::move(places)},
          {"taken", s.taken},   {"dropped", s.dropped}, {"elsewhere", s.elsewhere},
          {"rounds", s.rounds}, {"seconds", s.seconds}, {"period", s.period}};
}

Samples samples_of(JsonReader& r, const Json& j, const Job& job) {
  constexpr std::size_t kMostReasons = 256, kMostPlaces = 4 << 20;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;
  Samples s;
  s.absent = r.get<std::string>(j, "absent");
  const Json& reasons = r.at(j, "reasons");
  r.count("reasons", reasons, kMostReasons);
  s.reasons = r.get<std::vector<std::string>>(reasons);
  const Json& places = r.at(j, "places");
  r.count("places", places, kMostPlaces);
  if (!r.ok()) return s;
  for (const Json& p : places) {
    const auto launch = r.get<std::uint64_t>(p, 0u), offset = r.get<std::uint64_t>(p, 1u),
               reason = r.get<std::uint64_t>(p, 2u), count = r.get<std::uint64_t>(p, 3u);
    r.require(launch < job.launches.size() && reason < s.reasons.size(),
              "a sample names something that does not exist");
    r.bounds("offset of a sample", offset, std::uint64_t{0}, std::uint64_t{0xFFFFFFFF});
    r.bounds("count of a sample", count, std::uint64_t{0}, kMostCount);
    if (!r.ok()) return s;
    s.places.push_back({static_cast<std::uint32_t>(launch), static_cast<std::uint32_t>(offset),
                        static_cast<std::uint32_t>(reason), count});
  }
  s.taken = r.get<std::uint64_t>(j, "taken");
  s.dropped = r.get<std::uint64_t>(j, "dropped");
  s.elsewhere = r.get<std::uint64_t>(j, "elsewhere");
  for (std::uint64_t n : {s.taken, s.dropped, s.elsewhere})
    r.bounds("a number of samples", n, std::uint64_t{0}, kMostCount);
  s.rounds = r.get<int>(j, "rounds");
  s.seconds = r.get<double>(j, "seconds");
  s.period = r.get<int>(j, "period");
  r.bounds("rounds", s.rounds, 0, 1'000'000'000);
  r.bounds("seconds", s.seconds, 0.0, 1e9);
  r.bounds("period", s.period, 0, 31);
  return s;
}

// What `read` returns, given a reader; the error is what the reader found wrong.
template <class F>
auto guarded(F&& read) -> std::expected<decltype(read(std::declval<JsonReader&>())), std::string> {
  JsonReader r;
  auto out = read(r);
  if (!r.ok()) return std::unexpected("not a launch: " + r.wrong());
  return out;
}

}  // namespace

std::string_view status_name(Status status) { return kStatuses[status]; }

std::string plan_to_json(const Job& job) { return plan_json(job).dump(1); }
std::expected<Job, std::string> plan_from_json(std::string_view json) {
  return guarded([&](JsonReader& r) { return plan_of(r, r.parse(json)); });
}

Json order_json(const Job& job) { return written_order(job); }
std::expected<Job, std::string> order_of(const Json& json) {
  return guarded([&](JsonReader& r) { return read_order(r, json); });
}
std::string order_to_json(const Job& job) { return written_order(job).dump(); }
std::expected<Job, std::string> order_from_json(std::string_view json) {
  return guarded([&](JsonReader& r) { return read_order(r, r.parse(json)); });
}

std::string DeviceInfo::arch() const { return "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : ""); }

std::int64_t Job::bytes() const {
  std::int64_t sum = 0;
  for (const JobBuffer& b : buffers) sum += b.bytes;
  return sum;
}

std::int64_t Job::host_bytes() const {
  std::int64_t sum = 0;
  for (const JobBuffer& b : buffers)
    sum += (b.role != Role::Output ? b.bytes : 0) + (b.role != Role::Input ? b.bytes : 0);
  return sum;
}

std::int64_t default_memory_limit() {
  auto bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  std::ifstream in("/sys/fs/cgroup/memory.max");
  if (std::int64_t allowed = 0; in >> allowed && allowed > 0) bytes = std::min(bytes, allowed);
  return bytes / 2;
}

std::vector<Contents> results_for(const Job& job) {
  std::vector<Contents> out;
  for (std::size_t part = 0; part < kResultsPerBuffer; ++part)
    for (const JobBuffer& b : job.buffers)
      out.push_back(part == 0 || job.repeats > 0 ? Contents::of_size(b.bytes) : Contents());
  return out;
}

Message encode(const Job& job, std::span<const Contents> results) {
  Message out;
  Json plan = written_order(job);
  // Of each buffer the numbers of its files; an empty one has none.
  auto file = [&](const Contents& c) {
    if (c.empty()) return -1;
    out.descriptors.push_back(c.descriptor());
    return static_cast<int>(out.descriptors.size()) - 1;
  };
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    plan["buffers"][i]["given"] = file(job.buffers[i].contents);
    plan["buffers"][i]["result"] = file(results[i]);
    plan["buffers"][i]["later"] = file(results[job.buffers.size() + i]);
    plan["buffers"][i]["timed"] = file(results[2 * job.buffers.size() + i]);
    plan["buffers"][i]["alone"] = file(results[3 * job.buffers.size() + i]);
  }
  out.record = {{"op", "run"}, {"plan", plan.dump()}};
  for (const auto* launches : {&job.launches, &job.rivals, &job.marked})
    for (const JobLaunch& launch : *launches) out.record.emplace_back("cubin", launch.cubin);
  return out;
}

namespace {

// The memory of one buffer: its contents, and what becomes of it.
void take_files(JsonReader& r, const Json& plan, std::size_t i, Job& job, std::span<const process::Fd> files,
                std::array<std::vector<Contents>, kResultsPerBuffer>& results) {
  JobBuffer& buffer = job.buffers[i];
  auto file = [&](const char* which) {
    const int number = r.get<int>(r.at(r.at(plan, "buffers"), i), which);
    if (!r.ok() || number < 0 || static_cast<std::size_t>(number) >= files.size()) return Contents();
    return Contents::mapped(files[static_cast<std::size_t>(number)].get(), buffer.bytes);
  };
  auto fits = [&](const Contents& c, bool wanted) {
    return c.size() == (wanted ? static_cast<std::size_t>(buffer.bytes) : 0);
  };
  constexpr const char* kNames[kResultsPerBuffer] = {"result", "later", "timed", "alone"};
  buffer.contents = file("given");
  bool good = fits(buffer.contents, buffer.role != Role::Output);
  for (std::size_t k = 0; k < kResultsPerBuffer; ++k) {
    results[k].push_back(file(kNames[k]));
    good &= fits(results[k].back(), k == 0 || job.repeats > 0);
  }
  r.require(good, "contents of " + buffer.name + " have the wrong size");
}

}  // namespace

std::expected<ReceivedJob, std::string> decode_job(const Record& record, std::span<const process::Fd> files) {
  return guarded([&](JsonReader& r) {
    const Json plan = r.parse(field(record, "plan"));
    ReceivedJob out{read_order(r, plan), {}};
    Job& job = out.job;
    std::vector<JobLaunch*> all;
    for (auto* launches : {&job.launches, &job.rivals, &job.marked})
      for (JobLaunch& launch : *launches) all.push_back(&launch);
    std::size_t at = 0;
    for (const auto& [name, value] : record) {
      if (name != "cubin" || !r.ok()) continue;
      r.require(at < all.size(), "more cubins than launches");
      if (r.ok()) all[at++]->cubin = value;
    }
    r.require(at == all.size(), "fewer cubins than launches");
    std::array<std::vector<Contents>, kResultsPerBuffer> results;
    for (std::size_t i = 0; i < job.buffers.size() && r.ok(); ++i) take_files(r, plan, i, job, files, results);
    for (std::vector<Contents>& list : results) std::ranges::move(list, std::back_inserter(out.results));
    return out;
  });
}

namespace {

Json outcome_numbers(const Outcome& outcome) {
  Json buffers = Json::array();
  for (const BufferOutcome& b : outcome.buffers)
    buffers.push_back({b.guard_damage, b.guard_first, b.unwritten, b.changed, b.unstable, !b.contents.empty(),
                       !b.later.empty(), !b.alone.empty(), b.of_rival});
  Json out{{"status", kStatuses[outcome.status]}, {"buffers", buffers}, {"measured", measured_json(outcome.measured)}};
  if (outcome.samples) out["samples"] = samples_json(*outcome.samples);
  if (!outcome.marks.plain.empty()) out["marks"] = {outcome.marks.plain, outcome.marks.marked};
  return out;
}

BufferOutcome buffer_outcome_of(JsonReader& r, const Json& b, std::size_t i, const Job& job,
                                std::span<const Contents> results) {
  const std::size_t buffers = job.buffers.size();
  auto number = [&](std::size_t at) { return r.get<std::int64_t>(b, at); };
  BufferOutcome out;
  out.contents = r.get<bool>(b, 5u) ? results[i] : job.buffers[i].contents;
  out.guard_damage = number(0);
  out.guard_first = number(1);
  out.unwritten = number(2);
  out.changed = number(3);
  out.unstable = number(4);
  auto of_timed_round = [&](std::size_t part) {
    r.require(job.repeats > 0, "a result of a timed round, and no round is timed");
    return results[part * buffers + i];
  };
  if (r.get<bool>(b, 6u)) out.later = of_timed_round(1);
  if (b.size() > 8) {
    if (r.get<bool>(b, 7u)) {
      out.timed = of_timed_round(2);
      out.alone = of_timed_round(3);
    }
    out.of_rival = r.get<bool>(b, 8u);
  }
  const std::int64_t bytes = job.buffers[i].bytes;
  r.bounds("guard_damage", out.guard_damage, 0, kMostBytes);
  r.bounds("guard_first", out.guard_first, -kMostBytes, 2 * kMostBytes);
  r.bounds("unwritten", out.unwritten, 0, bytes);
  r.bounds("changed", out.changed, 0, bytes);
  r.bounds("unstable", out.unstable, 0, bytes);
  return out;
}

Outcome read_outcome(JsonReader& r, const Json& plain, const Job& job, std::span<const Contents> results) {
  Outcome out;
  out.status = named(r, kStatuses, r.get<std::string>(plain, "status"));
  out.measured = measured_of(r, r.at(plain, "measured"));
  if (plain.contains("samples")) out.samples = samples_of(r, r.at(plain, "samples"), job);
  if (plain.contains("marks")) {
    const Json& marks = r.at(plain, "marks");
    out.marks.plain = r.get<std::vector<double>>(marks, 0u);
    out.marks.marked = r.get<std::vector<double>>(marks, 1u);
  }
  const Json& buffers = r.at(plain, "buffers");
  if (!r.ok()) return out;
  for (const Json& b : buffers) {
    r.require(out.buffers.size() < job.buffers.size(), "more outcomes than buffers");
    if (!r.ok()) return out;
    out.buffers.push_back(buffer_outcome_of(r, b, out.buffers.size(), job, results));
  }
  r.require(out.status != Status::Done || out.buffers.size() == job.buffers.size(), "fewer outcomes than buffers");
  return out;
}

}  // namespace

Record encode(const Outcome& outcome) {
  Record out{{"outcome", outcome_numbers(outcome).dump(-1, ' ', false, Json::error_handler_t::replace)},
             {"message", outcome.message},
             {"error", outcome.error},
             {"printed", outcome.printed}};
  for (const std::string& bytes : outcome.marks.bytes) out.emplace_back("marks", bytes);
  return out;
}

std::expected<Outcome, std::string> decode_outcome(Record record, const Job& job, std::span<const Contents> results) {
  return guarded([&](JsonReader& r) {
    Outcome out = read_outcome(r, r.parse(field(record, "outcome")), job, results);
    out.message = take(record, "message");
    out.error = take(record, "error");
    out.printed = take(record, "printed");
    for (auto& [name, value] : record) {
      if (name != "marks" || !r.ok()) continue;
      r.require(out.marks.bytes.size() < job.marked.size() && static_cast<std::int64_t>(value.size()) <= kMostMarkBytes,
                "more marks than launches");
      out.marks.bytes.push_back(std::move(value));
    }
    return out;
  });
}

Json outcome_json(const Outcome& outcome) {
  Json all = outcome_numbers(outcome);
  all["part"] = outcome.part;
  all["message"] = outcome.message;
  all["error"] = outcome.error;
  all["printed"] = outcome.printed;
  return all;
}

std::expected<Outcome, std::string> outcome_of(const Json& all, const Job& job, std::span<const Contents> results) {
  return guarded([&](JsonReader& r) {
    Outcome out = read_outcome(r, all, job, results);
    out.part = r.get<std::string>(all, "part");
    out.message = r.get<std::string>(all, "message");
    out.error = r.get<std::string>(all, "error");
    out.printed = r.get<std::string>(all, "printed");
    return out;
  });
}

Json device_json(const DeviceInfo& d) {
  return {{"name", d.name},
          {"major", d.major},
          {"minor", d.minor},
          {"driver_version", d.driver_version},
          {"multiprocessors", d.multiprocessors},
          {"memory_bytes", d.memory_bytes},
          {"l2_bytes", d.l2_bytes},
          {"shared_bytes_per_block", d.shared_bytes_per_block},
          {"bandwidth", d.bandwidth},
          {"devices", d.devices}};
}

std::expected<DeviceInfo, std::string> device_of(const Json& j) {
  return guarded([&](JsonReader& r) {
    DeviceInfo d;
    d.name = r.get<std::string>(j, "name");
    d.major = r.get<int>(j, "major");
    d.minor = r.get<int>(j, "minor");
    d.driver_version = r.get<int>(j, "driver_version");
    d.multiprocessors = r.get<int>(j, "multiprocessors");
    d.memory_bytes = r.get<std::int64_t>(j, "memory_bytes");
    d.l2_bytes = r.get<std::int64_t>(j, "l2_bytes");
    d.shared_bytes_per_block = r.get<std::int64_t>(j, "shared_bytes_per_block");
    d.bandwidth = r.get<double>(j, "bandwidth");
    d.devices = r.get<int>(j, "devices");
    r.bounds("major", d.major, 0, 99);
    r.bounds("minor", d.minor, 0, 9);
    r.bounds("driver_version", d.driver_version, 0, 10'000'000);
    r.bounds("multiprocessors", d.multiprocessors, 0, 100'000);
    for (std::int64_t bytes : {d.memory_bytes, d.l2_bytes, d.shared_bytes_per_block})
      r.bounds("bytes of a device", bytes, 0, std::int64_t{1} << 50);
    r.bounds("bandwidth", d.bandwidth, 0, 1e18);
    r.bounds("devices", d.devices, 0, 4096);
    return d;
  });
}

std::string outcome_to_json(const Outcome& outcome) {
  return outcome_json(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::expected<Outcome, std::string> outcome_from_json(std::string_view json, const Job& job,
                                                      std::span<const Contents> results) {
  auto all = guarded([&](JsonReader& r) { return r.parse(json); });
  return all ? outcome_of(*all, job, results) : std::unexpected(all.error());
}

Record encode(const DeviceInfo& device) {
  return {{"device", device_json(device).dump(-1, ' ', false, Json::error_handler_t::replace)}};
}
std::expected<DeviceInfo, std::string> decode_device(const Record& record) {
  auto json = guarded([&](JsonReader& r) { return r.parse(field(record, "device")); });
  return json ? device_of(*json) : std::unexpected(json.error());
}

}  // namespace tilewright::run
