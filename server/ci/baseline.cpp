#include "server/ci/baseline.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "compiler/run/statistics.h"
#include "protocol/uri.h"
#include "server/render/json.h"

namespace tilewright::ci {
namespace {

namespace bsp = protocol::bsp;
using protocol::Json;

constexpr const char* kFormat = "tilewright-baseline";
constexpr int kVersion = 1;
constexpr const char* kNth = " #";

std::string relative_to(const std::string& root, const std::string& path) {
  const std::string folder = root.ends_with('/') ? root : root + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

std::map<std::string, std::int64_t> counts_of(const bsp::KernelResources& r) {
  std::map<std::string, std::int64_t> out{{"registers", r.registers},
                                          {"spills", r.spill_stores + r.spill_loads},
                                          {"shared", r.static_shared + r.dynamic_shared}};
  if (r.instructions) out["instructions"] = *r.instructions;
  return out;
}

std::optional<Times> times_of(const Json& spread) {
  if (!spread.is_object() || !spread.contains("median_us")) return std::nullopt;
  return Times{spread.at("median_us").get<double>(), spread.at("p20_us").get<double>(),
               spread.at("p80_us").get<double>(), static_cast<std::int64_t>(spread.at("launches").size())};
}

auto key_of(const Measured& m) { return std::tie(m.script, m.entry, m.kernel, m.arch); }

const Measured* find(const std::vector<Measured>& among, const Measured& which) {
  const auto at = std::ranges::find_if(among, [&](const Measured& m) { return key_of(m) == key_of(which); });
  return at == among.end() ? nullptr : &*at;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f" : "%.3g", value);
  return text;
}

std::string growth(const std::string& cost, const std::string& unit, double before, double now) {
  std::string out = cost + " " + number(before) + " → " + number(now) + unit;
  char percent[32];
  std::snprintf(percent, sizeof percent, " (%+.1f %%)", before > 0 ? (now / before - 1) * 100 : 0);
  return before > 0 ? out + percent : out;
}

double noise_of(const Noise& noise, std::string_view cost) {
  return noise.percent[static_cast<std::size_t>(std::ranges::find(kCosts, cost) - kCosts.begin())] / 100;
}

class Comparison {
 public:
  Comparison(const Noise& noise, std::vector<Change>& out) : noise_(noise), out_(out) {}

  void counts(const Measured& before, const Measured& now) {
    for (const auto& [cost, was] : before.counts) {
      const auto at = now.counts.find(cost);
      if (at == now.counts.end()) {
        add(Change::Kind::NotCompared, now, cost + " of this build are not known");
        continue;
      }
      const double old = static_cast<double>(was), is = static_cast<double>(at->second);
      const std::string unit = cost == "spills" || cost == "shared" ? " bytes" : "";
      if (is > old * (1 + noise_of(noise_, cost)))
        add(Change::Kind::Worse, now, growth(cost, unit, old, is), cost, old, is);
      if (is < old) add(Change::Kind::Better, now, growth(cost, unit, old, is), cost, old, is);
    }
  }
  void times(const Measured& before, const Measured& now) {
    if (!before.cold && !before.hot) return;
    if (before.device != now.device)
      return add(Change::Kind::NotCompared, now,
                 "times: it ran on " + (now.device.empty() ? "nothing that measures" : now.device) +
                     ", the baseline is of " + before.device);
    spread("time", before.cold, now.cold, now);
    spread("time of launches in a row", before.hot, now.hot, now);
  }
  void add(Change::Kind kind, const Measured& what, std::string words, std::string cost = {}, double before = 0,
           double now = 0) {
    out_.push_back({kind,
                    {what.script, what.entry, what.kernel, what.arch, {}, {}, {}, {}},
                    std::move(cost),
                    before,
                    now,
                    std::move(words)});
  }

 private:
  void spread(const std::string& name, const std::optional<Times>& before, const std::optional<Times>& now,
              const Measured& what) {
    if (!before) return;
    if (!now) return add(Change::Kind::NotCompared, what, name + " was not measured");
    const double noise = noise_of(noise_, "time");
    const bool slower = now->median > before->median * (1 + noise) && now->p20 > before->p80;
    const bool faster = now->median < before->median / (1 + noise) && now->p80 < before->p20;
    if (slower || faster)
      add(slower ? Change::Kind::Worse : Change::Kind::Better, what, growth(name, " µs", before->median, now->median),
          "time", before->median, now->median);
  }

  const Noise& noise_;
  std::vector<Change>& out_;
};

Json json_of(const std::optional<Times>& t) {
  if (!t) return nullptr;
  return {{"median_us", t->median}, {"p20_us", t->p20}, {"p80_us", t->p80}, {"launches", t->launches}};
}

std::optional<Times> read_times(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Times{json.at("median_us").get<double>(), json.at("p20_us").get<double>(), json.at("p80_us").get<double>(),
               json.at("launches").get<std::int64_t>()};
}

Measured read_measured(const Json& json) {
  Measured out;
  json.at("script").get_to(out.script);
  json.at("entry").get_to(out.entry);
  json.at("arch").get_to(out.arch);
  return out;
}

// A record of tune (protocol/schema/tune.json).
std::expected<Baseline, std::string> read_tuned(const Json& json) {
  if (json.at("best").is_null()) return std::unexpected("it is a record of tune without a best candidate");
  Baseline out;
  json.at("tilewright").get_to(out.made_by);
  json.at("file").get_to(out.tuned_script);
  json.at("script_sha256").get_to(out.tuned_sha256);
  Measured best;
  json.at("best").get_to(best.entry);
  json.at("arch").get_to(best.arch);
  for (const Json& one : json.at("candidates")) {
    if (one.at("entry") != best.entry) continue;
    Measured kernel = best;
    one.at("kernel").get_to(kernel.kernel);
    kernel.counts["registers"] = one.at("registers").get<std::int64_t>();
    out.kernels.push_back(std::move(kernel));
    const auto samples = one.at("samples_us").get<std::vector<double>>();
    if (samples.empty()) continue;
    const run::Spread s = run::spread_of(samples);
    json.at("device").at("name").get_to(best.device);
    best.cold = Times{s.median, s.p20, s.p80, static_cast<std::int64_t>(samples.size())};
    out.runs.push_back(best);
  }
  return out;
}

}  // namespace

std::expected<void, std::string> read_noise(std::string_view text, Noise& into) {
  const auto equals = text.find('=');
  const auto cost = std::ranges::find(kCosts, text.substr(0, equals));
  std::string_view value = equals == text.npos ? std::string_view() : text.substr(equals + 1);
  if (value.ends_with('%')) value.remove_suffix(1);
  double percent = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), percent);
  if (cost == kCosts.end() || error != std::errc{} || end != value.data() + value.size() || !(percent >= 0))
    return std::unexpected("'" + std::string(text) +
                           "' is no noise: a cost (registers, spills, shared, instructions, time) and percent, as in "
                           "time=10");
  into.percent[static_cast<std::size_t>(cost - kCosts.begin())] = percent;
  return {};
}

Baseline measured(const std::vector<bsp::CompiledScript>& scripts, const std::vector<bsp::TestRun>& tests,
                  const std::string& root) {
  Baseline out{TILEWRIGHT_VERSION, {}, {}};
  for (const bsp::CompiledScript& script : scripts)
    for (const bsp::CompiledKernel& kernel : script.kernels) {
      if (!kernel.resources) continue;
      out.kernels.push_back({relative_to(root, protocol::path_of(script.uri)),
                             kernel.entry,
                             kernel.name,
                             kernel.arch,
                             counts_of(*kernel.resources),
                             {},
                             {},
                             {}});
    }
  std::map<std::pair<std::string, std::string>, int> seen;  // an entry may be run under several comments
  for (const bsp::TestRun& test : tests) {
    const int nth = ++seen[{test.uri, test.entry}];
    if (!test.run.is_object() || !test.run.contains("timing") || test.run.at("timing").is_null()) continue;
    const Json& timing = test.run.at("timing");
    const Json hot = timing.value("hot", Json());
    out.runs.push_back({relative_to(root, protocol::path_of(test.uri)),
                        nth == 1 ? test.entry : test.entry + kNth + std::to_string(nth),
                        {},
                        test.run.at("arch").get<std::string>(),
                        {},
                        test.run.at("device").at("name").get<std::string>(),
                        times_of(timing),
                        times_of(hot)});
  }
  return out;
}

std::string write_baseline(const Baseline& baseline) {
  render::Json out{{"format", kFormat}, {"version", kVersion}, {"made_by", baseline.made_by}};
  out["kernels"] = out["runs"] = render::Json::array();
  for (const Measured& m : baseline.kernels)
    out["kernels"].push_back(
        {{"script", m.script}, {"entry", m.entry}, {"kernel", m.kernel}, {"arch", m.arch}, {"counts", m.counts}});
  for (const Measured& m : baseline.runs)
    out["runs"].push_back({{"script", m.script},
                           {"entry", m.entry},
                           {"arch", m.arch},
                           {"device", m.device},
                           {"cold", json_of(m.cold)},
                           {"hot", json_of(m.hot)}});
  return render::dump(out) + "\n";
}

std::expected<Baseline, std::string> read_baseline(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.is_object() && json.contains("script_sha256")) return read_tuned(json);
    if (!json.is_object() || json.value("format", "") != kFormat)
      return std::unexpected("it is no baseline: `tilewright build --write-baseline FILE` makes one");
    if (json.at("version") != kVersion)
      return std::unexpected("it is a baseline of version " + json.at("version").dump() + ", this tool reads version " +
                             std::to_string(kVersion));
    Baseline out;
    json.at("made_by").get_to(out.made_by);
    for (const Json& one : json.at("kernels")) {
      Measured& m = out.kernels.emplace_back(read_measured(one));
      one.at("kernel").get_to(m.kernel);
      one.at("counts").get_to(m.counts);
      for (const auto& [cost, n] : m.counts)
        if (std::ranges::find(kCosts, cost) == kCosts.end()) return std::unexpected("there is no cost '" + cost + "'");
    }
    for (const Json& one : json.at("runs")) {
      Measured& m = out.runs.emplace_back(read_measured(one));
      one.at("device").get_to(m.device);
      m.cold = read_times(one.at("cold"));
      m.hot = read_times(one.at("hot"));
    }
    return out;
  } catch (const Json::exception& e) {
    return std::unexpected(std::string("it is no baseline: ") + e.what());
  }
}

std::vector<Change> compare(const Baseline& before, const Baseline& now, const Noise& noise, bool tested) {
  std::vector<Change> out;
  Comparison comparison(noise, out);
  for (const Measured& m : now.kernels) {
    if (const Measured* was = find(before.kernels, m))
      comparison.counts(*was, m);
    else
      comparison.add(Change::Kind::New, m, "is not in the baseline");
  }
  for (const Measured& m : before.kernels)
    if (!find(now.kernels, m)) comparison.add(Change::Kind::Gone, m, "is in the baseline and not in this build");
  if (!tested) return out;
  for (const Measured& m : now.runs)
    if (const Measured* was = find(before.runs, m)) comparison.times(*was, m);
  for (const Measured& m : before.runs)
    if (!find(now.runs, m)) comparison.add(Change::Kind::NotCompared, m, "times: nothing measured it in this build");
  return out;
}

std::string entry_of(const Measured& run) { return run.entry.substr(0, run.entry.rfind(kNth)); }

void take_faster(Baseline& into, const Baseline& again) {
  auto faster = [](std::optional<Times>& have, const std::optional<Times>& other) {
    if (have && other && other->median < have->median) have = other;
  };
  for (Measured& m : into.runs)
    if (const Measured* other = find(again.runs, m); other && other->device == m.device) {
      faster(m.cold, other->cold);
      faster(m.hot, other->hot);
    }
}

}  // namespace tilewright::ci
