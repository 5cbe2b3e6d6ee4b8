#include "server/ide/hints.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/ir/printer.h"
#include "compiler/syntax/walk.h"
#include "server/ide/call_words.h"
#include "server/ide/look.h"

namespace tilewright::ide {
namespace {

std::string plan_words(const dispatch::CallReport& call) {
  std::string out = "→ " + (call.variant.empty() ? "no variant" : std::string(call.variant));
  if (std::string width = width_words(call); !width.empty()) out += " · " + width;
  if (auto n = issue_count(call)) out += " · ×" + std::to_string(*n);
  if (auto n = moved_bytes(call)) out += " · " + grouped(*n) + " B";
  return out;
}

// One hint a call, of the first entry that reaches it, with a mark where other entries differ.
void variant_hints(std::vector<Hint>& out, const session::Analysis& analysis, const text::Source& source,
                   std::uint32_t begin, std::uint32_t end) {
  std::map<std::uint32_t, Hint> hints;
  std::map<std::uint32_t, std::set<std::string>> all;
  for (const EvaluatedCall& call : calls_in(analysis, source, 0, source.size())) {
    text::Anchors::Place at = call.anchors().resolve(call.report->call->origin.span);
    if (at.end < begin || at.end > end) continue;
    std::string words = plan_words(*call.report);
    all[at.end].insert(words);
    hints.try_emplace(at.end, Hint{at.end, Hint::Kind::Plan, words, call.report->summary});
  }
  for (auto& [at, hint] : hints) {
    if (all[at].size() > 1) hint.label += " (and " + std::to_string(all[at].size() - 1) + " other)";
    out.push_back(std::move(hint));
  }
}

// Bytes of the document. Spans are no keys: a kernel whose results are used again keeps those of the statement that it
// was evaluated from, which has another number since.
using Bytes = std::pair<std::uint32_t, std::uint32_t>;

std::string buffer_type(const ir::Buffer& b) {
  std::string out = ": " + ir::dtype_name(b.dtype);
  if (b.is_scalar) return out;
  out += "[";
  for (std::size_t i = 0; i < b.shape.size(); ++i) out += (i ? ", " : "") + ir::to_string(b.shape[i]);
  out += "]";
  if (b.scope != ir::StorageScope::Global) {
    out += " " + std::string(b.scope_text.empty() ? ir::storage_scope_name(b.scope) : b.scope_text);
  }
  return out;
}

// What the kernels made where, by the place of the expression that made it.
struct MadeValues {
  std::map<Bytes, std::string> types, scopes;
};
MadeValues made_values(const session::Analysis& analysis, const text::Source& source) {
  MadeValues made;
  const text::Anchors& anchors = analysis.first().evaluation->anchors;
  auto add = [&](std::map<Bytes, std::string>& to, text::Span span, auto&& words) {
    text::Anchors::Place at = anchors.resolve(span);
    if (at.source == &source && !to.contains({at.begin, at.end})) to.emplace(Bytes{at.begin, at.end}, words());
  };
  Arena scratch;
  ArenaScope scope(scratch);
  auto buffer = [&](const ir::Buffer* b) {
    if (b && b->span) add(made.types, b->span, [&] { return buffer_type(*b); });
  };
  for (const session::CompiledKernel& k : analysis.first().kernels) {
    for (const ir::Param& p : k.value->kernel.params) buffer(p.buffer);
    ir::walk_stmts(k.value->kernel.body, [&](const ir::Stmt* s) {
      if (const auto* a = ir::as<ir::Alloc>(s)) buffer(a->buffer);
      if (const auto* d = ir::as<ir::Decl>(s)) buffer(d->buffer);
      if (const auto* b = ir::as<ir::Bind>(s)) {
        add(made.types, s->origin.span, [&] { return ": " + ir::dtype_name(b->var->dtype); });
      }
      if (const auto* ids = ir::as<ir::ScopeIds>(s)) {
        std::string text;
        for (const ir::Var* v : ids->vars) {
          if (!v->range.bounded()) return true;
          text += (text.empty() ? "" : ", ") + std::to_string(v->range.lo) + ".." + std::to_string(v->range.hi);
        }
        add(made.scopes, s->origin.span, [&] { return text; });
      }
      return true;
    });
  }
  return made;
}

// Is the hint's gist in the text already?
bool says(std::string_view source, std::string_view words) { return source.find(words) != source.npos; }

void value_hints(std::vector<Hint>& out, const Query& q, const session::Analysis& analysis, std::uint32_t begin,
                 std::uint32_t end) {
  MadeValues made = made_values(analysis, q.snapshot->source());
  std::string_view source = q.snapshot->source().text();
  for (const syntax::Tree::Statement& statement : q.snapshot->tree()->statements()) {
    if (statement.offset > end || statement.offset + statement.node->text.size() < begin) continue;
    auto bytes = [&](const syntax::Node* n) {
      return Bytes{statement.offset + n->at.begin, statement.offset + n->at.end};
    };
    auto visit = [&](auto&& self, const syntax::Node* node) -> void {
      if (statement.offset + node->at.begin > end || statement.offset + node->at.end < begin) return;
      auto* assign = syntax::as<syntax::Assign>(node);
      const syntax::Node* target =
          assign && assign->targets.size() == 1 ? syntax::as<syntax::NameRef>(assign->targets[0]) : nullptr;
      if (target && q.preferences.inlay_hints.types) {
        std::uint32_t at = statement.offset + target->at.end;
        std::string_view written =
            source.substr(statement.offset + assign->value->at.begin, assign->value->at.end - assign->value->at.begin);
        for (Bytes place : {bytes(assign->value), bytes(assign), bytes(target)}) {
          auto it = made.types.find(place);
          if (it == made.types.end()) continue;
          std::string_view dtype = std::string_view(it->second).substr(2);
          dtype = dtype.substr(0, dtype.find('['));
          if (at >= begin && at <= end && !says(written, dtype)) out.push_back({at, Hint::Kind::Type, it->second, {}});
          break;
        }
      }
      auto* call = syntax::as<syntax::Call>(node);
      if (call && q.preferences.inlay_hints.scopes) {
        auto it = made.scopes.find(bytes(call));
        std::uint32_t at = statement.offset + call->at.end;
        if (it != made.scopes.end() && at >= begin && at <= end) {
          // `[32]` says as much as 0..31.
          bool literal = !call->args.empty();
          for (const syntax::Node* arg : call->args) {
            auto* list = syntax::as<syntax::List>(arg);
            literal = literal && list && std::ranges::all_of(list->elements, [](const syntax::Node* e) {
                        return e->kind == syntax::NodeKind::IntLit;
                      });
          }
          if (!literal && !it->second.empty()) out.push_back({at, Hint::Kind::ScopeId, it->second, {}});
        }
      }
      syntax::for_children(node, [&](const syntax::Node* child) { self(self, child); });
    };
    visit(visit, statement.node->statement);
  }
}

}  // namespace

Answer<std::vector<Hint>> hints(const Query& q, Stretch within) {
  auto analysis = q.analysis();
  if (!analysis) return cancelled();
  const Preferences::InlayHints& wanted = q.preferences.inlay_hints;
  std::vector<Hint> out;
  if (wanted.variants) variant_hints(out, *analysis, q.snapshot->source(), within.begin, within.end);
  if (wanted.types || wanted.scopes) value_hints(out, q, *analysis, within.begin, within.end);
  std::ranges::stable_sort(out, {}, &Hint::at);
  return out;
}

}  // namespace tilewright::ide
