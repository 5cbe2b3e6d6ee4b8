// What names stand for beyond the script that says them: an imported function is the one of the other script, and its
// places are those of all scripts together.
//
// Imports are followed from script to script; attributes as far as names lead: of imported modules, of classes, of
// `self`, of what is given or annotated as an instance. What depends on values any further is asked of the values that
// an evaluation has there (`Depth::Values`), or stays unknown.
#pragma once
#include <functional>
#include <map>
#include <optional>

#include "compiler/syntax/path.h"
#include "server/ide/scripts.h"

namespace tilewright::ide {

struct Meaning {
  Script script;                            // that binds it
  const session::Symbol* symbol = nullptr;  // of script->symbols(); null: the script itself, as a module
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

struct Use {
  std::uint32_t begin = 0, end = 0;  // bytes of the script
  session::Role role = session::Role::Read;
  bool bare = false;  // a name by itself, which its scope gives the meaning; else behind a dot, a keyword or an import
};

class Names {
 public:
  // Is `g` of `from m import f as g` the function f, or a name of its own?
  enum class Aliases { SameThing, OwnNames };

  // May the script be evaluated to find out what something is? That takes milliseconds an expression.
  enum class Depth { Syntax, Values };

  Names(const Query& q, Aliases aliases, Depth depth = Depth::Syntax)
      : q_(q), scripts_(q), aliases_(aliases), depth_(depth) {}
  Scripts& scripts() { return scripts_; }

  // What a cursor at `offset` is at. Nothing: no name, or not known.
  std::optional<Meaning> at(const Script& script, std::uint32_t offset);
  // What an expression stands for, in the statement that begins at `offset`.
  std::optional<Meaning> of(const Script& script, std::uint32_t offset, const syntax::Node* node) {
    return of(script, offset, node, Way{aliases_});
  }
  // What a dotted name would stand for at `offset`, whether or not it is there yet.
  std::optional<Meaning> named(const Script& script, std::string_view dotted, std::uint32_t offset);
  // The class of what a cursor at `offset` is at; of a class itself. Nothing: it is of no class that a script defines.
  std::optional<Meaning> type_at(const Script& script, std::uint32_t offset);
  // Is what a dotted name stands for at `offset` a buffer, by what it is given or annotated as?
  bool is_buffer(const Script& script, std::string_view dotted, std::uint32_t offset);
  // What one can write behind the dot: of a module its names, of a class or its instance the members, those of its own
  // before inherited ones.
  void members(const Meaning& owner, const std::function<void(const Meaning& member)>& visit);
  // The function, method or class that a call calls, in the statement that begins at `offset`.
  std::optional<Meaning> callee(const Script& script, std::uint32_t offset, const syntax::Call& call);
  // The function whose parameters a call's keywords name: of a class its __init__, of `kernel.specialize(N=4)` the
  // kernel.
  std::optional<Meaning> keywords_of(const Script& script, std::uint32_t offset, const syntax::Call& call);

  // All places of one script that mean it, ascending. `unknown` becomes an attribute of the same name that may or may
  // not mean it. Incomplete after a stop.
  std::vector<Use> uses(const Script& script, const Meaning& meaning, std::optional<std::uint32_t>* unknown = nullptr);
  // Visits its own script, then every other one that might mean it, as far as it can be named elsewhere; ends when
  // `visit` says false. False: stopped before the end.
  bool everywhere(const Meaning& meaning, const std::function<bool(const Script&)>& visit);

 private:
  // How a name is followed, and how far it was so far.
  struct Way {
    Aliases aliases;
    int depth = 0;
    Way on() const { return {aliases, depth + 1}; }
    // Whatever leads to a member: its own aliases are all the same.
    Way through() const { return {Aliases::SameThing, depth + 1}; }
  };
  bool too_far(Way way);
  Meaning follow(const Script& script, const session::Symbol& symbol, Way way);
  // `name` of the module level of a script.
  std::optional<Meaning> member(const Script& module, std::string_view name, Way way);
  // `name` of a class, or of one that it inherits from.
  std::optional<Meaning> member_of_class(const Meaning& type, std::string_view name, Way way);
  std::optional<Meaning> imported(const Script& script, const syntax::ImportFrom& from, std::string_view name, Way way);
  std::optional<Meaning> of(const Script& script, std::uint32_t offset, const syntax::Node* node, Way way);
  std::optional<Meaning> of_attribute(const Script& script, std::uint32_t offset, const syntax::Attribute& node,
                                      Way way);
  // The class that a value is made from.
  std::optional<Meaning> class_of(const Script& script, std::uint32_t offset, const syntax::Node* value, Way way);
  std::optional<Meaning> class_of(const Meaning& variable, Way way);
  // The class that an annotation names: `Config`, `"Config"`, `Optional[Config]`, `Config | None`.
  std::optional<Meaning> annotated(const Script& script, std::uint32_t offset, const syntax::Node* annotation, Way way);
  // The class of the value that an evaluation has there; of a class itself.
  std::optional<Meaning> class_by_value(const Script& script, std::uint32_t offset, const syntax::Node* node, Way way);
  // What a keyword of a call names: a parameter, or a field where the class has no __init__ of its own.
  std::optional<Meaning> named_by_keyword(const Script& script, std::uint32_t offset, const syntax::Call& call,
                                          std::string_view name);
  void members_of_class(const Meaning& type, const std::function<void(const Meaning& member)>& visit, Way way);
  std::optional<Meaning> parameter(const Meaning& function, std::string_view name);

  // Begins with the meaning's own name.
  void look_for(const Meaning& meaning);
  bool is_called(std::string_view name) const;

  const Query& q_;
  Scripts scripts_;
  Aliases aliases_;
  Depth depth_;
  std::map<const syntax::Node*, std::optional<Meaning>> by_value_;  // that were evaluated
  int steps_ = 0;                                                   // of the search that goes on
  std::optional<Meaning> subject_;                                  // that is looked for
  std::vector<std::string> called_;                                 // what scripts were seen to call it so far
};

// Can other scripts name it? Names of the module level, members of its classes, parameters of both.
bool reaches_out(const session::SymbolIndex& index, const session::Symbol& symbol);
// Is it a name that an import gives itself, as in `import helpers as h`?
bool is_alias(const session::Symbol& symbol);
// Where it is bound first. Null: nowhere.
const session::Occurrence* defining(const session::SymbolIndex& index, const session::Symbol& symbol);
// The class whose body binds it; null: none.
const syntax::ClassDef* class_around(const session::SymbolIndex& index, const session::Symbol& symbol);
// The statement of the file, or the comment's expression, around a place, and the nodes there.
syntax::Path place_at(const session::SymbolIndex& index, std::uint32_t offset);
// Statements, then the expressions of comments.
void for_all_statements(const session::SymbolIndex& index,
                        const std::function<void(const syntax::Tree::Statement&)>& visit);

}  // namespace tilewright::ide
