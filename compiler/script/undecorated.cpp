#include "compiler/script/undecorated.h"

#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/interpreter.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/tree.h"
#include "compiler/text/letters.h"

namespace tilewright::script {
namespace {

using namespace syntax;

// The name before the dot in a statement `T.device_entry()`; empty: it is another statement.
std::string_view device_entry_of(const Node* statement) {
  auto* e = as<ExprStmt>(statement);
  auto* call = e ? as<Call>(e->value) : nullptr;
  auto* entry = call ? as<Attribute>(call->function) : nullptr;
  auto* dialect = entry && entry->name.text == "device_entry" ? as<NameRef>(entry->object) : nullptr;
  return dialect ? dialect->name.text : std::string_view();
}

class Undecorated {
 public:
  explicit Undecorated(Evaluation& e) : e_(e), text_(e.tree->source()->text()) {}

  void run() {
    for (const Tree::Statement& s : e_.tree->statements()) {
      statement_ = s.node.get();
      look(s.node->statement, true);
    }
  }

 private:
  // Statements alone, and none of what is decorated: this looks at a script after each keystroke. Methods are left out,
  // too: who makes kernels of them is not seen here.
  void look(const Node* statement, bool outermost) {
    auto* f = as<FunctionDef>(statement);
    if (!f || !f->decorators.empty()) return;
    consider(*f, outermost);
    for (const Node* inner : f->body) look(inner, false);
  }

  // Another file may make a kernel of it, or run it inside of one: it is named again, and not just to be compiled.
  bool is_used(std::string_view name) const {
    for (std::size_t at = text_.find(name); at != text_.npos; at = text_.find(name, at + 1)) {
      const std::string_view before = text_.substr(0, at), after = text_.substr(at + name.size());
      const bool part = (!before.empty() && text::is_ascii_name_byte(before.back())) ||
                        (!after.empty() && text::is_ascii_name_byte(after.front()));
      const bool harmless = before.ends_with("def ") || before.ends_with("return ") || before.ends_with("compile(") ||
                            before.ends_with("build(");
      const bool comment = before.substr(before.rfind('\n') + 1).find('#') != before.npos;
      if (!part && !harmless && !comment) return true;
    }
    return false;
  }

  void consider(const FunctionDef& f, bool outermost) {
    const auto entry = std::ranges::find_if(f.body, [](const Node* s) { return !device_entry_of(s).empty(); });
    if (entry == f.body.end() || is_used(f.name.text)) return;
    const std::string_view alias = device_entry_of(*entry);
    const Scope::Binding* dialect = e_.module->find(Name{alias, hash_name(alias), {}});
    Namespace* space = dialect ? dialect->value.as<Namespace>() : nullptr;
    if (!space || space->space != "T") return;
    text::Diagnostic& d = e_.diagnostics.emplace_back();
    d.code = code::kDeviceEntry;
    d.severity = text::Severity::Warning;
    d.message = "'" + std::string(f.name.text) + "' is a plain function: nothing makes a kernel of it";
    d.span = {statement_->id, f.name.at.begin, f.name.at.end};
    d.hint = "write @" + std::string(alias) + ".prim_func above it";
    if (outermost) {
      d.fix = {text::Fix::Kind::LineAbove, "Write @" + std::string(alias) + ".prim_func above it",
               "@" + std::string(alias) + ".prim_func"};
    }
  }

  Evaluation& e_;
  std::string_view text_;
  const TopLevel* statement_ = nullptr;
};

}  // namespace

void report_undecorated(Evaluation& e) {
  if (e.tree->source()->text().find("device_entry") == std::string_view::npos || !e.tree->errors().empty()) return;
  Undecorated(e).run();
}

}  // namespace tilewright::script
