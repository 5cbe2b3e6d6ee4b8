#include "server/mcp/calls.h"

#include <algorithm>
#include <set>

#include "compiler/ir/primitive.h"
#include "server/mcp/pages.h"
#include "server/mcp/words.h"
#include "server/render/json.h"
#include "server/work/width_reason.h"
#include "server/work/words.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kMostReason = 400, kMostOperand = 300, kMostLines = 12;

// The line of the script itself that leads to the call: its own, or that of an inline function's call.
std::uint32_t line_of(const dispatch::CallReport& report, const text::Anchors& anchors, const text::Source& own) {
  auto line = [&](text::Span span) -> std::uint32_t {
    const text::Anchors::Place at = anchors.resolve(span);
    return at.source && at.source->path() == own.path() ? place_in(own, at.begin).line : 0;
  };
  std::uint32_t found = line(report.call->origin.span);
  for (const ir::CallSite* site = report.call->origin.chain; site && found == 0; site = site->outer)
    found = line(site->span);
  return found;
}

bool covers(const dispatch::CallReport& report, const text::Anchors& anchors, const text::Source& own,
            std::uint32_t line) {
  auto here = [&](text::Span span) {
    const text::Anchors::Place at = anchors.resolve(span);
    return at.source && at.source->path() == own.path() && place_in(own, at.begin).line <= line &&
           place_in(own, at.end).line >= line;
  };
  if (here(report.call->origin.span)) return true;
  for (const ir::CallSite* site = report.call->origin.chain; site; site = site->outer)
    if (here(site->span)) return true;
  return false;
}

// Of several architectures one is told: the one asked for, else sm_90a, else the first.
std::string architecture_of(const session::Analysis& analysis, const std::string& asked) {
  if (!asked.empty()) return asked;
  std::string preferred = ir::Target().name();
  for (const session::Compiled& c : analysis.compiled)
    if (c.target.name() == preferred) return preferred;
  return analysis.first().target.name();
}

// Kernels of one factory are often served alike: the words of a call decide.
std::string key_of(const FoundCall& call) {
  std::string out = std::to_string(call.report->call->origin.span.anchor) + ":" +
                    std::to_string(call.report->call->origin.span.begin) + call_item(call, true).text;
  for (const ir::CallSite* site = call.report->call->origin.chain; site; site = site->outer)
    out += "/" + std::to_string(site->span.anchor) + ":" + std::to_string(site->span.begin);
  return out;
}

}  // namespace

std::expected<FoundCalls, std::string> calls_at(const Question& question) {
  const ide::Query& q = question.script.query;
  const std::string entry = question.arguments.text("entry");
  FoundCalls out;
  out.analysis = entry.empty() ? q.analysis() : ide::analysis_with(*q.snapshot, entry, q.stop);
  if (!out.analysis) return std::unexpected(kStopped);
  const auto line = question.arguments.number("line");
  if (line && *line < 1) return std::unexpected("lines count from 1");
  const text::Source& own = q.snapshot->source();
  std::set<std::string> seen;
  std::set<std::uint32_t> elsewhere;
  const std::string arch = architecture_of(*out.analysis, question.arguments.text("arch"));
  for (const session::Compiled& c : out.analysis->compiled) {
    if (arch != c.target.name() && out.analysis->compiled.size() > 1) continue;
    for (const session::CompiledKernel& k : c.kernels) {
      if (!k.dispatched || (!entry.empty() && k.entry->expression != entry && k.value->kernel.name != entry)) continue;
      for (const dispatch::CallReport& report : k.dispatched->calls) {
        const text::Anchors& anchors = c.evaluation->anchors;
        FoundCall call{&c, &k, &report, line_of(report, anchors, own)};
        if (line && !covers(report, anchors, own, static_cast<std::uint32_t>(*line))) {
          elsewhere.insert(call.line);
        } else if (seen.insert(key_of(call)).second) {
          out.list.push_back(call);
        }
      }
    }
  }
  if (!out.list.empty()) return out;
  if (elsewhere.empty()) {
    out.why_none = ": none was evaluated";
    return out;
  }
  out.why_none = " on this line; there are some on " + std::string(elsewhere.size() == 1 ? "line" : "lines");
  std::size_t shown = 0;
  for (const std::uint32_t other : elsewhere) {
    if (++shown > kMostLines) break;
    out.why_none += (shown == 1 ? " " : ", ") + std::to_string(other);
  }
  if (shown > kMostLines) out.why_none += ", ...";
  return out;
}

Item call_item(const FoundCall& found, bool whole) {
  const dispatch::CallReport& report = *found.report;
  const ir::TileCall& call = *report.call;
  const std::string variant(report.variant), scope(ir::exec_scope_name(call.scope));
  Item out;
  out.json = {{"line", found.line},
              {"primitive", call.primitive},
              {"scope", scope},
              {"entry", found.kernel->entry->expression},
              {"arch", found.kernel->target.name()},
              {"variant", variant.empty() ? Json(nullptr) : Json(variant)}};
  out.text = "line " + std::to_string(found.line) + ": " + std::string(call.primitive) + " → " +
             (variant.empty() ? "no variant" : variant) + " at " + scope + " scope, " +
             found.kernel->entry->expression + " for " + found.kernel->target.name();
  std::string facts;
  for (const dispatch::Fact& f : report.facts) {
    out.json["facts"][std::string(f.name)] = render::fact_json(f.value);
    facts += (facts.empty() ? "" : ", ") + std::string(f.name) + " " + work::fact_text(f.value);
  }
  if (!facts.empty()) out.text += "\n  facts: " + facts;
  if (!whole) return out;
  out.json["threads"] = work::box_text(report.scope.intra);
  out.text += "\n  threads: " + work::box_text(report.scope.intra);
  if (const std::string width = work::width_reason(report); !width.empty()) {
    out.json["width"] = width;
    out.text += "\n  width: " + width;
  }
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!ir::is_given(call.args[i])) continue;
    const std::string name(ir::operand_name(call, i));
    const std::string words = clipped(work::operand_text(call.args[i], ", layout "), kMostOperand);
    out.json["operands"][name] = words;
    out.text += "\n  " + name + ": " + words;
  }
  for (const dispatch::Trial& t : report.trials) {
    if (t.outcome == dispatch::Outcome::Chosen) continue;
    const std::string reason = clipped(t.reason, kMostReason);
    out.json["others"].push_back(
        {{"variant", t.variant}, {"outcome", dispatch::outcome_name(t.outcome)}, {"reason", reason}});
    out.text += "\n  " + std::string(t.variant) + " " + std::string(dispatch::outcome_name(t.outcome)) +
                (reason.empty() ? "" : ": " + reason);
  }
  return out;
}

std::string_view call_schema() {
  return R"({"type": "object", "properties": {
    "line": {"type": "integer", "description": "0: not written in this script"}, "primitive": {"type": "string"},
    "scope": {"type": "string"}, "entry": {"type": "string"}, "arch": {"type": "string"},
    "variant": {"type": ["string", "null"], "description": "null: none serves it"},
    "facts": {"type": "object"}, "threads": {"type": "string"},
    "width": {"type": "string", "description": "bytes of an access, and why no more"}, "operands": {"type": "object"},
    "others": {"type": "array", "items": {"type": "object", "properties": {"variant": {"type": "string"},
      "outcome": {"type": "string"}, "reason": {"type": "string"}}, "required": ["variant", "outcome"]}}},
    "required": ["line", "primitive", "scope", "variant"]})";
}

}  // namespace tilewright::mcp
