#include "server/render/report.h"

#include <algorithm>

#include "compiler/ir/primitive.h"
#include "compiler/text/escape.h"
#include "server/work/words.h"

namespace tilewright::render {
namespace {

// By the name that the primitive's row has for it. One that is left out has its default.
std::string operand_line(const ir::TileCall& call, std::size_t i) {
  constexpr std::size_t kColumn = 11;
  std::string name(ir::operand_name(call, i));
  name.resize(std::max(name.size() + 1, kColumn), ' ');
  const ir::PrimitiveOperand* row = ir::operand_row(call, i);
  std::string value = row && !ir::is_given(call.args[i]) ? std::string(row->fallback)
                                                         : work::operand_text(call.args[i], "\n             layout ");
  return "  " + name + value + "\n";
}

}  // namespace

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors, const Colours& c) {
  text::Anchors::Place place = anchors.resolve(call.call->origin.span);
  std::string out;
  std::string at = place.source ? text::visible(place.source->path()) + ":" +
                                      std::to_string(place.source->position(place.begin).line + 1)
                                : "";
  out += std::string(c.bold) + at + "  " + std::string(call.call->primitive) + " → " +
         (call.variant.empty() ? std::string(c.red) + "no variant" : std::string(c.green) + std::string(call.variant)) +
         std::string(c.plain) + "   " + std::string(ir::exec_scope_name(call.call->scope)) + " scope";
  if (!call.call->dispatch.empty()) out += ", forced to " + text::visible(call.call->dispatch);
  out += "\n";
  for (std::size_t i = 0; i < call.call->args.size(); ++i) out += operand_line(*call.call, i);
  out += "  threads    together: " + work::box_text(call.scope.intra) +
         "; instances: " + work::box_text(call.scope.inter) + "\n";
  if (!call.scope.failure.empty()) out += "             " + call.scope.failure + "\n";
  for (const scope::Inexact& i : call.scope.inexact) out += "             assumed uniform: " + i.term + "\n";
  if (!call.facts.empty()) {
    out += "  facts      ";
    for (std::size_t i = 0; i < call.facts.size(); ++i) {
      out += (i ? ", " : "") + std::string(call.facts[i].name) + " " + work::fact_text(call.facts[i].value);
    }
    out += "\n";
  }
  for (std::size_t i = 0; i < call.constants.size(); ++i) {
    out += (i ? "             " : "  constants  ") + call.constants[i] + "\n";
  }
  for (const dispatch::Trial& t : call.trials) {
    std::string_view colour = t.outcome == dispatch::Outcome::Chosen ? c.green : c.dim;
    std::string name(t.variant);
    name.resize(std::max<std::size_t>(name.size(), 13), ' ');
    out += "    " + std::string(colour) + name + " (" + std::to_string(t.priority) + ") " +
           std::string(dispatch::outcome_name(t.outcome)) + std::string(c.plain) +
           (t.reason.empty() ? "" : ": " + text::visible(t.reason)) + "\n";
  }
  return out;
}

}  // namespace tilewright::render
