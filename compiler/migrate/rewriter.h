// One step from a release to the next, over the statements of a script.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/expr/dtype.h"
#include "compiler/migrate/match.h"
#include "compiler/migrate/migrate.h"

namespace tilewright::migrate {

struct Step {
  std::vector<Edit> edits;
  std::vector<Decision> decisions;  // with places of the text as it was
};

class Rewriter {
 public:
  // `to` is the release after that of the names.
  Rewriter(const syntax::Tree& tree, const Names& names, text::Dialect to) : tree_(tree), names_(names), to_(to) {}

  Step step();
  // What the rules make of the nodes of one statement that hold [begin, end); of several the innermost.
  std::optional<Edit> at(std::uint32_t begin, std::uint32_t end);

 private:
  void statement(const syntax::Tree::Statement& s);
  void visit(const syntax::Node* n);
  void decide_alias(const syntax::Node* target, const syntax::Node* value);
  void visit_simple(const syntax::Node* n);
  void visit_children(const syntax::Node* n);
  bool visit_call(const syntax::Call& call, const syntax::Node* whole);
  bool visit_assignment(const syntax::Node* n, const syntax::Node* target, const syntax::Node* value,
                        const syntax::Node* annotation);
  bool visit_name(const syntax::Node* n);
  void visit_options(const syntax::Dict& dict);
  void visit_import(const syntax::ImportFrom& from);
  bool replace(const Match& given, const syntax::Node* whole, bool is_statement);
  void keep(const Match& m, const syntax::Call& call, bool again);
  void decide(const syntax::Node* n, std::string_view why, bool note = false);
  void edit(syntax::Extent at, std::string text);
  std::string words(const syntax::Node* n) const;
  std::string rewritten(const syntax::Node* n);
  std::optional<std::string> rendered(const Match& m, const syntax::Node* part, std::string_view text);
  // The dtype that the function gives a scalar or an element; none: its text does not say, or says several.
  std::optional<ir::DataType> dtype_of(const syntax::Node* n) const;
  // The space of what a pointer points into, as a word of an instruction: ".shared", or "" of global memory; none: it
  // is not known, or another one.
  std::optional<std::string> space_of(const syntax::Node* pointer) const;
  // The element of `bits` that a pointer points at, as the script writes it; none: it is another expression.
  std::optional<std::string> pointed_at(const syntax::Node* pointer, std::int64_t bits);
  std::optional<std::string> elements_of(const Match& m, const syntax::List& list);
  std::optional<std::string> indentation(const syntax::Node* n) const;
  std::size_t bindings_of(std::string_view name) const;
  bool has_own_layout(const Match& m) const;
  // The value of `name` within a longer word; `computed`: it stands there in braces. None: it is known at run time.
  std::optional<std::string> part_of_word(const Match& m, std::string_view name, bool* computed) const;

  // Instructions whose value a statement uses, written before it (hoist.cpp).
  struct Hoist {
    const syntax::Node* statement = nullptr;
    std::vector<std::string> first, again;  // their lines; again: without the declarations
  };
  bool is_kernel_code() const;
  void with_hoisting(const syntax::Node* statement, const std::function<void()>& visit);
  void visit_while(const syntax::While& loop);
  bool hoist(const syntax::Call& call);
  void put_before(const syntax::Node* statement, const std::vector<std::string>& lines, const std::string& indent);
  std::string fresh_name(std::string_view path);

  const syntax::Tree& tree_;
  const Names& names_;
  text::Dialect to_;
  const syntax::Tree::Statement* at_ = nullptr;
  std::vector<const syntax::FunctionDef*> functions_;
  Hoist* hoist_ = nullptr;  // of the statement under way; null: its parts may be evaluated never, or several times
  bool alone_ = false;      // one edit is asked for
  std::set<std::string, std::less<>> taken_;  // names that hoist() made
  Step out_;
};

}  // namespace tilewright::migrate
