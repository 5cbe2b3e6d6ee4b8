// Results of functions that depend on their arguments alone.
//
// Libraries compute lists of configurations by searches that ask one function of the same dict a thousand times. A
// function is *plain* if its text can do nothing but compute: it has no call but of builtins that compute, of methods
// of its values and of other plain functions, and reads nothing but its own names and constants. Then a second call
// with the same arguments gives the same result, which is copied where a script could change it. Constants are texts,
// numbers and tuples of them that a name of the module or of the builtins is bound to; a name that is bound again ends
// it. Arguments are the same if they are the same in all their parts, in the same order; where a call changes its
// arguments, its result is not kept.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/script/value.h"

namespace tilewright::script {

class Interpreter;

// The arguments of a call, as a row of their parts.
struct PlainKey {
  std::vector<Value> parts;
  std::size_t hash = 0;
  bool operator==(const PlainKey& other) const;
};

class PlainCalls {
 public:
  explicit PlainCalls(const Function* function) : function_(function) {}

  // A result that is kept. None: there is no such; `key` is then what keep() needs, null where nothing is to be kept.
  std::optional<Value> find(Interpreter& in, const Arguments& arguments, std::unique_ptr<PlainKey>& key);
  // After the call: keeps what it gave.
  void keep(Interpreter& in, std::unique_ptr<PlainKey> key, const Arguments& arguments, Value result);
  bool is_of(const Function* function) const { return function_ == function; }
  // Calls each(value) for the values that it holds.
  template <class F>
  void for_held(F each) const {
    each(Value::object(const_cast<Function*>(function_)));
    for (const Read& read : reads_) each(read.value);
    for (const auto& [hash, kept] : kept_) {
      for (Value part : kept.key.parts) each(part);
      each(kept.result);
    }
  }

 private:
  // A name that is not the function's own, and what it stood for.
  struct Read {
    syntax::Name name;
    Scope* module;
    Value value;
  };
  struct Kept {
    PlainKey key;
    Value result;
  };
  enum class State : std::uint8_t { New, Plain, Other };

  bool is_plain(Interpreter& in);
  bool is_as_before(Interpreter& in) const;
  bool add_function(Interpreter& in, const Function* function, int depth);
  bool add_name(Interpreter& in, Scope* module, const syntax::Name& name, int depth);

  const Function* function_;
  State state_ = State::New;
  std::vector<Read> reads_;
  std::unordered_multimap<std::size_t, Kept> kept_;
  std::size_t parts_ = 0;
  std::uint32_t asked_ = 0, found_ = 0;
};

}  // namespace tilewright::script
