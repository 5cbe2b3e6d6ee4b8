#include "server/render/profile.h"

#include <algorithm>
#include <array>

#include "compiler/simulate/profile/machine_accesses.h"
#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "compiler/text/words.h"

namespace tilewright::render {
namespace {

using simulate::ProfiledPlace;
using simulate::Traffic;

constexpr std::size_t kMostLines = 20, kMostText = 48, kMostMade = 6;

Json traffic_json(const Traffic& t, const char* unit) {
  return {{"requests", t.requests}, {unit, t.units}, {"ideal", t.ideal}, {"bytes", t.bytes}, {"worst", t.worst}};
}

// {from, needed, ideal} or {from, why}.
Json engine_json(const ProfiledPlace& p) {
  const work::EngineWavefronts engine = work::engine_wavefronts(p);
  Json out{{"from", work::from_words(engine.needed.from)}};
  if (engine.needed.from != work::From::NotAvailable) {
    out["needed"] = p.engine.units;
    out["ideal"] = p.engine.ideal;
  } else {
    out["why"] = engine.why.empty() ? "no operation beside the threads uses shared memory here" : engine.why;
  }
  return out;
}

Json counted_json(const ProfiledPlace& p) {
  return {{"global_read", traffic_json(p.global_read, "sectors")},
          {"global_write", traffic_json(p.global_write, "sectors")},
          {"shared_read", traffic_json(p.shared_read, "wavefronts")},
          {"shared_write", traffic_json(p.shared_write, "wavefronts")},
          {"atomics", p.atomics},
          {"atomic_requests", p.combined.requests},
          {"atomic_turns", p.combined.units},
          {"operations", p.operations},
          {"copied_global_bytes", p.copied_global},
          {"copied_global_sectors", p.copied_sectors},
          {"copied_shared_bytes", p.copied_shared},
          {"copied_shared_wavefronts", engine_json(p)},
          {"tensor_operations", p.multiplied},
          {"barrier_waits", p.waits},
          {"barrier_meetings", p.meetings},
          {"uncounted", p.uncounted}};
}

// "4,096 (ideal)", "32,768 (8.0 × ideal)".
std::string units_text(const Traffic& read, const Traffic& write) {
  const std::uint64_t units = read.units + write.units, ideal = read.ideal + write.ideal;
  if (units == 0) return "-";
  if (units <= ideal || ideal == 0) return work::grouped(units);
  return work::grouped(units) + " (" +
         text::formatted("%.1f", static_cast<double>(units) / static_cast<double>(ideal)) + " × ideal)";
}

std::string copies_text(const ProfiledPlace& p) {
  return p.copied_global || p.copied_shared ? work::grouped(std::max(p.copied_global, p.copied_shared)) + " bytes"
                                            : "-";
}

// What copies and tensor cores ask of shared memory; empty: nothing.
std::string engine_text(const ProfiledPlace& p) {
  const work::EngineWavefronts engine = work::engine_wavefronts(p);
  const std::string of = "    shared memory of copies and tensor cores: ";
  if (!engine.why.empty()) return of + "wavefronts are not available: " + std::string(engine.why) + "\n";
  if (engine.needed.from == work::From::NotAvailable) return {};
  return of + "at least " + units_text(p.engine, {}) + " wavefronts for " + work::grouped(p.engine.bytes) +
         " bytes, modelled from their addresses\n";
}

}  // namespace

std::string made_text(const work::ProfileAnswer& profile) {
  if (!profile.why.empty())
    return "    accesses count as the script writes them; NVIDIA's compiler may join some, and is not there: " +
           text::visible(profile.why.substr(0, profile.why.find('\n'))) + "\n";
  if (!profile.as_compiled) return "    accesses count as the script writes them\n";
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostMade, profile.made.size()); ++i) {
    const work::MadeAccesses& one = profile.made[i];
    out += (i ? "; " : "    counted as NVIDIA's compiler makes them: ") + std::string("in line ") +
           std::to_string(one.line + 1) + " " + work::grouped(one.written) + " " +
           std::string(work::access_words(one.kind)) +
           (one.made ? " become " + work::grouped(one.made) : " are left out");
  }
  if (profile.made.size() > kMostMade)
    out += "; and " + text::counted(profile.made.size() - kMostMade, "other") + " (--json has all)";
  return out.empty() ? out : out + "\n";
}

Json made_json(const work::ProfileAnswer& profile) {
  constexpr auto kKinds =
      text::words_of<simulate::AccessKind>({"global_read", "global_write", "shared_read", "shared_write"});
  Json lines = Json::array();
  for (const work::MadeAccesses& one : profile.made)
    lines.push_back({{"line", one.line + 1}, {"kind", kKinds[one.kind]}, {"written", one.written}, {"made", one.made}});
  return {{"counted_as", profile.as_compiled ? "compiled" : "written"},
          {"why", profile.why.empty() ? Json(nullptr) : Json(profile.why)},
          {"changed", std::move(lines)}};
}

std::string shortened_line(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  std::string out = text::visible(text);
  std::size_t at = 0;
  for (std::size_t seen = 0; at < out.size(); ++at)
    if ((out[at] & 0xC0) != 0x80 && ++seen == kMostText) return out.substr(0, at) + "…";
  return out;
}

std::string profile_text(const work::ProfileAnswer& profile, const text::Anchors& anchors, const Colours& c) {
  const ProfiledPlace& total = profile.total;
  std::string out = "  profile  counted by the simulator; " + work::grouped(work::global_bytes(total)) +
                    " bytes of sectors of global memory";
  if (total.multiplied)
    out += ", " + work::grouped(total.multiplied) +
           " operations of tensor cores: " + text::formatted("%.1f", profile.intensity()) + " a byte";
  out += "\n";
  using Row = std::array<std::string, 6>;
  std::vector<Row> rows{{"line", "share", "global sectors", "shared wavefronts", "copied", ""}};
  double cost = 0;
  for (const work::ProfiledLine& line : profile.lines) cost += line.cost;
  for (std::size_t i = 0; i < std::min(kMostLines, profile.lines.size()); ++i) {
    const work::ProfiledLine& line = profile.lines[i];
    rows.push_back({std::to_string(line.line + 1),
                    cost > 0 ? text::formatted("%.0f", 100 * line.cost / cost) + " %" : "-",
                    units_text(line.counted.global_read, line.counted.global_write),
                    units_text(line.counted.shared_read, line.counted.shared_write), copies_text(line.counted),
                    shortened_line(line.text)});
  }
  std::array<std::size_t, 6> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text::columns_of(row[i]));
  for (const Row& row : rows) {
    std::string line = "   ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) line += text::padded(row[i], widths[i], true) + "  ";
    line += row.back();
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (profile.lines.size() > kMostLines)
    out += "    and " + text::counted(profile.lines.size() - kMostLines, "line") + " more (--json has all)\n";
  if (total.combined.requests)
    out += "    atomic accesses: " + text::counted(total.combined.requests, "request") + " of warps take " +
           work::grouped(total.combined.units) + " turns, one address at a time\n";
  out += made_text(profile) + engine_text(total);
  out += "    the share is modelled from these counts with an H100's rates; no time was measured\n";
  if (!profile.complete)
    out += "    of what ran alone: this was no whole run, and CTAs that did not end are left out\n";
  if (total.uncounted)
    out += "    " + work::grouped(total.uncounted) + " accesses are not counted: their warps' lanes diverged too far\n";
  for (const text::Diagnostic& d : profile.advice) out += diagnostic_text(d, anchors, c);
  return out;
}

Json profile_json(const work::ProfileAnswer& profile, const text::Anchors& anchors) {
  Json lines = Json::array(), advice = Json::array();
  for (const work::ProfiledLine& line : profile.lines) {
    Json chain = Json::array();
    for (text::Span s : line.chain) chain.push_back(range_json(s, anchors));
    Json one = counted_json(line.counted);
    one.update(
        {{"file", line.path}, {"line", line.line + 1}, {"text", line.text}, {"cost", line.cost}, {"chain", chain}});
    lines.push_back(std::move(one));
  }
  for (const text::Diagnostic& d : profile.advice) advice.push_back(diagnostic_json(d, anchors));
  Json buffers = Json::array();
  for (const work::LaidOut& one : profile.buffers) {
    Json others = Json::array();
    for (std::size_t i = 0; i < std::size(simulate::kOtherRows); ++i)
      others.push_back({{"layout", work::layout_words(one.counted, simulate::kOtherRows[i])},
                        {"wavefronts", one.counted.others[i]}});
    buffers.push_back({{"name", ir::spoken_name(*one.buffer)},
                       {"row_bytes", one.counted.row_bytes},
                       {"rows", one.counted.rows},
                       {"used_by_copies", one.counted.is_copied},
                       {"wavefronts", one.counted.wavefronts},
                       {"ideal", one.counted.ideal},
                       {"advised", one.better ? others[*one.better]["layout"] : Json(nullptr)},
                       {"others", std::move(others)}});
  }
  return {{"counted_by", "simulator"},
          {"cost_is", "modelled"},
          {"complete", profile.complete},
          {"total", counted_json(profile.total)},
          {"global_bytes", work::global_bytes(profile.total)},
          {"operations_per_byte", profile.intensity()},
          {"lines", std::move(lines)},
          {"buffers", std::move(buffers)},
          {"accesses", made_json(profile)},
          {"advice", std::move(advice)}};
}

}  // namespace tilewright::render
