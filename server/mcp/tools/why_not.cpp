// why_not: why a variant does not serve a call, in full, and what would let it.
#include <algorithm>

#include "server/ide/actions.h"
#include "server/mcp/calls.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kMostReason = 1200, kMostRemedies = 6;

// What editors offer at the call: each has been tried.
Json remedies_at(const Question& question, const FoundCall& call) {
  Json out = Json::array();
  const ide::Query& q = question.script.query;
  const text::Anchors::Place at = call.compiled->evaluation->anchors.resolve(call.report->call->origin.span);
  if (!at.source || at.source->path() != question.script.path) return out;
  const auto offered = ide::actions(q, at.begin, {});
  if (!offered) return out;
  for (const ide::Action& action : *offered) {
    if (action.kind != ide::Action::Kind::Rewrite || out.size() == kMostRemedies) continue;
    out.push_back(clipped(action.title, 160));
  }
  return out;
}

Result why_not(const Question& question) {
  const std::string variant = question.arguments.text("variant");
  auto calls = calls_at(question);
  if (!calls) return std::unexpected(calls.error());
  if (calls->list.empty()) return std::unexpected("no tile primitive" + calls->why_none);
  Answer out;
  std::string all;
  for (const FoundCall& call : calls->list) {
    for (const dispatch::Trial& t : call.report->trials) {
      if (all.find(t.variant) == all.npos) all.append(all.empty() ? "" : ", ").append(t.variant);
      if (!variant.empty() && t.variant != variant) continue;
      if (variant.empty() && t.outcome == dispatch::Outcome::Chosen) continue;
      Json one{{"line", call.line},
               {"entry", call.kernel->entry->expression},
               {"arch", call.kernel->target.name()},
               {"variant", t.variant},
               {"outcome", dispatch::outcome_name(t.outcome)},
               {"reason", clipped(t.reason, kMostReason)}};
      if (!t.predicate.empty()) one["predicate"] = t.predicate;
      std::string text = std::string(t.variant) + " " + std::string(dispatch::outcome_name(t.outcome)) + " for " +
                         call.kernel->entry->expression + ", " + call.kernel->target.name();
      if (!t.reason.empty()) text += ": " + clipped(t.reason, kMostReason);
      out.items.push_back({std::move(one), std::move(text)});
    }
  }
  if (out.items.empty() && !variant.empty())
    return std::unexpected("this primitive has no variant '" + clipped(variant, 60) + "'; it has " + all);
  const FoundCall& first = calls->list.front();
  const std::string served(first.report->variant);
  const std::string line = std::to_string(first.line);
  Json remedies = remedies_at(question, first);
  out.head = {{"path", question.script.shown},
              {"primitive", first.report->call->primitive},
              {"served_by", served.empty() ? Json(nullptr) : Json(served)}};
  out.summary = question.script.shown + ":" + line + ": " + std::string(first.report->call->primitive) +
                (served.empty() ? " is served by no variant" : " is served by " + served);
  if (!remedies.empty()) {
    std::string words;
    for (const Json& one : remedies) words += (words.empty() ? "" : "; ") + one.get<std::string>();
    out.summary += ". Edits that were tried: " + words;
    out.head["edits"] = std::move(remedies);
  }
  out.list = "reasons";
  out.quotes = {"reasons"};
  out.next = {"docs",
              {{"search", std::string(first.report->call->primitive) + " " + (variant.empty() ? "variant" : variant)}},
              "the rules of the variants of this primitive"};
  return out;
}

}  // namespace

Tool why_not_tool() {
  return {.name = "why_not",
          .title = "Why a variant does not serve a call",
          .words =
              "For a tile primitive on a line: why a variant (default: each that was not chosen) does not serve it, "
              "with the numbers, and edits that were tried.",
          .parameters =
              {path_parameter(),
               {.name = "line", .kind = Parameter::Kind::Number, .words = "Line of the call, from 1", .required = true},
               {.name = "variant", .words = "Such as tma or ldgsts"},
               entry_parameter(),
               arch_parameter()},
          .output = R"({"properties": {"path": {"type": "string"}, "primitive": {"type": "string"},
    "served_by": {"type": ["string", "null"]}, "edits": {"type": "array", "items": {"type": "string"}},
    "reasons": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"},
      "entry": {"type": "string"}, "arch": {"type": "string"}, "variant": {"type": "string"},
      "outcome": {"type": "string"}, "reason": {"type": "string"}, "predicate": {"type": "string"}},
      "required": ["variant", "outcome", "reason"]}}}, "required": ["path", "primitive", "served_by", "reasons"]})",
          .example = R"({"path": "example:async_ldgsts", "line": 20, "variant": "tma"})",
          .answer = why_not};
}

}  // namespace tilewright::mcp
