// Values that exist while a script is evaluated.
//
// A value is a small number, a run-time expression, or a pointer to an object of the evaluation's heap. Objects are
// dropped together when the evaluation ends: scripts are short-lived and cyclic (a module's function holds the module),
// and a memory budget bounds them. `Error` means "an exception is pending in the interpreter" and is never stored;
// `Poison` is what a reported error leaves behind: it silences everything that uses it. `Opaque` stands for what cannot
// be known here (numpy, torch, ...): it spreads through host code and hurts only where a kernel needs it.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/builder/kernel_builder.h"
#include "compiler/ir/kernel.h"
#include "compiler/layout/layout.h"
#include "compiler/script/memo.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

class Interpreter;
class PlainCalls;  // plain_calls.h
struct Object;
struct Record;

// Of scalars of numpy: their arithmetic wraps and rounds, and none of the integers is an int.
enum class NumpyType : std::uint8_t {
  None,
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  Float32,
  Float64,
};

enum class Tag : std::uint8_t { Error, Poison, Opaque, None, Ellipsis, NotImplemented, Bool, Int, Float, Expr, Object };

struct Value {
  Tag tag = Tag::None;
  // Int: the reference has an IntImm here (an extent, a stride). It counts and prints as any int; isinstance() tells.
  bool immediate = false;
  NumpyType numpy = NumpyType::None;  // Int, Float, Bool: None is Python's own
  union {
    bool b;
    std::int64_t i;
    double f;
    const ir::ExprNode* e;
    Object* o;
    const char* why;  // Opaque: where it came from; read it with reason()
  };

  Value() : i(0) {}
  static Value none() { return {}; }
  static Value error() { return with(Tag::Error); }
  static Value poison() { return with(Tag::Poison); }
  static Value ellipsis() { return with(Tag::Ellipsis); }
  static Value not_implemented() { return with(Tag::NotImplemented); }
  static Value opaque(const char* why) {
    Value v = with(Tag::Opaque);
    v.why = why;
    return v;
  }
  static Value boolean(bool x) {
    Value v = with(Tag::Bool);
    v.b = x;
    return v;
  }
  static Value integer(std::int64_t x) {
    Value v = with(Tag::Int);
    v.i = x;
    return v;
  }
  static Value immediate_integer(std::int64_t x) {
    Value v = integer(x);
    v.immediate = true;
    return v;
  }
  static Value floating(double x) {
    Value v = with(Tag::Float);
    v.f = x;
    return v;
  }
  static Value expr(ir::Expr x) {
    Value v = with(Tag::Expr);
    v.e = x.get();
    return v;
  }
  static Value object(Object* x) {
    Value v = with(Tag::Object);
    v.o = x;
    return v;
  }

  bool is_error() const { return tag == Tag::Error; }
  bool is_poison() const { return tag == Tag::Poison; }
  // Not known here: `Opaque`, or an object whose contents are not known any more.
  bool is_opaque() const;
  // Of an opaque value: where it came from, for the message that finally needs it.
  const char* reason() const;
  bool is_none() const { return tag == Tag::None; }
  bool is_ellipsis() const { return tag == Tag::Ellipsis; }
  bool is_bool() const { return tag == Tag::Bool; }
  bool is_int() const { return tag == Tag::Int; }
  bool is_float() const { return tag == Tag::Float; }
  bool is_expr() const { return tag == Tag::Expr; }
  bool is_object() const { return tag == Tag::Object; }
  ir::Expr as_expr() const { return ir::Expr(e); }

  template <class T>
  T* as() const;  // null when it is another kind of object

 private:
  static Value with(Tag tag) {
    Value v;
    v.tag = tag;
    return v;
  }
};

enum class Type : std::uint8_t {
  Str,
  BigInt,
  List,
  Tuple,
  Dict,
  Set,
  Range,
  Slice,
  Iterator,
  Function,
  Lambda,
  BoundMethod,
  Native,
  Class,
  Instance,
  Namespace,
  Property,
  StaticMethod,
  ClassMethod,
  Super,
  Buffer,
  Region,
  Layout,
  LayoutSpec,
  LayoutBuilder,
  Axis,
  AxisTerm,
  Iter,
  DataType,
  Frame,
  Kernel,
  Jit,
  MetaVar,
  PendingStore,
  TensorMapType,
  TypeAnnotation,
  Scope,
  Intrinsic,
  Unknown,  // what an object becomes whose contents depend on a condition that is not known (worlds.h)
};

struct Object {
  explicit Object(Type type) : type(type) {}
  virtual ~Object() = default;
  Type type;
  bool is_reached = false;    // while it is looked for what may be given back (collect.cpp)
  bool is_view = false;       // KeysView, ValuesView
  std::uint16_t size = 0;     // of the whole object, in bytes
  const char* why = nullptr;  // of Unknown
};

inline bool Value::is_opaque() const { return tag == Tag::Opaque || (tag == Tag::Object && o->type == Type::Unknown); }
inline const char* Value::reason() const { return tag == Tag::Object ? o->why : why; }

template <class T>
T* Value::as() const {
  return tag == Tag::Object && o->type == T::kType ? static_cast<T*>(o) : nullptr;
}

#define TILEWRIGHT_OBJECT(NAME, TYPE)       \
  static constexpr Type kType = Type::TYPE; \
  NAME() : Object(kType) {}

struct Str : Object {
  TILEWRIGHT_OBJECT(Str, Str)
  std::string text;
  mutable std::size_t hash = 0;  // 0: nothing has asked for it
};
struct BigInt : Object {  // integers outside int64: masks and policies of 64 unsigned bits, mostly
  TILEWRIGHT_OBJECT(BigInt, BigInt)
  __int128 value = 0;
};
struct List : Object {
  TILEWRIGHT_OBJECT(List, List)
  std::vector<Value> items;
};
struct Tuple : Object {
  TILEWRIGHT_OBJECT(Tuple, Tuple)
  std::vector<Value> items;
  mutable std::size_t hash = 0;  // of numbers, texts and tuples of them, once something has asked; else 0
};
// What an entry of a dict takes, with its place in the index.
inline constexpr std::size_t kEntryBytes = 120;
// Where a dict has its keys: from their hashes to positions, a table of open addressing that is at most half full.
class KeyIndex {
 public:
  std::size_t size() const { return keys_; }
  bool empty() const { return keys_ == 0; }
  void clear();
  void swap(KeyIndex& other) noexcept;
  void add(std::size_t hash, std::size_t position);
  // The first position under this hash of which `is` holds; none: there is no such. `is` may change the index. Keys
  // that stand in the way count as `passed`.
  template <class Is>
  std::optional<std::size_t> find(std::size_t hash, Is&& is, std::size_t& passed) const {
    const std::uint32_t wanted = mixed(hash);
    for (std::size_t i = wanted; !slots_.empty(); ++i, ++passed) {
      const Slot slot = slots_[i & (slots_.size() - 1)];
      if (slot.place == 0) break;
      if (slot.hash == wanted && is(std::size_t{slot.place - 1})) return slot.place - 1;
    }
    return std::nullopt;
  }
  // The key at this position is gone, and those after it are one lower.
  void remove(std::size_t position);
  // Each key goes where `places` says; kGone: it is gone.
  void move(std::span<const std::uint32_t> places);

  static constexpr std::uint32_t kGone = ~std::uint32_t{0};

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // the position, from 1; 0: free
  };
  static std::uint32_t mixed(std::size_t hash) {
    return static_cast<std::uint32_t>((hash * 0x9e3779b97f4a7c15ull) >> 32);
  }
  void put(Slot slot);

  std::vector<Slot> slots_;
  std::size_t keys_ = 0;
};
// Insertion-ordered; small ones are searched linearly.
struct Dict : Object {
  TILEWRIGHT_OBJECT(Dict, Dict)
  std::vector<std::pair<Value, Value>> items;
  KeyIndex index;              // once there are more than a few
  Object* owner = nullptr;     // the set that it is a part of; null: it stands alone
  std::uint32_t version = 0;   // counts keys that were added or removed
  std::vector<Object*> views;  // of it as it is now (worlds.h)
};
// The table of a set as CPython keeps it, as far as the order of iteration depends on it (python/set_order.h).
struct SetTable {
  std::vector<std::uint32_t> places{};  // the position of an entry each, or kFree, or kTrace; none yet: eight free ones
  std::size_t used = 0;                 // places that are not free
  std::size_t next_popped = 0;          // where pop() goes on
  bool by_insertion = false;            // there is no such order: items come as they were inserted

  static constexpr std::uint32_t kFree = ~std::uint32_t{0}, kTrace = kFree - 1;  // kTrace: of a removed item
};
struct Set : Object {
  static constexpr Type kType = Type::Set;
  Set() : Object(kType) { entries.owner = this; }
  Dict entries;
  SetTable table;
  bool is_frozen = false;
};
// What keys(), values() and items() give: the content of now, which becomes unknown when the dict changes.
struct KeysView : Set {
  KeysView() { is_view = true; }
  Dict* of = nullptr;
};
struct ValuesView : List {
  ValuesView() { is_view = true; }
  Dict* of = nullptr;
  bool has_keys = false;  // items()
};
// Null: it is something else.
inline KeysView* keys_view(Value v) {
  Set* set = v.as<Set>();
  return set && set->is_view ? static_cast<KeysView*>(set) : nullptr;
}
inline ValuesView* values_view(Value v) {
  List* list = v.as<List>();
  return list && list->is_view ? static_cast<ValuesView*>(list) : nullptr;
}
struct Range : Object {
  TILEWRIGHT_OBJECT(Range, Range)
  std::int64_t start = 0, stop = 0, step = 1;
  std::int64_t length() const {
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
  }
};
struct Slice : Object {
  TILEWRIGHT_OBJECT(Slice, Slice)
  Value start, stop, step;
};
// What asking an iterator for its next item came to. Unknown: whether there is one is not known, nor what it is.
enum class Next : std::uint8_t { Item, End, Unknown, Failed };

// Where an iterator takes its items from, one at a time: the call of a generator function, a generator expression, a
// map over one of them. Its state is kept and joined as that of other objects is (worlds.h).
struct Source {
  Source() = default;
  Source(const Source&) = default;
  Source& operator=(const Source&) = default;
  virtual ~Source() = default;
  virtual Next pull(Interpreter& in, Value sent, Value* item, text::Span span) = 0;
  virtual std::unique_ptr<Source> copy() const = 0;
  virtual bool same(const Source& other) const = 0;
  virtual std::vector<Value> parts() const = 0;          // the values that it holds
  virtual void add_held(std::vector<Object*>&) const {}  // objects that it holds beside them
  // Adds what going on with it may change; names that it binds outside of itself become unknown.
  virtual void add_changed(Interpreter& in, const char* why, std::vector<Value>& changed) const = 0;
};

struct Iterator : Object {  // zip, enumerate, generators, ...: consumed from the front
  TILEWRIGHT_OBJECT(Iterator, Iterator)
  std::vector<Value> items;
  std::size_t next = 0;
  std::unique_ptr<Source> source;  // of what comes after the items; null: nothing does
  bool is_running = false;         // its source is out, to make an item
};

// Exchanges what two lists hold. What points into the first stays right as far as both are long.
template <class T>
void exchange_items(std::vector<T>& a, std::vector<T>& b) {
  if (a.size() == b.size()) {
    std::swap_ranges(a.begin(), a.end(), b.begin());
    return;
  }
  std::vector<T> kept = a;
  a.assign(b.begin(), b.end());
  b = std::move(kept);
}

// The names that a function binds: they are its own, from its first line on.
struct LocalNames {
  std::uint64_t mask = 0;  // bits of their hashes
  std::vector<syntax::Name> names;
  std::uint32_t calls = 0;
  std::shared_ptr<PlainCalls> plain;  // once there were many calls; null: none is kept
};

// Names to values. Scopes are small; names carry their hash.
struct Scope : Object {
  static constexpr Type kType = Type::Scope;
  enum class Kind : std::uint8_t { Module, Function, Class, Block };
  Scope() : Object(kType) {}
  Scope* parent = nullptr;
  Kind kind = Kind::Function;
  Scope* frozen_from = nullptr;  // of a module's bindings as they were: the scope that went on changing
  bool is_kernel = false;        // the outermost scope of a script-mode function body
  bool is_prelude = false;       // the module scope of a file of the prelude
  bool is_held = false;          // a function, a class or a copy may look into it after its call has ended
  struct Binding {
    std::uint32_t hash;
    std::string_view name;
    Value value;
  };
  std::vector<Binding> bindings;
  std::vector<syntax::Name> globals, nonlocals;  // declared with `global` / `nonlocal`
  const LocalNames* locals = nullptr;            // of a function of the host whose call it is

  void reserve(std::size_t count);  // bindings that are about to come
  // False: no name with this hash is bound, as a glance at the table tells of most that are not.
  bool may_have(std::uint32_t hash) const { return slots_.empty() || slots_[hash & (slots_.size() - 1)].place != 0; }
  Binding* find(const syntax::Name& name);
  Binding* find(std::string_view name);
  void set(const syntax::Name& name, Value value);
  void set(std::string_view name, Value value);
  bool erase(const syntax::Name& name);  // false: there was none
  void reuse();                          // for another call: without bindings, with their memory
  // Other bindings in place of these, which are handed out.
  void exchange(std::vector<Binding>& others);

 private:
  // Of scopes with many bindings (modules): a table of open addressing by hash, at most half full.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // in `bindings`, from 1; 0: free
  };
  void index_all(std::size_t room);  // with room for so many
  void index(std::uint32_t place);
  std::vector<Slot> slots_;
};

// Is it a part of the prelude, whose text never changes?
bool is_of_prelude(const Scope* scope);

// Traced: host code that runs once and emits a kernel.
enum class FunctionMode : std::uint8_t { Host, Inline, PrimFunc, Jit, Macro, Traced };

struct Function : Object {
  TILEWRIGHT_OBJECT(Function, Function)
  const syntax::FunctionDef* def = nullptr;
  Scope* closure = nullptr;
  std::uint32_t anchor = 0;
  FunctionMode mode = FunctionMode::Host;
  bool is_hygienic = true;      // false: a macro whose free names are looked up where it is called
  std::vector<Value> defaults;  // one a parameter that has one, in order
  std::shared_ptr<const syntax::TopLevel> keep;
  struct Class* owner = nullptr;                           // set for methods
  Value attributes;                                        // Dict of set attributes, or None
  std::vector<std::pair<std::string, Value>> parametrize;  // pytest.mark.parametrize lists found on it
};
struct LambdaFunction : Object {
  TILEWRIGHT_OBJECT(LambdaFunction, Lambda)
  const syntax::Lambda* def = nullptr;
  Scope* closure = nullptr;
  std::uint32_t anchor = 0;
  bool kernel_mode = false;
  std::vector<Value> defaults;
  std::shared_ptr<const syntax::TopLevel> keep;
};
struct BoundMethod : Object {
  TILEWRIGHT_OBJECT(BoundMethod, BoundMethod)
  Value function;
  Value self;
};

struct Keyword {
  std::string_view name;
  Value value;
  text::Span span;         // of the value
  text::Span name_span{};  // of the name; nowhere: the script does not write it (`**options`)
  text::Span at_name() const { return name_span ? name_span : span; }
};
struct Arguments {
  std::span<const Value> positional;
  std::span<const Keyword> keywords;
  std::span<const text::Span> spans;  // of the positional ones; may be empty
  text::Span call;                    // the whole call expression
  text::Span function;                // the callee's expression
  text::Span at(std::size_t i) const { return i < spans.size() ? spans[i] : call; }
};
using NativeFunction = Value (*)(Interpreter&, const Arguments&, Value self);

struct Native : Object {
  TILEWRIGHT_OBJECT(Native, Native)
  std::string_view name;
  NativeFunction function = nullptr;
  Value self;
};
struct Class : Object {
  TILEWRIGHT_OBJECT(Class, Class)
  std::string name;
  std::vector<Class*> bases;
  std::vector<Class*> mro;  // itself first
  Scope* scope = nullptr;
  bool is_meta = false;  // @T.meta_class, inherited
  bool is_dataclass = false;
  bool is_frozen = false;
  bool is_enum = false, is_int_enum = false;
  bool is_exception = false;
  bool has_unknown_base = false;
  std::vector<std::string> fields;     // dataclass, in order
  NativeFunction construct = nullptr;  // built-in types: int, list, ...
  Value* find(std::string_view name);  // through the mro
};
struct Instance : Object {
  TILEWRIGHT_OBJECT(Instance, Instance)
  Class* cls = nullptr;
  std::vector<std::pair<std::string, Value>> attributes;
  Value* find(std::string_view name);
  void set(std::string_view name, Value value);
};
// `T`, `Tx.warp`, `math`, a module of the script's own, ...: attributes found by a function.
struct Namespace : Object {
  TILEWRIGHT_OBJECT(Namespace, Namespace)
  std::string path;
  Value (*lookup)(Interpreter&, Namespace&, std::string_view name) = nullptr;  // Error tag without pending: absent
  Scope* scope = nullptr;                                                      // of a script module
  int scope_kind = -1;                                                         // Tx.<scope>: which of tile.cpp's
  std::string_view space;          // of the surface, whose names it gives; empty: another module
  const Record* record = nullptr;  // of an instruction or a family of them: what a call runs
};
struct Property : Object {
  TILEWRIGHT_OBJECT(Property, Property)
  Value getter, setter;
  bool cached = false;
};
struct StaticMethod : Object {
  TILEWRIGHT_OBJECT(StaticMethod, StaticMethod)
  Value function;
};
struct ClassMethod : Object {
  TILEWRIGHT_OBJECT(ClassMethod, ClassMethod)
  Value function;
};
struct Super : Object {
  TILEWRIGHT_OBJECT(Super, Super)
  Class* after = nullptr;
  Value self;
};

struct BufferValue : Object {
  TILEWRIGHT_OBJECT(BufferValue, Buffer)
  const ir::Buffer* buffer = nullptr;
};
struct RegionValue : Object {
  TILEWRIGHT_OBJECT(RegionValue, Region)
  ir::Region region;
};
struct LayoutValue : Object {
  TILEWRIGHT_OBJECT(LayoutValue, Layout)
  const layout::Layout* layout = nullptr;  // in the Store that was in use
  bool in_kernel = false;                  // made while a kernel was built: that kernel's Store owns it
  std::vector<std::int64_t> shape{};       // of the tile that it was made for, for pictures; empty: it does not say
};
// S[...] + R[...] + offsets, before TileLayout(...) makes a layout of it.
struct LayoutSpec : Object {
  TILEWRIGHT_OBJECT(LayoutSpec, LayoutSpec)
  layout::TileLayout tile;
  bool has_shard = false, has_replica = false;
};
struct LayoutBuilder : Object {  // the names S and R themselves
  TILEWRIGHT_OBJECT(LayoutBuilder, LayoutBuilder)
  bool replica = false;
};
struct AxisValue : Object {
  TILEWRIGHT_OBJECT(AxisValue, Axis)
  layout::Axis axis = layout::Axis::m;
};
struct AxisTerm : Object {  // 4 @ laneid, and sums of such terms
  TILEWRIGHT_OBJECT(AxisTerm, AxisTerm)
  layout::Offsets terms;
};
struct IterValue : Object {
  TILEWRIGHT_OBJECT(IterValue, Iter)
  layout::Iter iter;
};
// T.int32, T.float16x2, ...: callable, subscriptable in annotations.
struct DataTypeValue : Object {
  TILEWRIGHT_OBJECT(DataTypeValue, DataType)
  ir::DataType dtype;
  std::vector<Value> shape;  // T.float32[M, N]
  bool subscripted = false;
};
// T.handle(...), T.let[...], T.Buffer(...) as annotations.
struct TypeAnnotation : Object {
  TILEWRIGHT_OBJECT(TypeAnnotation, TypeAnnotation)
  enum class Kind : std::uint8_t { Handle, Let, Buffer, Constexpr, TensorMap, Optional } kind = Kind::Handle;
  ir::DataType pointee = ir::kVoid;
  std::string storage_scope;
  Value inner;                         // of T.let[...]
  const ir::Buffer* buffer = nullptr;  // of T.Buffer(...)
};

enum class FrameKind : std::uint8_t { Loop, Grid, Attribute, LaunchThread, Compose, Host, If, Then, Else, While };
struct Frame : Object {
  TILEWRIGHT_OBJECT(Frame, Frame)
  FrameKind kind = FrameKind::Loop;
  builder::LoopNest loops;
  std::vector<std::pair<std::string_view, ir::Expr>> attributes;
  const ir::Var* node = nullptr;                            // T.attr(node, key, value)
  const ir::Var* var = nullptr;                             // launch_thread
  ir::Expr condition;                                       // T.If, T.While
  builder::Block then_body = nullptr, else_body = nullptr;  // of T.If, as far as they are made
};
struct KernelValue : Object {
  TILEWRIGHT_OBJECT(KernelValue, Kernel)
  ir::Kernel kernel;
  bool failed = false;  // errors were reported in it
  Function* source = nullptr;
  std::uint32_t def_anchor = 0;
  std::shared_ptr<KernelRecord> record;  // null without a memo
};
struct Jit : Object {
  TILEWRIGHT_OBJECT(Jit, Jit)
  Function* function = nullptr;
  bool is_private = false;
  bool persistent = false;
  std::vector<std::pair<std::vector<Value>, Value>> cache;  // values of the compile-time parameters in order, to kernel
};
struct MetaVar : Object {  // T.meta_var(x) until it is bound
  TILEWRIGHT_OBJECT(MetaVar, MetaVar)
  Value value;
};
struct PendingStore : Object {  // A.vstore(...): a statement when used as one
  TILEWRIGHT_OBJECT(PendingStore, PendingStore)
  const ir::Stmt* store = nullptr;
};

// Owns every object of one evaluation.
// Objects lie beside each other in the order in which they were made, and die together.
class Heap {
 public:
  Heap() = default;
  ~Heap() {
    for (Object* o : objects_) o->~Object();
  }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  template <class T>
  T* make() {
    static_assert(alignof(T) <= alignof(std::max_align_t) && sizeof(T) <= kLargest);
    bytes_ += sizeof(T) + 32;
    T* made = ::new (room(rounded(sizeof(T)))) T();
    made->size = sizeof(T);
    objects_.push_back(made);
    return made;
  }
  std::size_t objects() const { return objects_.size(); }
  std::span<Object* const> all() const { return objects_; }
  // Was it made when there were `objects` already?
  bool is_since(std::size_t objects, const Object* o) const {
    return std::find(objects_.begin() + static_cast<std::ptrdiff_t>(objects), objects_.end(), o) != objects_.end();
  }
  void count(std::size_t bytes) { bytes_ += bytes; }
  std::size_t bytes() const { return bytes_; }
  void uncount(std::size_t bytes) { bytes_ -= bytes; }  // given back
  void reset(std::size_t bytes) { bytes_ = bytes; }     // what was made since is not the script's
  // Ends the objects from the given one on that nothing has reached; `content` says what of `bytes` was counted for an
  // object beside its own size. Their memory is used again. Bytes do not fall below `least`.
  template <class F>
  void give_back(std::size_t from, std::size_t least, F content) {
    std::size_t kept = from, freed = 0;
    for (std::size_t i = from; i < objects_.size(); ++i) {
      Object* o = objects_[i];
      if (o->is_reached) {
        objects_[kept++] = o;
        continue;
      }
      const std::size_t size = o->size;
      freed += size + 32 + content(*o);
      o->~Object();
      Free*& first = free_[rounded(size) / kAlign];
      first = ::new (static_cast<void*>(o)) Free{first};
    }
    objects_.resize(kept);
    bytes_ = bytes_ > least + freed ? bytes_ - freed : std::min(bytes_, least);
  }

 private:
  static constexpr std::size_t kBlock = 16 << 10, kAlign = alignof(std::max_align_t), kLargest = 1024;
  struct Free {  // the room of an object that has ended
    Free* next;
  };

  static constexpr std::size_t rounded(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

  // `size` is rounded.
  void* room(std::size_t size) {
    if (Free*& first = free_[size / kAlign]; first) return std::exchange(first, first->next);
    if (size > left_) {
      const std::size_t block = std::max(size, kBlock);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      next_ = blocks_.back().get();
      left_ = block;
    }
    void* out = next_;
    next_ += size;
    left_ -= size;
    return out;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<Object*> objects_;
  std::array<Free*, kLargest / kAlign + 1> free_{};  // by size
  std::size_t bytes_ = 0;
};

// None, a number, a text or a container of Python's.
bool is_plain(Value v);
// Python's `type(x).__name__`, for messages.
std::string_view type_name(Value v);

}  // namespace tilewright::script
