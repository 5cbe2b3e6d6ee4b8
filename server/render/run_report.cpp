#include "server/render/run_report.h"

#include <algorithm>

#include "server/render/terminal.h"

namespace tilewright::render {
namespace {

constexpr std::string_view kRoles[] = {"input", "output", "inout"};

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "[3, 17]" of a row-major element number.
std::string coordinate(const run::BoundTensor& tensor, std::int64_t number) {
  if (!tensor.compact || tensor.shape.empty()) return "[" + std::to_string(number) + "]";
  std::string out;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    std::int64_t extent = std::max<std::int64_t>(tensor.shape[i], 1);
    out = std::to_string(number % extent) + (out.empty() ? "" : ", ") + out;
    number /= extent;
  }
  return "[" + out + "]";
}

std::string comparison_text(const RunReport& r, std::size_t i) {
  const run::Comparison& c = *r.tensors[i].comparison;
  return std::to_string(c.mismatches) + " of " + std::to_string(c.elements) + " elements of " +
         r.bound.tensors[i].name + " are not as expected (" + r.tensors[i].expected_from + "); the first, " +
         coordinate(r.bound.tensors[i], c.first) + ", is " + formatted("%g", c.got) + " instead of " +
         formatted("%g", c.expected);
}

std::string place_text(text::Span span, const text::Anchors& anchors) {
  text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {};
  return place.source->path() + ":" + std::to_string(place.source->position(place.begin).line + 1);
}

}  // namespace

bool RunReport::verified() const {
  bool any = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (bound.tensors[i].role == run::Role::Input) continue;
    if (!tensors[i].comparison) return false;
    any = true;
  }
  return any && problems.empty();
}

std::string_view RunReport::verdict() const {
  return !problems.empty() ? "failed" : verified() ? "verified" : "unverified";
}

// A cold launch has to fetch its inputs from memory; of what it writes the cache may keep as much as it holds.
Timing timing_of(const RunReport& r) {
  Timing t;
  std::vector<double> all = r.outcome.microseconds;
  std::sort(all.begin(), all.end());
  t.least = all.front();
  t.most = all.back();
  t.median = all.size() % 2 ? all[all.size() / 2] : (all[all.size() / 2 - 1] + all[all.size() / 2]) / 2;
  std::int64_t read = 0, written = 0;
  for (std::size_t i = 0; i < r.bound.job.buffers.size(); ++i) {
    const run::JobBuffer& b = r.bound.job.buffers[i];
    if (b.role == run::Role::Input) read += b.bytes;
    if (b.role == run::Role::Output) written += b.bytes - r.outcome.buffers[i].unwritten;
  }
  t.bytes = read + written;
  if (r.device.bandwidth > 0) {
    double moved = static_cast<double>(read + std::max<std::int64_t>(0, written - r.device.l2_bytes));
    t.floor = moved / r.device.bandwidth * 1e6;
    t.suspect = t.median < t.floor;
  }
  return t;
}

void judge(RunReport& r) {
  if (r.outcome.status != run::Status::Done) {
    r.problems.push_back(r.outcome.message);
    return;
  }
  for (std::size_t i = 0; i < r.outcome.buffers.size(); ++i) {
    const run::BufferOutcome& b = r.outcome.buffers[i];
    const run::JobBuffer& buffer = r.bound.job.buffers[i];
    if (b.guard_damage) {
      std::string where = b.guard_first < 0 ? std::to_string(-b.guard_first) + " bytes before its start"
                                            : std::to_string(b.guard_first - buffer.bytes) + " bytes behind its end";
      r.problems.push_back(std::to_string(b.guard_damage) + " bytes were written outside of " + buffer.name +
                           ", the first " + where);
    }
    if (b.changed)
      r.problems.push_back(std::to_string(b.changed) + " bytes of " + buffer.name + " changed, which is only read");
    if (r.tensors[i].comparison && r.tensors[i].comparison->mismatches) r.problems.push_back(comparison_text(r, i));
    if (b.unwritten)
      r.notes.push_back(std::to_string(b.unwritten) + " of " + std::to_string(buffer.bytes) + " bytes of " +
                        buffer.name + " were never written");
    if (b.unstable)
      r.notes.push_back(buffer.name + " is not the same after each launch (" + std::to_string(b.unstable) +
                        " bytes differ)");
  }
  if (r.timing && r.timing->suspect)
    r.notes.push_back("suspect: " + formatted("%.2f", r.timing->median) + " us is less than the " +
                      formatted("%.2f", r.timing->floor) +
                      " us that memory needs for these bytes; does the kernel read all of its inputs?");
}

Json run_json(const RunReport& r, const text::Anchors& anchors) {
  const run::JobLaunch& job = r.bound.job.launches.front();
  Json tensors = Json::array();
  for (std::size_t i = 0; i < r.tensors.size(); ++i) {
    const TensorReport& t = r.tensors[i];
    const run::BoundTensor& b = r.bound.tensors[i];
    Json j{{"name", b.name},   {"dtype", ir::dtype_name(b.dtype)},         {"shape", b.shape},
           {"bytes", b.bytes}, {"role", kRoles[static_cast<int>(b.role)]}, {"source", t.source}};
    if (i < r.outcome.buffers.size()) {
      const run::BufferOutcome& o = r.outcome.buffers[i];
      j["sha256"] = t.digest;
      j["bytes_outside"] = o.guard_damage;
      j["bytes_changed"] = o.changed;
      j["bytes_unwritten"] = o.unwritten;
      j["bytes_unstable"] = o.unstable;
    }
    if (t.comparison) {
      const run::Comparison& c = *t.comparison;
      j["comparison"] = {{"expected_from", t.expected_from},
                         {"rtol", t.tolerance.relative},
                         {"atol", t.tolerance.absolute},
                         {"elements", c.elements},
                         {"mismatches", c.mismatches},
                         {"max_absolute", c.max_absolute},
                         {"max_relative", c.max_relative},
                         {"first", c.mismatches ? Json{{"element", c.first}, {"got", c.got}, {"expected", c.expected}}
                                                : Json(nullptr)}};
    }
    if (!t.file.empty()) j["file"] = t.file;
    tensors.push_back(j);
  }
  Json timing = nullptr;
  if (r.timing) {
    timing = {
        {"launches", r.outcome.microseconds}, {"median_us", r.timing->median},
        {"min_us", r.timing->least},          {"max_us", r.timing->most},
        {"bytes", r.timing->bytes},           {"floor_us", r.timing->floor > 0 ? Json(r.timing->floor) : Json(nullptr)},
        {"suspect", r.timing->suspect}};
  }
  Json launch{{"grid", job.grid},
              {"block", job.block},
              {"cluster", job.cluster},
              {"dynamic_shared_bytes", job.dynamic_shared_bytes}};
  Json extents = Json::object();
  for (const auto& [name, value] : r.bound.extents) extents[name] = value;
  return {
      {"kernel", r.kernel},
      {"entry", r.entry},
      {"arch", r.arch},
      {"device",
       {{"name", r.device.name},
        {"arch", r.device.arch()},
        {"driver_version", r.device.driver_version},
        {"multiprocessors", r.device.multiprocessors},
        {"memory_bytes", r.device.memory_bytes}}},
      {"launch", launch},
      {"extents", extents},
      {"seed", r.seed},
      {"status", run::status_name(r.outcome.status)},
      {"error", r.outcome.error},
      {"fault", r.fault ? Json{{"range", range_json(r.fault, anchors)}, {"reason", r.fault_reason}} : Json(nullptr)},
      {"tensors", tensors},
      {"timing", timing},
      {"printed", r.outcome.printed},
      {"problems", r.problems},
      {"notes", r.notes},
      {"verdict", r.verdict()}};
}

std::string run_text(const RunReport& r, const text::Anchors& anchors) {
  const Colours& c = colours(stdout);
  auto three = [](const std::array<std::int64_t, 3>& d) {
    return std::to_string(d[0]) + " × " + std::to_string(d[1]) + " × " + std::to_string(d[2]);
  };
  const run::JobLaunch& job = r.bound.job.launches.front();
  std::string out =
      std::string(c.bold) + r.kernel + std::string(c.plain) + " on " + r.device.name + " (" + r.arch + ")\n";
  out += "  launch   grid " + three(job.grid) + ", block " + three(job.block);
  if (job.cluster != std::array<std::int64_t, 3>{1, 1, 1}) out += ", cluster " + three(job.cluster);
  if (job.dynamic_shared_bytes)
    out += ", " + std::to_string(job.dynamic_shared_bytes) + " bytes of dynamic shared memory";
  out += "\n";
  for (std::size_t i = 0; i < r.tensors.size(); ++i) {
    const TensorReport& t = r.tensors[i];
    const run::BoundTensor& b = r.bound.tensors[i];
    std::string name = std::string(kRoles[static_cast<int>(b.role)]);
    name.resize(8, ' ');
    out += "  " + name + " " + b.name + " " + ir::dtype_name(b.dtype) + " (";
    for (std::size_t d = 0; d < b.shape.size(); ++d) out += (d ? ", " : "") + std::to_string(b.shape[d]);
    out += ")";
    if (b.role != run::Role::Output) out += "  " + t.source;
    if (t.comparison && !t.comparison->mismatches) {
      out += "  " + std::string(c.green) + "as expected" + std::string(c.plain) + " (" + t.expected_from;
      if (t.comparison->max_absolute > 0)
        out += ", largest difference " + formatted("%.3g", t.comparison->max_absolute);
      out += ")";
    }
    if (!t.file.empty()) out += "  → " + t.file;
    out += "\n";
  }
  if (r.timing) {
    out += "  time     " + formatted("%.2f", r.timing->median) + " us, median of " +
           std::to_string(r.outcome.microseconds.size()) + " (" + formatted("%.2f", r.timing->least) + " to " +
           formatted("%.2f", r.timing->most) + ")";
    if (r.timing->median > 0)
      out += ", " + formatted("%.1f", static_cast<double>(r.timing->bytes) / r.timing->median / 1e3) + " GB/s";
    out += "\n";
  }
  if (!r.outcome.printed.empty())
    out += "  printed\n" + r.outcome.printed + (r.outcome.printed.ends_with('\n') ? "" : "\n");
  for (const std::string& p : r.problems)
    out += "  " + std::string(c.red) + "wrong" + std::string(c.plain) + "    " + p + "\n";
  if (r.fault) {
    out += "  at       " + place_text(r.fault, anchors) + ": " + r.fault_reason +
           " (as the simulator finds it on the same inputs)\n";
  }
  for (const std::string& n : r.notes)
    out += "  " + std::string(c.yellow) + "note" + std::string(c.plain) + "     " + n + "\n";
  std::string_view colour = r.problems.empty() ? (r.verified() ? c.green : c.yellow) : c.red;
  return out + std::string(colour) + std::string(r.verdict()) + std::string(c.plain) + "\n";
}

}  // namespace tilewright::render
