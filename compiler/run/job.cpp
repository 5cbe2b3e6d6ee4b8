#include "compiler/run/job.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "compiler/process/fd.h"
#include "compiler/run/job_json.h"
#include "compiler/text/bounds.h"

namespace tilewright::run {
namespace {

using text::check_bounds;
using text::check_count;
using text::Json;
using toolchain::field;
using toolchain::Record;
using toolchain::take;

// Ranges of what another process or machine says.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;  // of a buffer, and of places around it
constexpr std::size_t kMostBuffers = 1024, kMostLaunches = 1024, kMostTimes = 20'000;

constexpr std::string_view kRoles[] = {"input", "output", "inout"};
constexpr std::string_view kKinds[] = {"pointer", "scalar", "tensor_map"};
constexpr std::string_view kStatuses[] = {"done",    "no_driver", "not_launched", "fault",
                                          "timeout", "stopped",   "lost",         "incomplete"};

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
    out.push_back({{"name", b.name}, {"bytes", b.bytes}, {"role", kRoles[static_cast<int>(b.role)]}});
  return out;
}

Json launch_json(const JobLaunch& launch) {
  Json params = Json::array(), maps = Json::array();
  for (const JobParam& p : launch.params) {
    Json j{{"kind", kKinds[static_cast<int>(p.kind)]}};
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

JobTensorMap map_of(const Json& m, std::size_t buffers) {
  JobTensorMap map;
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
  check_bounds("byte_offset of a tensor map", map.byte_offset, -kMostBytes, kMostBytes);
  for (int word : {map.dtype, map.interleave, map.swizzle, map.l2_promotion, map.oob_fill})
    check_bounds("a word of a tensor map", word, 0, 255);
  auto place = lower::map_place(m.value("place", "parameter"));
  if (!place) throw std::invalid_argument("a tensor map lies nowhere known");
  map.place = *place;
  map.symbol = m.value("symbol", "");
  std::size_t rank = map.dims.size();
  if (rank < 1 || rank > 5 || map.strides.size() + 1 != rank || map.box.size() != rank ||
      map.element_strides.size() != rank)
    throw std::invalid_argument("a tensor map has ranks that do not fit each other");
  if (map.buffer < 0 || static_cast<std::size_t>(map.buffer) >= buffers)
    throw std::invalid_argument("a tensor map names a buffer that does not exist");
  return map;
}

JobLaunch launch_of(const Json& j, std::size_t buffers) {
  constexpr std::int64_t kGrid = (std::int64_t{1} << 31) - 1;
  JobLaunch launch;
  launch.symbol = j.at("symbol").get<std::string>();
  launch.grid = three(j.at("grid"), "grid", kGrid);
  launch.block = three(j.at("block"), "block", 1024);
  launch.cluster = three(j.at("cluster"), "cluster", 16);
  if (j.contains("preferred_cluster"))
    launch.preferred_cluster = three(j.at("preferred_cluster"), "preferred_cluster", 16);
  launch.cooperative = j.value("cooperative", false);
  launch.programmatic_dependent_launch = j.value("programmatic_dependent_launch", false);
  launch.dynamic_shared_bytes = j.at("dynamic_shared_bytes").get<std::int64_t>();
  if (launch.dynamic_shared_bytes < 0 || launch.dynamic_shared_bytes > (1 << 20))
    throw std::invalid_argument("dynamic_shared_bytes is out of range");
  check_count("tensor maps", j.at("tensor_maps"), kMostBuffers);
  check_count("parameters", j.at("params"), 4 * kMostBuffers);
  for (const Json& m : j.at("tensor_maps")) launch.tensor_maps.push_back(map_of(m, buffers));
  for (const Json& p : j.at("params")) {
    JobParam& param = launch.params.emplace_back();
    param.kind = named<JobParam::Kind>(kKinds, p.at("kind").get<std::string>());
    if (param.kind == JobParam::Kind::Scalar) {
      param.scalar = from_hex(p.at("bytes").get<std::string>());
      continue;
    }
    param.index = p.at("index").get<int>();
    param.byte_offset = p.value("byte_offset", std::int64_t{0});
    check_bounds("byte_offset of a parameter", param.byte_offset, -kMostBytes, kMostBytes);
    std::size_t count = param.kind == JobParam::Kind::Pointer ? buffers : launch.tensor_maps.size();
    if (param.index < 0 || static_cast<std::size_t>(param.index) >= count)
      throw std::invalid_argument("a parameter names something that does not exist");
  }
  return launch;
}

// Throws std::exception (of the JSON library or invalid_argument).
Job plan_of(const Json& j) {
  Job job;
  check_count("buffers", j.at("buffers"), kMostBuffers);
  for (const Json& b : j.at("buffers")) {
    JobBuffer& buffer = job.buffers.emplace_back();
    buffer.name = b.at("name").get<std::string>();
    buffer.bytes = b.at("bytes").get<std::int64_t>();
    if (buffer.bytes < 0 || buffer.bytes > kMostBytes)
      throw std::invalid_argument("bytes of a buffer are out of range");
    buffer.role = named<Role>(kRoles, b.at("role").get<std::string>());
  }
  if (!j.contains("launches")) {
    job.launches.push_back(launch_of(j, job.buffers.size()));
    return job;
  }
  check_count("launches", j.at("launches"), kMostLaunches);
  for (const Json& launch : j.at("launches")) job.launches.push_back(launch_of(launch, job.buffers.size()));
  if (job.launches.empty()) throw std::invalid_argument("nothing is launched");
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

Job read_order(const Json& plan) {
  Job job = plan_of(plan);
  job.warmups = std::clamp(plan.value("warmups", 0), 0, 1000);
  job.repeats = std::clamp(plan.value("repeats", 0), 0, 10000);
  job.schedules = std::clamp(plan.value("schedules", 0), 0, 10000);
  job.samples = plan.value("samples", false);
  job.copy_bytes = std::clamp<std::int64_t>(plan.value("copy_bytes", std::int64_t{0}), 0, std::int64_t{1} << 40);
  const Json turns = plan.value("turns", Json::array());
  check_count("turns", turns, job.buffers.size());
  for (std::size_t i = 0; i < turns.size(); ++i)
    job.buffers[i].turn = std::clamp<std::int64_t>(turns[i].get<std::int64_t>(), 0, 64);
  const Json rivals = plan.value("rivals", Json::array());
  check_count("rivals", rivals, kMostLaunches);
  for (const Json& launch : rivals) job.rivals.push_back(launch_of(launch, job.buffers.size()));
  const Json marked = plan.value("marked", Json::array());
  check_count("marked", marked, kMostLaunches);
  for (const Json& launch : marked) job.marked.push_back(launch_of(launch, job.buffers.size()));
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

Measured measured_of(const Json& j) {
  Measured m;
  auto times = [&](const char* name) {
    check_count("times", j.at(name), kMostTimes);
    auto out = j.at(name).get<std::vector<double>>();
    for (double time : out) check_bounds("a time", time, 0, 1e15);
    return out;
  };
  m.cold = times("cold");
  m.hot = times("hot");
  m.copy = times("copy");
  m.rival_cold = times("rival_cold");
  m.rival_hot = times("rival_hot");
  m.checked = j.at("checked").get<int>();
  m.rival_differs = j.at("rival_differs").get<std::int64_t>();
  // A worker of an older release knows nothing of these.
  m.turned = j.value("turned", 0);
  const Json otherwise = j.value("otherwise", Json::array({0, 0}));
  m.otherwise = otherwise.at(0).get<int>();
  m.rival_otherwise = otherwise.at(1).get<int>();
  m.beyond = j.value("beyond", 0.0);
  m.persisting = j.value("persisting", std::int64_t{0});
  Conditions& c = m.conditions;
  c.absent = j.at("absent").get<std::string>();
  c.driver = j.at("driver").get<std::string>();
  c.sm_least = j.at("sm").at(0).get<int>();
  c.sm_most = j.at("sm").at(1).get<int>();
  c.sm_limit = j.at("sm").at(2).get<int>();
  c.memory_clock = j.at("memory_clock").get<int>();
  c.first_celsius = j.at("celsius").at(0).get<int>();
  c.last_celsius = j.at("celsius").at(1).get<int>();
  c.watts = j.at("watts").get<double>();
  c.reasons = j.at("reasons").get<std::uint64_t>();
  c.samples = j.at("samples").get<int>();
  check_bounds("checked", m.checked, 0, static_cast<int>(kMostTimes));
  check_bounds("turned", m.turned, 0, static_cast<int>(kMostBuffers));
  for (int launches : {m.otherwise, m.rival_otherwise})
    check_bounds("launches that left something else", launches, 0, static_cast<int>(kMostTimes));
  check_bounds("a time", m.beyond, 0, 1e15);
  check_bounds("persisting", m.persisting, 0, kMostBytes);
  check_bounds("rival_differs", m.rival_differs, 0, static_cast<std::int64_t>(kMostBuffers) * kMostBytes);
  for (int megahertz : {c.sm_least, c.sm_most, c.sm_limit, c.memory_clock})
    check_bounds("a clock in megahertz", megahertz, 0, 1'000'000);
  for (int celsius : {c.first_celsius, c.last_celsius}) check_bounds("a temperature", celsius, -300, 10'000);
  check_bounds("watts", c.watts, 0, 1e6);
  check_bounds("samples", c.samples, 0, 1'000'000'000);
  return m;
}

Json samples_json(const Samples& s) {
  Json places = Json::array();
  for (const Sampled& p : s.places) places.push_back({p.launch, p.offset, p.reason, p.count});
  return {{"absent", s.absent}, {"reasons", s.reasons}, {"places", std::move(places)},
          {"taken", s.taken},   {"dropped", s.dropped}, {"elsewhere", s.elsewhere},
          {"rounds", s.rounds}, {"seconds", s.seconds}, {"period", s.period}};
}

Samples samples_of(const Json& j, const Job& job) {
  constexpr std::size_t kMostReasons = 256, kMostPlaces = 4 << 20;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;
  Samples s;
  s.absent = j.at("absent").get<std::string>();
  check_count("reasons", j.at("reasons"), kMostReasons);
  s.reasons = j.at("reasons").get<std::vector<std::string>>();
  check_count("places", j.at("places"), kMostPlaces);
  for (const Json& p : j.at("places")) {
    const auto launch = p.at(0).get<std::uint64_t>(), offset = p.at(1).get<std::uint64_t>(),
               reason = p.at(2).get<std::uint64_t>(), count = p.at(3).get<std::uint64_t>();
    if (launch >= job.launches.size() || reason >= s.reasons.size())
      throw std::invalid_argument("a sample names something that does not exist");
    check_bounds("offset of a sample", offset, std::uint64_t{0}, std::uint64_t{0xFFFFFFFF});
    check_bounds("count of a sample", count, std::uint64_t{0}, kMostCount);
    s.places.push_back({static_cast<std::uint32_t>(launch), static_cast<std::uint32_t>(offset),
                        static_cast<std::uint32_t>(reason), count});
  }
  s.taken = j.at("taken").get<std::uint64_t>();
  s.dropped = j.at("dropped").get<std::uint64_t>();
  s.elsewhere = j.at("elsewhere").get<std::uint64_t>();
  for (std::uint64_t n : {s.taken, s.dropped, s.elsewhere})
    check_bounds("a number of samples", n, std::uint64_t{0}, kMostCount);
  s.rounds = j.at("rounds").get<int>();
  s.seconds = j.at("seconds").get<double>();
  s.period = j.at("period").get<int>();
  check_bounds("rounds", s.rounds, 0, 1'000'000'000);
  check_bounds("seconds", s.seconds, 0.0, 1e9);
  check_bounds("period", s.period, 0, 31);
  return s;
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

Json order_json(const Job& job) { return written_order(job); }
std::expected<Job, std::string> order_of(const Json& json) {
  return guarded([&] { return read_order(json); });
}
std::string order_to_json(const Job& job) { return written_order(job).dump(); }
std::expected<Job, std::string> order_from_json(std::string_view json) {
  return guarded([&] { return read_order(Json::parse(json)); });
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

std::expected<ReceivedJob, std::string> decode_job(const Record& record, std::span<const process::Fd> files) {
  return guarded([&] {
    Json plan = Json::parse(field(record, "plan"));
    ReceivedJob out{read_order(plan), {}};
    Job& job = out.job;
    std::vector<JobLaunch*> all;
    for (auto* launches : {&job.launches, &job.rivals, &job.marked})
      for (JobLaunch& launch : *launches) all.push_back(&launch);
    std::size_t at = 0;
    for (const auto& [name, value] : record) {
      if (name != "cubin") continue;
      if (at >= all.size()) throw std::invalid_argument("more cubins than launches");
      all[at++]->cubin = value;
    }
    if (at != all.size()) throw std::invalid_argument("fewer cubins than launches");
    std::vector<Contents> later, timed, alone;
    for (std::size_t i = 0; i < job.buffers.size(); ++i) {
      JobBuffer& buffer = job.buffers[i];
      auto file = [&](const char* which) {
        int number = plan.at("buffers").at(i).at(which).get<int>();
        if (number < 0 || static_cast<std::size_t>(number) >= files.size()) return Contents();
        return Contents::mapped(files[static_cast<std::size_t>(number)].get(), buffer.bytes);
      };
      buffer.contents = file("given");
      out.results.push_back(file("result"));
      later.push_back(file("later"));
      timed.push_back(file("timed"));
      alone.push_back(file("alone"));
      auto wrong = [&](const Contents& c, bool wanted) {
        return c.size() != (wanted ? static_cast<std::size_t>(buffer.bytes) : 0);
      };
      if (wrong(buffer.contents, buffer.role != Role::Output) || wrong(out.results.back(), true) ||
          wrong(later.back(), true) || wrong(timed.back(), true) || wrong(alone.back(), true))
        throw std::invalid_argument("contents of " + buffer.name + " have the wrong size");
    }
    for (std::vector<Contents>* all : {&later, &timed, &alone})
      std::ranges::move(*all, std::back_inserter(out.results));
    return out;
  });
}

namespace {

Json outcome_numbers(const Outcome& outcome) {
  Json buffers = Json::array();
  for (const BufferOutcome& b : outcome.buffers)
    buffers.push_back({b.guard_damage, b.guard_first, b.unwritten, b.changed, b.unstable, !b.contents.empty(),
                       !b.later.empty(), !b.alone.empty(), b.of_rival});
  Json out{{"status", kStatuses[static_cast<int>(outcome.status)]},
           {"buffers", buffers},
           {"measured", measured_json(outcome.measured)}};
  if (outcome.samples) out["samples"] = samples_json(*outcome.samples);
  if (!outcome.marks.plain.empty()) out["marks"] = {outcome.marks.plain, outcome.marks.marked};
  return out;
}

Outcome read_outcome(const Json& plain, const Job& job, std::span<const Contents> results) {
  Outcome out;
  out.status = named<Status>(kStatuses, plain.at("status").get<std::string>());
  out.measured = measured_of(plain.at("measured"));
  if (plain.contains("samples")) out.samples = samples_of(plain.at("samples"), job);
  if (plain.contains("marks")) {
    out.marks.plain = plain.at("marks").at(0).get<std::vector<double>>();
    out.marks.marked = plain.at("marks").at(1).get<std::vector<double>>();
  }
  for (const Json& b : plain.at("buffers")) {
    std::size_t i = out.buffers.size();
    if (i >= job.buffers.size()) throw std::invalid_argument("more outcomes than buffers");
    out.buffers.push_back({b.at(5).get<bool>() ? results[i] : job.buffers[i].contents, b.at(0).get<std::int64_t>(),
                           b.at(1).get<std::int64_t>(), b.at(2).get<std::int64_t>(), b.at(3).get<std::int64_t>(),
                           b.at(4).get<std::int64_t>(),
                           b.at(6).get<bool>() ? results[job.buffers.size() + i] : Contents()});
    BufferOutcome& read = out.buffers.back();
    if (b.size() > 8) {
      if (b.at(7).get<bool>()) {
        read.timed = results[2 * job.buffers.size() + i];
        read.alone = results[3 * job.buffers.size() + i];
      }
      read.of_rival = b.at(8).get<bool>();
    }
    const std::int64_t bytes = job.buffers[i].bytes;
    check_bounds("guard_damage", read.guard_damage, 0, kMostBytes);
    check_bounds("guard_first", read.guard_first, -kMostBytes, 2 * kMostBytes);
    check_bounds("unwritten", read.unwritten, 0, bytes);
    check_bounds("changed", read.changed, 0, bytes);
    check_bounds("unstable", read.unstable, 0, bytes);
  }
  if (out.status == Status::Done && out.buffers.size() != job.buffers.size())
    throw std::invalid_argument("fewer outcomes than buffers");
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
  return guarded([&] {
    Outcome out = read_outcome(Json::parse(field(record, "outcome")), job, results);
    out.message = take(record, "message");
    out.error = take(record, "error");
    out.printed = take(record, "printed");
    for (auto& [name, value] : record) {
      if (name != "marks") continue;
      if (out.marks.bytes.size() >= job.marked.size() || static_cast<std::int64_t>(value.size()) > kMostMarkBytes)
        throw std::invalid_argument("more marks than launches");
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
  return guarded([&] {
    Outcome out = read_outcome(all, job, results);
    out.part = all.at("part").get<std::string>();
    out.message = all.at("message").get<std::string>();
    out.error = all.at("error").get<std::string>();
    out.printed = all.at("printed").get<std::string>();
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
  return guarded([&] {
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
    d.devices = j.at("devices").get<int>();
    check_bounds("major", d.major, 0, 99);
    check_bounds("minor", d.minor, 0, 9);
    check_bounds("driver_version", d.driver_version, 0, 10'000'000);
    check_bounds("multiprocessors", d.multiprocessors, 0, 100'000);
    for (std::int64_t bytes : {d.memory_bytes, d.l2_bytes, d.shared_bytes_per_block})
      check_bounds("bytes of a device", bytes, 0, std::int64_t{1} << 50);
    check_bounds("bandwidth", d.bandwidth, 0, 1e18);
    check_bounds("devices", d.devices, 0, 4096);
    return d;
  });
}

std::string outcome_to_json(const Outcome& outcome) {
  return outcome_json(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::expected<Outcome, std::string> outcome_from_json(std::string_view json, const Job& job,
                                                      std::span<const Contents> results) {
  auto all = guarded([&] { return Json::parse(json); });
  return all ? outcome_of(*all, job, results) : std::unexpected(all.error());
}

Record encode(const DeviceInfo& device) {
  return {{"device", device_json(device).dump(-1, ' ', false, Json::error_handler_t::replace)}};
}
std::expected<DeviceInfo, std::string> decode_device(const Record& record) {
  auto json = guarded([&] { return Json::parse(field(record, "device")); });
  return json ? device_of(*json) : std::unexpected(json.error());
}

}  // namespace tilewright::run
