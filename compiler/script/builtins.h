// Python's builtin names, and what the library keeps for one evaluation.
//
// Each evaluation has values of its own, since a script may set attributes of the classes; they are made when a name is
// first asked for: a script uses a handful of two hundred.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/script/value.h"

namespace tilewright::script {

class Builtins {
 public:
  explicit Builtins(Interpreter& in);

  // What the name or key stands for; null: nothing. It stays where it is as long as no key is set.
  Value* find(const syntax::Name& name);
  Value* find(std::string_view name);
  // Is there such a name or key? Makes nothing.
  bool has(const syntax::Name& name);
  // A value that the library makes once in an evaluation. Scripts see no key: each has a dot. `key` lives as long as
  // the evaluation.
  void set(std::string_view key, Value value);
  // Those that were made.
  template <class F>
  void for_made(F each) const {
    for (Value v : made_) each(v);
    for (const Scope::Binding& b : kept_.bindings) each(b.value);
  }
  // All names, then the keys that are set.
  std::vector<std::string_view> names() const;

 private:
  Interpreter& in_;
  std::vector<Value> made_;  // by place in the tables, one behind the other; an error: not asked for yet
  Scope kept_;               // by key
};

}  // namespace tilewright::script
