// Kernels and functions of a text that its evaluation did not reach, and what is said of them.
#include <algorithm>
#include <cctype>
#include <optional>

#include "compiler/script/foreign.h"
#include "compiler/script/homes.h"
#include "compiler/script/spelling.h"
#include "compiler/script/surface.h"
#include "compiler/script/unbound.h"
#include "compiler/syntax/unread.h"

namespace tilewright::script {
namespace {

std::string_view decorator_name(const syntax::Node* node) {
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  if (auto* a = syntax::as<syntax::Attribute>(node)) return a->name.text;
  auto* r = syntax::as<syntax::NameRef>(node);
  return r ? r->name.text : std::string_view();
}

bool is_decorated(const syntax::FunctionDef& f, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(
      f.decorators, [&](const syntax::Node* d) { return std::ranges::find(names, decorator_name(d)) != names.end(); });
}

bool is_word_at(std::string_view text, std::size_t at, std::size_t size) {
  auto part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  return !part(at - 1) && !part(at + size);
}

// Does a line of the text define the name as an extent of a signature (tirx/signature.h): T.Buffer(("n", n * 2)), or
// `def f[n](...)`?
bool names_extent(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name, 1); at != text.npos; at = text.find(name, at + 1)) {
    if (!is_word_at(text, at, name.size())) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;  // of the line; npos + 1 is 0
    const std::string_view before = text.substr(begin, at - begin);
    const bool quoted = std::ranges::count(before, '"') % 2 == 1 || std::ranges::count(before, '\'') % 2 == 1;
    if (quoted && before.contains("Buffer(")) return true;
    const std::size_t bracket = before.find('['), parenthesis = before.find('(');
    if (before.contains("def ") && bracket < parenthesis && !before.contains(']')) return true;
  }
  return false;
}

class Unreached {
 public:
  explicit Unreached(Evaluation& e) : e_(e), in_(e.interpreter()) {}

  void run() {
    for (const syntax::Tree::Statement& s : e_.tree->statements()) {
      for (const syntax::FreeName& f : s.node->free_names().free) {
        if (said_.size() >= kMostRefused) return;
        if (is_bound(f.name) || is_extent(*s.node, f.name)) continue;
        if (said(f.name)) report(*s.node, f);
      }
    }
  }

 private:
  bool is_bound(const syntax::Name& name) {
    return e_.module->find(name) || in_.builtins().has(name) ||
           std::ranges::binary_search(bound(), name, syntax::before);
  }

  bool is_extent(const syntax::TopLevel& statement, const syntax::Name& name) {
    if (in_.dialect() < text::Dialect::V0_26 || ++looked_for_ > kMostRefused) return false;
    return names_extent(statement.text, name.text);
  }

  // Names that the module's text binds, whether or not it came there; in order. Most scripts never ask.
  const std::vector<syntax::Name>& bound() {
    if (bound_) return *bound_;
    bound_.emplace();
    for (const syntax::Tree::Statement& s : e_.tree->statements()) {
      for (const syntax::Name& name : s.node->free_names().bound) bound_->push_back(name);
    }
    std::ranges::sort(*bound_, syntax::before);
    return *bound_;
  }

  // False: it was said syntax::before.
  bool said(const syntax::Name& name) {
    if (in_.modules().is_refused(name) || is_given(name.text)) return false;
    if (std::ranges::find(said_, name) != said_.end()) return false;
    said_.push_back(name);
    return true;
  }

  void report(const syntax::TopLevel& statement, const syntax::FreeName& f) {
    // Names of a macro may be those of the place where it is used.
    if (f.function && is_decorated(*f.function, {"macro"})) return;
    const bool kernel = f.function && is_decorated(*f.function, {"prim_func", "jit", "inline", "function"});
    if (kernel && f.conditional) return;  // the branch may have been chosen while the kernel was built
    const bool reached = !f.conditional && (!f.function || kernel);
    std::string hint, in_t;
    const std::string_view path = path_at(statement.text, f.name.at.begin);
    const auto foreign = foreign_name(ForeignSpace::Any, path.empty() ? f.name.text : path, in_.dialect());
    if (foreign && kernel) {
      hint = foreign->hint;
    } else if (std::string line = import_line(in_.surface(), f.name.text); !line.empty()) {
      hint = "add: " + line;
    } else if (foreign) {
      hint = foreign->hint;
    } else if (e_.module->find("T") && in_.surface().find("T", f.name.text)) {
      in_t = "T." + std::string(f.name.text);
      hint = "write " + in_t;
    } else if (said_.size() <= kMostSuggested) {
      Nearby near(f.name.text);
      const auto& scopes = statement.free_names().scopes;
      for (std::uint32_t s = f.scope; s != 0; s = scopes[s].parent) {
        for (std::string_view name : scopes[s].names) near.consider(name);
      }
      for (const syntax::Name& name : bound()) near.consider(name.text);
      for (std::string_view name : in_.builtins().names()) near.consider(name);
      hint = near.hint();
    }
    text::Diagnostic& d = e_.diagnostics.emplace_back();
    d.code = code::kName;
    d.severity = reached ? text::Severity::Error : text::Severity::Warning;
    d.message = "name '" + std::string(f.name.text) + "' is not defined";
    d.span = {statement.id, f.name.at.begin, f.name.at.end};
    d.fix = in_t.empty() ? fix_of_hint(hint) : text::Fix{text::Fix::Kind::Replace, "Replace by " + in_t, in_t};
    d.hint = std::move(hint);
  }

  Evaluation& e_;
  Interpreter& in_;
  std::optional<std::vector<syntax::Name>> bound_;
  std::vector<syntax::Name> said_;
  std::size_t looked_for_ = 0;  // names that were looked for in the text
};

}  // namespace

bool means_tile_script(std::string_view text) {
  return text.find("tvm") != text.npos || text.find("tirx_lite") != text.npos ||
         text.find("tilewright:") != text.npos || text.find("prim_func") != text.npos;
}

void report_unbound(Evaluation& e) {
  if (!means_tile_script(e.tree->source()->text()) || !e.tree->errors().empty()) return;
  // (What names a statement takes is looked at below in any case, so that the quick test of everything_of() saves
  // nothing.)
  const auto is_module = [&](const Modules::Open& open) { return open.scope == e.module; };
  if (std::ranges::any_of(e.interpreter().modules().opened(), is_module)) return;
  const auto writes_globals = [](const syntax::Tree::Statement& s) { return s.node->free_names().writes_globals; };
  if (std::ranges::any_of(e.tree->statements(), writes_globals)) return;
  Unreached(e).run();
}

}  // namespace tilewright::script
