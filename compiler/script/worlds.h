// What the objects of a script hold, kept while the script runs on in two ways from the same state.
//
// A condition that is not known is neither true nor false. Both of its ways run, one after the other, each from the
// state before it: a world each (Interpreter::either). What both leave alike stays known; what differs is unknown from
// there on, and says which condition it depends on. A way that leaves a loop, a function or a `try` ends in the state
// that it had: that state waits at the place where it arrives (Interpreter::Arrivals) and is joined with the others
// there.
//
// A container whose length or keys differ becomes unknown itself (Type::Unknown), so that every name for it is.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/script/value.h"

namespace tilewright::script {

// No script can tell them apart, and neither can be changed without the other.
bool is_same(Value a, Value b);
// The value if both are the same; else one that is not known.
Value joined(Value a, Value b, const char* why);
// What it holds is unknown from here on.
void become_unknown(Object* object, const char* why);
// The dict is about to change: what its views hold is not known from here on. `keys`: it gains or loses one.
void spoil_views(Dict* dict, bool keys);
// The first value that is not known, of the value or of what it holds; None: there is none. `parts` grows by how many
// were looked at.
Value unknown_within(Value v, std::size_t& parts);

class Snapshot {
 public:
  explicit Snapshot(std::span<Object* const> objects);
  Snapshot(Snapshot&&) = default;
  Snapshot& operator=(Snapshot&&) = default;

  // What it holds comes into the objects, and it holds what they held.
  void swap();
  // What the objects hold and differs from what is held here becomes unknown. Returns how much that is; appends the
  // values that this hides to `parted`.
  std::size_t join_into_objects(const char* why, std::vector<Value>& parted);

 private:
  struct Bindings {
    Scope* scope;
    std::vector<Scope::Binding> kept;
  };
  struct Kind {  // an object is what it is, or unknown
    Type type;
    const char* why;
  };
  struct Items {
    Object* object;
    std::vector<Value>* items;
    std::size_t* next;  // of an iterator; null
    Kind kind;
    std::vector<Value> kept;
    std::size_t kept_next = 0;
  };
  struct Entries {
    Object* object;
    Dict* dict;
    Kind kind;
    std::vector<std::pair<Value, Value>> kept;
    KeyIndex index;
    Set* set = nullptr;  // of which it is the entries
    SetTable table{};
    std::uint32_t version = 0;
  };
  struct Attributes {
    Instance* instance;
    Kind kind;
    std::vector<std::pair<std::string, Value>> kept;
  };
  struct Single {
    Value* value;
    Value kept;
  };
  struct Generator {
    Iterator* iterator;
    std::unique_ptr<Source> kept;
  };
  struct Cache {
    Jit* jit;
    std::vector<std::pair<std::vector<Value>, Value>> kept;
  };
  void keep(Object* object);
  static std::size_t join(Bindings& b, const char* why, std::vector<Value>& parted);
  static std::size_t join(Items& i, const char* why, std::vector<Value>& parted);
  static std::size_t join(Entries& e, const char* why, std::vector<Value>& parted);
  static std::size_t join(Attributes& a, const char* why, std::vector<Value>& parted);
  static std::size_t join(Generator& g, const char* why, std::vector<Value>& parted);

  std::vector<Bindings> scopes_;
  std::vector<Items> sequences_;
  std::vector<Entries> tables_;
  std::vector<Attributes> instances_;
  std::vector<Single> singles_;
  std::vector<Cache> caches_;
  std::vector<Generator> generators_;
};

}  // namespace tilewright::script
