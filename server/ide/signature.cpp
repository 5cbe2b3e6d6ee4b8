#include "server/ide/signature.h"

#include "server/ide/members.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {

std::optional<Signatures> signatures(const Query& q, std::uint32_t offset) {
  auto call = open_call(q.snapshot->source().text(), offset);
  if (!call) return std::nullopt;
  Names names(q, Names::Aliases::SameThing);
  auto found = callables_at(names, q, *call, offset);
  if (found.empty()) return std::nullopt;
  Signatures out;
  while (out.best + 1 < found.size() && found[out.best].parameters.size() <= call->argument) ++out.best;
  for (Callable& c : found) {
    Signature& form = out.forms.emplace_back();
    form.label = call->function + "(";
    bool by_place = true;  // before the star, after which a keyword names each
    for (std::size_t i = 0; i < c.parameters.size(); ++i) {
      by_place = by_place && c.parameters[i] != "*";
      if (i) form.label += ", ";
      form.label += c.parameters[i];
      std::string_view name = c.parameters[i];
      name = name.substr(0, name.find_first_of(":="));
      if (!call->keyword.empty() ? name == call->keyword : by_place && i == call->argument) form.active = i;
    }
    form.label += ")";
    if (!c.returns.empty()) form.label += " -> " + c.returns;
    if (!form.active && c.variadic && !c.parameters.empty()) form.active = c.parameters.size() - 1;
    form.parameters = std::move(c.parameters);
    form.documentation = c.documentation;
  }
  return out;
}

}  // namespace tilewright::ide
