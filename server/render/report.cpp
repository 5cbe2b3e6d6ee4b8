#include "server/render/report.h"

#include <algorithm>

#include "server/ide/words.h"

namespace tilewright::render {

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors, const Colours& c) {
  text::Anchors::Place place = anchors.resolve(call.call->origin.span);
  std::string out;
  std::string at =
      place.source ? place.source->path() + ":" + std::to_string(place.source->position(place.begin).line + 1) : "";
  out += std::string(c.bold) + at + "  " + std::string(call.call->primitive) + " → " +
         (call.variant.empty() ? std::string(c.red) + "no variant" : std::string(c.green) + std::string(call.variant)) +
         std::string(c.plain) + "   " + std::string(ir::exec_scope_name(call.call->scope)) + " scope";
  if (!call.call->dispatch.empty()) out += ", forced to " + std::string(call.call->dispatch);
  out += "\n";
  static constexpr const char* kNames[] = {"  dst        ", "  src        "};
  for (std::size_t i = 0; i < call.call->args.size(); ++i) {
    out +=
        (i < 2 ? kNames[i] : "  operand    ") + ide::operand_text(call.call->args[i], "\n             layout ") + "\n";
  }
  out += "  threads    together: " + ide::box_text(call.scope.intra) +
         "; instances: " + ide::box_text(call.scope.inter) + "\n";
  if (!call.scope.failure.empty()) out += "             " + call.scope.failure + "\n";
  for (const scope::Inexact& i : call.scope.inexact) out += "             assumed uniform: " + i.term + "\n";
  if (!call.facts.empty()) {
    out += "  facts      ";
    for (std::size_t i = 0; i < call.facts.size(); ++i) {
      out += (i ? ", " : "") + std::string(call.facts[i].name) + " " + ide::fact_text(call.facts[i].value);
    }
    out += "\n";
  }
  for (const dispatch::Trial& t : call.trials) {
    std::string_view colour = t.outcome == dispatch::Outcome::Chosen ? c.green : c.dim;
    std::string name(t.variant);
    name.resize(std::max<std::size_t>(name.size(), 13), ' ');
    out += "    " + std::string(colour) + name + " (" + std::to_string(t.priority) + ") " +
           std::string(dispatch::outcome_name(t.outcome)) + std::string(c.plain) +
           (t.reason.empty() ? "" : ": " + t.reason) + "\n";
  }
  return out;
}

}  // namespace tilewright::render
