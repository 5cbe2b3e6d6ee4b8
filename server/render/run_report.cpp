#include "server/render/run_report.h"

#include <algorithm>
#include <cmath>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/conditions.h"
#include "server/render/contest.h"
#include "server/render/json.h"
#include "server/render/profile.h"
#include "server/render/report.h"
#include "server/render/sampled.h"
#include "server/render/terminal.h"
#include "server/render/timeline.h"
#include "server/render/watch.h"

namespace tilewright::render {
namespace {

std::string place_text(text::Span span, const text::Anchors& anchors) {
  text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {};
  return text::visible(place.source->path()) + ":" + std::to_string(place.source->position(place.begin).line + 1);
}

Json ulps_json(const run::Comparison& c) {
  Json out = Json::array();
  for (int bucket = 0; bucket < run::kUlpBuckets; ++bucket) {
    const std::int64_t elements = c.ulps[static_cast<std::size_t>(bucket)];
    if (!elements) continue;
    const auto [least, most] = run::ulp_range(bucket);
    out.push_back({{"least", least}, {"most", most < 0 ? Json(nullptr) : Json(most)}, {"elements", elements}});
  }
  return out;
}

// "0 in 90, 1 in 8, 3..4 in 2"; nothing where all are equal.
std::string ulps_text(const run::Comparison& c) {
  if (c.ulps[0] == c.elements) return {};
  std::string out;
  for (int bucket = 0; bucket < run::kUlpBuckets; ++bucket) {
    const std::int64_t elements = c.ulps[static_cast<std::size_t>(bucket)];
    if (!elements) continue;
    const auto [least, most] = run::ulp_range(bucket);
    out += (out.empty() ? "" : ", ") + std::to_string(least) +
           (most < 0       ? " or more"
            : most > least ? ".." + std::to_string(most)
                           : "") +
           " in " + std::to_string(elements);
  }
  return out;
}

Json producer_json(const simulate::Producer& p, const text::Anchors& anchors) {
  return {{"range", range_json(p.origin.span, anchors)}, {"cta", p.cta}, {"thread", p.thread}};
}

std::string producer_text(const simulate::Producer& p, const text::Anchors& anchors) {
  std::string out = place_text(p.origin.span, anchors) + ", thread " + std::to_string(p.thread) + " of CTA (";
  for (std::size_t d = 0; d < 3; ++d) out += (d ? ", " : "") + std::to_string(p.cta[d]);
  return out + ")";
}

Json spread_json(const std::vector<double>& launches, const run::Spread& s) {
  return {{"launches", launches}, {"median_us", s.median}, {"min_us", s.least}, {"max_us", s.most},
          {"p20_us", s.p20},      {"p80_us", s.p80},       {"stable", s.stable}};
}

Json timing_json(const run::Report& r) {
  if (!r.timing) return nullptr;
  const run::Timing& t = *r.timing;
  const run::Measured& m = r.outcome.measured;
  Json out = spread_json(m.cold, t.cold);
  out["bytes"] = t.bytes;
  out["floor_us"] = t.floor > 0 ? Json(t.floor) : Json(nullptr);
  out["suspect"] = t.suspect;
  out["hot"] = spread_json(m.hot, t.hot);
  out["copy"] = nullptr;
  if (t.copy) {
    out["copy"] = spread_json(m.copy, *t.copy);
    out["copy"]["bytes"] = r.bound.job.copy_bytes;
    out["copy"]["fraction"] = t.fraction;
  }
  out["against"] = nullptr;
  if (t.rival) {
    out["against"] = {{"name", r.rival},
                      {"cold", spread_json(m.rival_cold, t.rival->cold)},
                      {"hot", spread_json(m.rival_hot, t.rival->hot)},
                      {"compared_cold", contest_json(t.rival->by_cold)},
                      {"compared_hot", contest_json(t.rival->by_hot)}};
  }
  out["checked_rounds"] = m.checked;
  out["changed_inputs"] = m.turned;
  out["beyond_us"] = m.beyond;
  out["conditions"] = conditions_json(m.conditions);
  return out;
}

std::string spread_text(const run::Spread& s, std::size_t count) {
  return text::formatted("%.2f", s.median) + " us, median of " + std::to_string(count) + " (" +
         text::formatted("%.2f", s.p20) + " to " + text::formatted("%.2f", s.p80) +
         (s.stable || count < 5 ? ")" : ", not stable)");
}

std::string percent(double ratio) { return text::formatted("%.1f", std::fabs(ratio - 1) * 100); }

// "copy is 3.1 % faster than other (2.8 to 3.4 %, p = 0.0001)".
std::string contest_text(const std::string& first, const std::string& second, const std::optional<run::Contest>& c) {
  if (!c) return "too few rounds to compare: at least 6 with --repeat";
  const std::string probability =
      c->probability < 1e-4 ? "p < 0.0001" : "p = " + text::formatted("%.4f", c->probability);
  if (!c->significant) {
    return "no difference seen: " + second + " takes " + text::formatted("%.1f", c->least * 100) + " to " +
           text::formatted("%.1f", c->most * 100) + " % of the time (95 % interval, " + probability + ")";
  }
  const bool faster = c->ratio > 1;
  const double near = faster ? c->least : 1 / c->most, far = faster ? c->most : 1 / c->least;
  return (faster ? first : second) + " is faster: " + (faster ? second : first) + " takes " +
         percent(faster ? c->ratio : 1 / c->ratio) + " % longer (" + percent(near) + " to " + percent(far) +
         " % in 95 of 100, " + probability + ")";
}

std::string timing_text(const run::Report& r) {
  const run::Timing& t = *r.timing;
  const run::Measured& m = r.outcome.measured;
  std::string out = "  time     " + spread_text(t.cold, m.cold.size()) + ", L2 emptied";
  if (t.cold.median > 0 && t.bytes > 0)
    out += ", " + text::formatted("%.1f", static_cast<double>(t.bytes) / t.cold.median / 1e3) + " GB/s";
  out += "\n           " + spread_text(t.hot, m.hot.size()) + ", hot\n";
  if (t.copy && t.fraction > 0) {
    out += "  copy     " + spread_text(*t.copy, m.copy.size()) + ", the driver's of " +
           std::to_string(r.bound.job.copy_bytes) + " bytes: the kernel reaches " +
           text::formatted("%.1f", t.fraction * 100) + " % of its speed\n";
  }
  if (t.rival) {
    out += "  against  " + spread_text(t.rival->cold, m.rival_cold.size()) + ", L2 emptied, of " +
           text::visible(r.rival) + "\n";
    out += "           " + spread_text(t.rival->hot, m.rival_hot.size()) + ", hot\n";
    out += "           L2 emptied: " + contest_text(r.entry, r.rival, t.rival->by_cold) + "\n";
    out += "           hot: " + contest_text(r.entry, r.rival, t.rival->by_hot) + "\n";
  }
  out += "  checked  " + std::to_string(m.checked) + " of these launches, with " +
         (m.turned ? "other contents of " + text::counted(m.turned, "tensor") + " in each\n"
                   : std::string("the same inputs in each\n"));
  const run::Conditions& c = m.conditions;
  if (!c.absent.empty())
    return out + "  device   clocks and temperature are not known: " + text::visible(c.absent) + "\n";
  out += "  device   SM " + std::to_string(c.sm_least) + " to " + std::to_string(c.sm_most) + " MHz";
  if (c.sm_limit) out += " of " + std::to_string(c.sm_limit);
  out += ", memory " + std::to_string(c.memory_clock) + " MHz, " + std::to_string(c.first_celsius) + " to " +
         std::to_string(c.last_celsius) + " °C, " + text::formatted("%.0f", c.watts) + " W, ";
  std::string reasons;
  for (const std::string& word : run::throttle_words(c.reasons)) reasons += (reasons.empty() ? "" : ", ") + word;
  return out + (reasons.empty() ? "not throttled" : "clocks: " + reasons) + ", driver " + text::visible(c.driver) +
         "\n";
}

Json silenced_json(const run::Report& r, const text::Anchors& anchors) {
  Json out = Json::array();
  for (const run::Report::Silenced& s : r.silenced) {
    Json one = diagnostic_json(run::diagnostic_of(s.finding, anchors), anchors);
    one["reason"] = s.reason;
    out.push_back(std::move(one));
  }
  return out;
}

Json report_json(const run::Report& r, const text::Anchors& anchors) {
  Json tensors = Json::array();
  for (std::size_t i = 0; i < r.tensors.size(); ++i) {
    const run::TensorReport& t = r.tensors[i];
    const run::BoundTensor& b = r.bound.tensors[i];
    Json j{{"name", b.name},   {"dtype", ir::dtype_name(b.dtype)}, {"shape", b.shape},
           {"bytes", b.bytes}, {"role", run::kRoleWords[b.role]},  {"source", t.source}};
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
                         {"ulps", ulps_json(c)},
                         {"first", c.mismatches ? Json{{"element", c.first},
                                                       {"index", run::index_of(b, c.first)},
                                                       {"got", c.got},
                                                       {"expected", c.expected}}
                                                : Json(nullptr)}};
    }
    if (t.producer) j["comparison"]["producer"] = producer_json(*t.producer, anchors);
    if (!t.file.empty()) j["file"] = t.file;
    tensors.push_back(j);
  }
  Json launches = Json::array();
  for (const run::JobLaunch& l : r.bound.job.launches) {
    launches.push_back({{"grid", l.grid},
                        {"block", l.block},
                        {"cluster", l.cluster},
                        {"dynamic_shared_bytes", l.dynamic_shared_bytes}});
  }
  Json findings = Json::array();
  for (const simulate::Finding& f : r.outcome.findings)
    findings.push_back(diagnostic_json(run::diagnostic_of(f, anchors), anchors));
  Json extents = Json::object();
  for (const auto& [name, value] : r.bound.extents) extents[name] = value;
  Json report{
      {"kernel", r.kernel},
      {"entry", r.entry},
      {"arch", r.arch},
      {"device",
       {{"name", r.device.name},
        {"arch", r.device.major ? r.device.arch() : r.arch},
        {"driver_version", r.device.driver_version},
        {"multiprocessors", r.device.multiprocessors},
        {"memory_bytes", r.device.memory_bytes}}},
      {"launch", launches.back()},
      {"extents", extents},
      {"seed", r.seed},
      {"status", run::status_name(r.outcome.status)},
      {"error", r.outcome.error},
      {"fault", r.fault ? Json{{"range", range_json(r.fault, anchors)}, {"reason", r.fault_reason}} : Json(nullptr)},
      {"findings", findings},
      {"tensors", tensors},
      {"timing", timing_json(r)},
      {"printed", r.outcome.printed},
      {"problems", r.problems},
      {"notes", r.notes},
      {"verdict", r.verdict()}};
  if (!r.silenced.empty()) report["silenced"] = silenced_json(r, anchors);
  if (!r.outcome.part.empty()) report["part"] = r.outcome.part;
  if (r.secret_seed) report["secret_seed"] = true;
  if (!r.watch_points.empty()) {
    report["watches"] = watches_json(r);
    report["unseen"] = r.outcome.unseen;
  }
  if (launches.size() > 1) report["launches"] = std::move(launches);
  return report;
}

}  // namespace

std::string run_text(const work::RunAnswer& answer, const Colours& c) {
  const run::Report& r = answer.report;
  const text::Anchors& anchors = answer.compiled.evaluation->anchors;
  auto three = [](const std::array<std::int64_t, 3>& d) {
    return std::to_string(d[0]) + " × " + std::to_string(d[1]) + " × " + std::to_string(d[2]);
  };
  std::string out = std::string(c.bold) + r.kernel + std::string(c.plain) + " on " + text::visible(r.device.name) +
                    " (" + r.arch + ")" + (answer.where.empty() ? "" : " at " + text::visible(answer.where)) + "\n";
  for (const run::JobLaunch& job : r.bound.job.launches) {
    out += "  launch   grid " + three(job.grid) + ", block " + three(job.block);
    if (job.cluster != std::array<std::int64_t, 3>{1, 1, 1}) out += ", cluster " + three(job.cluster);
    if (job.dynamic_shared_bytes)
      out += ", " + std::to_string(job.dynamic_shared_bytes) + " bytes of dynamic shared memory";
    out += "\n";
  }
  for (std::size_t i = 0; i < r.tensors.size(); ++i) {
    const run::TensorReport& t = r.tensors[i];
    const run::BoundTensor& b = r.bound.tensors[i];
    std::string name = std::string(run::kRoleWords[b.role]);
    name.resize(8, ' ');
    out += "  " + name + " " + b.name + " " + ir::dtype_name(b.dtype) + " (";
    for (std::size_t d = 0; d < b.shape.size(); ++d) out += (d ? ", " : "") + std::to_string(b.shape[d]);
    out += ")";
    if (b.role != run::Role::Output) out += "  " + text::visible(t.source);
    if (t.comparison && !t.comparison->mismatches) {
      out += "  " + std::string(c.green) + "as expected" + std::string(c.plain) + " (" + text::visible(t.expected_from);
      if (t.comparison->max_absolute > 0)
        out += ", largest difference " + text::formatted("%.3g", t.comparison->max_absolute);
      out += ")";
    }
    if (!t.file.empty()) out += "  → " + text::visible(t.file);
    out += "\n";
    if (std::string ulps = t.comparison ? ulps_text(*t.comparison) : ""; !ulps.empty())
      out += "           units in the last place: " + ulps + "\n";
    if (t.producer)
      out += "           " + run::coordinate(b, t.comparison->first) + " was written at " +
             producer_text(*t.producer, anchors) + "\n";
  }
  if (r.secret_seed)
    out += "  seed     " + std::to_string(r.seed) + ", drawn for this run: --seed " + std::to_string(r.seed) +
           " repeats it\n";
  if (r.timing) out += timing_text(r);
  out += watches_text(r);
  if (!r.outcome.profile.empty()) out += profile_text(work::profile_of(answer), anchors, c);
  if (r.outcome.samples) out += sampled_text(answer);
  if (!answer.marked.empty()) out += marks_text(answer);
  if (!r.outcome.printed.empty())
    out += "  printed\n" + r.outcome.printed + (r.outcome.printed.ends_with('\n') ? "" : "\n");
  for (const std::string& p : r.problems)
    out += "  " + std::string(c.red) + "wrong" + std::string(c.plain) + "    " + text::visible(p) + "\n";
  if (r.fault) {
    out += "  at       " + place_text(r.fault, anchors) + ": " + text::visible(r.fault_reason) +
           " (as the simulator finds it on the same inputs)\n";
  }
  for (const std::string& n : r.notes)
    out += "  " + std::string(c.yellow) + "note" + std::string(c.plain) + "     " + text::visible(n) + "\n";
  std::string_view colour = r.problems.empty() ? (r.verified() ? c.green : c.yellow) : c.red;
  std::string verdict(r.verdict());
  if (verdict == "partial") verdict = "verified for " + r.outcome.part + " only";
  return out + std::string(colour) + verdict + std::string(c.plain) + "\n";
}

int run_status(const work::RunAnswer& answer) {
  using End = work::RunAnswer::End;
  switch (answer.end) {
    case End::Reported:
      if (!answer.report.problems.empty() || answer.report.outcome.status != run::Status::Done) return 1;
      // An error elsewhere in the script may be why nothing was compared.
      return answer.report.verdict() == "unverified" && answer.compiled.has_errors() ? 1 : 0;
    case End::Errors: return 1;
    case End::Skipped: return 0;
    case End::Stopped: return 130;
    case End::NoDevice:
    case End::Unusable: break;
  }
  return 2;
}

Json run_refusal(std::string_view status, const run::Failure& failure) {
  return {{"status", status}, {"error", failure.message}, {"hint", failure.hint}};
}

// What the compiler says of the script: errors and warnings.
static Json script_diagnostics(const session::Compiled& compiled) {
  Json out = Json::array();
  if (!compiled.evaluation) return out;
  for (const text::Diagnostic& d : compiled.diagnostics)
    if (d.severity <= text::Severity::Warning) out.push_back(diagnostic_json(d, compiled.evaluation->anchors));
  return out;
}

Json run_json(const work::RunAnswer& answer) {
  using End = work::RunAnswer::End;
  switch (answer.end) {
    case End::Reported: {
      Json report = report_json(answer.report, answer.compiled.evaluation->anchors);
      if (!answer.where.empty()) report["where"] = answer.where;
      if (!answer.report.outcome.profile.empty())
        report["profile"] = profile_json(work::profile_of(answer), answer.compiled.evaluation->anchors);
      if (answer.report.outcome.samples) report["samples"] = sampled_json(answer);
      if (!answer.marked.empty()) report["timeline"] = marks_json(answer);
      if (Json said = script_diagnostics(answer.compiled); !said.empty()) report["diagnostics"] = std::move(said);
      return report;
    }
    case End::NoDevice: return run_refusal("no_device", answer.failure);
    case End::Unusable: return run_refusal("refused", answer.failure);
    case End::Skipped: return run_refusal("skipped", answer.failure);
    case End::Errors: {
      Json refusal = run_refusal("errors", {"the script has errors", "`tilewright check` lists them"});
      if (Json said = script_diagnostics(answer.compiled); !said.empty()) refusal["diagnostics"] = std::move(said);
      return refusal;
    }
    case End::Stopped: break;
  }
  return nullptr;
}

std::string run_place(const work::RunAnswer& answer) {
  using End = work::RunAnswer::End;
  if (!answer.compiled.evaluation) return {};
  const text::Anchors& anchors = answer.compiled.evaluation->anchors;
  const run::Report& r = answer.report;
  if (answer.end == End::Reported) {
    if (r.fault) return place_text(r.fault, anchors);
    if (!r.outcome.findings.empty()) return place_text(r.outcome.findings.front().origin.span, anchors);
    for (const run::TensorReport& t : r.tensors)
      if (t.producer) return place_text(t.producer->origin.span, anchors);
  } else {
    for (const text::Diagnostic& d : answer.compiled.diagnostics)
      if (d.severity == text::Severity::Error) return place_text(d.span, anchors);
  }
  return answer.compiled.kernels.empty() ? std::string()
                                         : place_text(answer.compiled.kernels.front().value->kernel.span, anchors);
}

std::string run_messages(const work::RunAnswer& answer, const Colours& c) {
  using End = work::RunAnswer::End;
  // What the script lacks for a device that it is not written for is no fault of its own.
  if (answer.end == End::Skipped)
    return "tilewright: " + text::visible_message(answer.failure.message) + "\n  " + answer.failure.hint + "\n";
  std::string out;
  auto diagnostics = [&](const session::Compiled& compiled, text::Severity least) {
    for (const text::Diagnostic& d : compiled.diagnostics)
      if (d.severity <= least) out += diagnostic_text(d, compiled.evaluation->anchors, c);
  };
  diagnostics(answer.compiled, text::Severity::Warning);
  if (answer.end == End::Reported) {
    for (const simulate::Finding& f : answer.report.outcome.findings)
      out += diagnostic_text(run::diagnostic_of(f, answer.compiled.evaluation->anchors),
                             answer.compiled.evaluation->anchors, c);
  }
  if (answer.end == End::Stopped) return out + "tilewright: interrupted\n";
  if (answer.end != End::NoDevice && answer.end != End::Unusable) return out;
  diagnostics(answer.reference, text::Severity::Error);
  out += "tilewright: " + text::visible_message(answer.failure.message) + "\n";
  if (!answer.failure.hint.empty()) out += "  " + text::visible_message(answer.failure.hint) + "\n";
  return out;
}

}  // namespace tilewright::render
