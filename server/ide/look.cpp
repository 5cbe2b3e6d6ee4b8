#include "server/ide/look.h"

#include <algorithm>

#include "compiler/syntax/path.h"

namespace tilewright::ide {
namespace {

bool is_name(const syntax::Node* node) {
  return node && (node->kind == syntax::NodeKind::NameRef || node->kind == syntax::NodeKind::Attribute);
}

}  // namespace

Found look(const syntax::Tree& tree, std::uint32_t offset) {
  syntax::Path path = syntax::path_at(tree, offset);
  return {path.statement, std::move(path.nodes)};
}

std::string dotted(const syntax::Node* node) {
  if (auto* name = syntax::as<syntax::NameRef>(node)) return std::string(name->name.text);
  auto* attribute = syntax::as<syntax::Attribute>(node);
  if (!attribute) return {};
  std::string object = dotted(attribute->object);
  return object.empty() ? object : object + "." + std::string(attribute->name.text);
}

std::string docstring(syntax::Stmts body) {
  auto* first = body.empty() ? nullptr : syntax::as<syntax::ExprStmt>(body.front());
  auto* text = first ? syntax::as<syntax::StringLit>(first->value) : nullptr;
  if (!text) return {};
  std::string out;
  std::string_view rest = text->value;
  for (bool more = true; more;) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    std::size_t begin = line.find_first_not_of(" \t\r");
    more = end < rest.size();
    rest.remove_prefix(more ? end + 1 : end);
    if (begin == line.npos) {
      if (!out.empty()) break;  // the paragraph ends
      continue;
    }
    out.append(out.empty() ? "" : "\n").append(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
  }
  return out;
}

const syntax::Call* called(const Found& found) {
  std::size_t up = 0;
  if (!is_name(found.above(0))) return nullptr;
  while (auto* outer = syntax::as<syntax::Attribute>(found.above(up + 1))) {
    if (outer->object != found.above(up)) return nullptr;
    ++up;
  }
  auto* call = syntax::as<syntax::Call>(found.above(up + 1));
  return call && call->function == found.above(up) ? call : nullptr;
}

std::vector<EvaluatedCall> calls_in(const session::Analysis& analysis, const text::Source& source, std::uint32_t begin,
                                    std::uint32_t end) {
  std::vector<EvaluatedCall> out;
  for (const session::Compiled& c : analysis.compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (!k.dispatched) continue;
      for (const dispatch::CallReport& report : k.dispatched->calls) {
        text::Anchors::Place at = c.evaluation->anchors.resolve(report.call->origin.span);
        if (at.source == &source && at.begin >= begin && at.end <= end) out.push_back({&c, &k, &report});
      }
    }
  }
  return out;
}

const session::CompiledKernel* find_kernel(const session::Compiled& compiled, std::string_view entry,
                                           std::string_view name) {
  for (const session::CompiledKernel& k : compiled.kernels) {
    if (k.entry->expression == entry && (name.empty() || k.value->kernel.name == name)) return &k;
  }
  return nullptr;
}

}  // namespace tilewright::ide
