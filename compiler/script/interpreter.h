// The evaluator of tile scripts: a small deterministic interpreter of the Python subset that scripts use.
//
// A script is a metaprogram. *Host mode* runs module code, factories, classes and helpers as ordinary Python. *Script
// mode* runs the bodies of @T.prim_func, @T.jit, @T.inline and @T.macro: there an assignment may create a scalar and an
// `if` may emit a branch (surface.md 5). Both call `T.*`, which appends statements to the kernel under construction.
//
// Nothing here opens a file, a process, a socket or a clock; imports are asked of a Loader that stays below the
// script's root. Every step is counted against limits, so that a hostile file ends with a diagnostic.
//
// Errors: a function that fails calls fail(), which records the pending exception, and returns Value::error() (or
// false / Flow::Error); callers pass that on. Statements of a kernel are recovery points: they report what is pending
// and go on with their targets poisoned.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/builder/kernel_builder.h"
#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"
#include "compiler/script/budget.h"
#include "compiler/script/builtins.h"
#include "compiler/script/codes.h"
#include "compiler/script/errors.h"
#include "compiler/script/modules.h"
#include "compiler/script/options.h"
#include "compiler/script/reuse.h"
#include "compiler/script/value.h"
#include "compiler/text/context.h"

namespace tilewright::script {

class Surface;   // surface.h
class Arrivals;  // arrivals.h
class Snapshot;  // worlds.h
struct Ended;    // arrivals.h

enum class Flow : std::uint8_t { Normal, Break, Continue, Return, Error };

// The kernel under construction, and what the evaluator knows of it beside.
struct KernelState : builder::KernelBuilder {
  using KernelBuilder::KernelBuilder;
  bool failed = false;                    // errors were reported in it
  std::vector<Frame*> ifs{};              // `with T.If(...)` under way, outermost first
  std::vector<const ir::Var*> extents{};  // that quoted extents of the signature made (signature.h)
  int never_taken = 0;                    // branches under way whose condition is a constant that says so
  // Of a traced kernel (traced/kernel.h): what its launch and its roles are, an object of the prelude. None: the kernel
  // is read as a script, or its parameters are still being made.
  Value session{};
  bool traced = false;
  std::optional<ir::Target> target{};  // that the kernel names itself, where no other is given
  // The branches of roles and who they are of, in order.
  std::vector<std::pair<ir::Expr, Value>> roles{};
  bool checks_contract = false;                  // of what a traced kernel may do
  std::vector<std::string> allowed_functions{};  // that it may call nevertheless
};

// What kernels point to and values do not own. A kernel's store keeps that of the module around it, so that a kernel
// outlives its evaluation (memo.h).
struct Store {
  Arena arena;
  std::deque<layout::Layout> layouts;
  std::vector<std::shared_ptr<const layout::Layout>> kept;  // layouts that an earlier run of the script made
  std::shared_ptr<Store> outer;
};

class Interpreter {
 public:
  Interpreter(text::Context context, text::Anchors& anchors, Loader* loader, const EvaluateOptions& options,
              std::shared_ptr<Store> store = std::make_shared<Store>());
  ~Interpreter();

  // ---- errors ---------------------------------------------------------------------------------------------------
  // Records the pending exception; always returns Value::error().
  Value fail(std::string_view code, text::Span span, std::string message, std::string hint = {},
             std::string_view python_type = "TypeError");
  // The same of what the builder of the kernel refuses; `span`: of what was asked of it.
  Value fail(builder::Refusal refusal, text::Span span);
  // The edit that removes the cause of what is pending.
  void offer(text::Fix fix) {
    if (errors_.pending) errors_.pending->diagnostic.fix = std::move(fix);
  }
  // Fails at the name of an argument that `function` does not take; `known` are those that it does.
  Value unknown_keyword(std::string_view function, const Keyword& k, std::span<const std::string_view> known);
  // Fails with what no Python would do. A hint "did you mean NAME?" makes the edit that writes it.
  Value refuse(std::string_view code, text::Span span, std::string message, std::string hint,
               std::string_view python_type);
  Value raise(Value exception, text::Span span);
  bool has_pending() const { return errors_.pending.has_value(); }
  // What is not known was taken for false, or was not followed: from here on Python may hold other values.
  void assume() { ++errors_.assumed; }
  // What is pending is an exception of Python's, and not a thing that we do not know. Returns Value::error().
  Value certainly() {
    errors_.make_certain();
    return Value::error();
  }
  Pending take_pending() { return errors_.take(); }
  // Reports what is pending as a diagnostic (with the call chain) and clears it. False when it was fatal.
  bool report_pending();
  void warn(std::string_view code, text::Span span, std::string message, std::string hint = {},
            text::Severity severity = text::Severity::Warning);
  // Counts a step; false (with a pending fatal error) when a limit is reached or a stop was asked for.
  bool step(text::Span span) {
    budget_.spend(1);
    const bool in_room = budget_.has_room(heap_.bytes()) && !is_large_kernel();
    return ((budget_.steps() & 255) != 0 && !budget_.is_spent() && in_room) || is_within_limits(span);
  }
  // May `bytes` more be taken? Whatever makes something large out of something small asks before it does.
  bool reserve(std::uint64_t bytes, text::Span span);
  // Counts the work of touching `items` values that no step of its own announces.
  bool charge(std::size_t items, text::Span span) {
    budget_.spend(items / 16);
    return step(span);
  }
  // The same of reading `bytes` of text.
  bool charge_text(std::size_t bytes, text::Span span) { return charge(bytes / 4, span); }
  // The same where nothing can fail: the next step does.
  void spend(std::size_t items) { budget_.spend(items / 16); }
  // python/set_order.h: where the script first walks over a set whose order Python draws.
  SetOrder set_order() const { return set_order_; }
  void note_drawn_order(text::Span span) {
    if (!drawn_order_) drawn_order_ = span;
  }
  std::optional<text::Span> drawn_order() const { return drawn_order_; }
  // The first value that is not known, of the value or of what it holds; None: there is none.
  Value unknown_within(Value v);

  // ---- evaluation -----------------------------------------------------------------------------------------------
  Value eval(const syntax::Node* node, Scope* scope);
  // Evaluates an expression that stands outside of the module's text, such as an entry, in host mode.
  Value eval_entry(const syntax::Node* node, Scope* module, std::uint32_t anchor,
                   std::shared_ptr<const syntax::TopLevel> keep);
  // Evaluates an expression that stands in a string literal of the script: `prepare` sees its names before. Error: it
  // is none, or it failed.
  Value eval_quoted(const syntax::StringLit* literal, Scope* scope,
                    const std::function<void(std::span<const syntax::Name>)>& prepare);
  Flow exec_host(syntax::Stmts body, Scope* scope);
  Flow exec_script(syntax::Stmts body, Scope* scope);
  // Binds a name, tuple, attribute or subscript target as Python does.
  bool assign_host(const syntax::Node* target, Value value, Scope* scope);
  Value call(Value function, const Arguments& arguments);
  Value call(Value function, std::span<const Value> arguments, text::Span span);
  Value call_function(Function* function, const Arguments& arguments, Value self = Value());
  Value define_function(const syntax::FunctionDef* def, Scope* scope);
  Value define_class(const syntax::ClassDef* def, Scope* scope);

  // ---- operators and protocols ----------------------------------------------------------------------------------
  Value binary(syntax::Operator op, Value a, Value b, text::Span span);
  Value unary(syntax::Operator op, Value a, text::Span span);
  Value compare(syntax::Operator op, Value a, Value b, text::Span span);
  // Python truth; nothing (pending) for run-time values, and for what is not known: who goes on without it asks
  // is_opaque() first.
  std::optional<bool> truth(Value v, text::Span span);
  bool equals(Value a, Value b);  // Python ==, for containers and `in`
  std::size_t hash(Value v);      // consistent with equals
  bool is_identical(Value a, Value b);
  Value attribute(Value object, std::string_view name, text::Span span);
  bool set_attribute(Value object, std::string_view name, Value value, text::Span span);
  Value subscript(Value object, std::span<const Value> indices, bool single, text::Span span);
  bool set_subscript(Value object, std::span<const Value> indices, bool single, Value value, text::Span span);
  // iter(v): an iterator, or an instance of a class with __next__.
  Value iterator_of(Value v, text::Span span);
  // The next item of one of these. Failed: an error is pending.
  Next next_of(Value iterator, Value* item, text::Span span);
  // Everything that iteration yields, at once; nothing (pending) when it cannot be iterated here.
  std::optional<std::vector<Value>> iterate(Value v, text::Span span);
  std::string str(Value v);   // str(v)
  std::string repr(Value v);  // repr(v)
  std::optional<std::string> format(Value v, std::string_view spec, text::Span span);

  // ---- making values --------------------------------------------------------------------------------------------
  template <class T>
  T* make() {
    return heap_.make<T>();
  }
  Value string(std::string_view text);
  Value list(std::vector<Value> items);
  Value tuple(std::vector<Value> items);
  Value big(__int128 value);  // Int when it fits
  Value native(std::string_view name, NativeFunction function, Value self = Value());
  Value name_space(std::string path, Value (*lookup)(Interpreter&, Namespace&, std::string_view));
  // With the constants of T.let in place, simplified.
  ir::Expr settled(ir::Expr e) { return kernel_ ? kernel_->settled(e) : e; }
  // The constant that it is, as far as that is known; else the expression as it stands.
  ir::Expr constant_or_same(ir::Expr e) {
    ir::Expr known = settled(e);
    return ir::constant(known) ? known : e;
  }
  // The same in the first round of all loops around that T.unroll writes out.
  ir::Expr in_first_round(ir::Expr e) { return kernel_ ? kernel_->in_first_round(e) : ir::simplify(e); }
  Value buffer_value(const ir::Buffer* buffer);
  Value layout_value(layout::Layout layout);
  void dict_set(Dict* dict, Value key, Value value);
  // The same for a key that may be one and is not there.
  void dict_append(Dict* dict, Value key, Value value);
  Value* dict_find(Dict* dict, Value key);
  std::optional<std::size_t> dict_position(Dict* dict, Value key);
  // Sets all that `more` holds. False: an error is pending.
  bool dict_add(Dict* dict, const Dict& more, text::Span span);
  std::string_view keep(std::string_view text);  // copies into the arena

  // ---- conversions; a null / nothing result means a pending error ---------------------------------------------------
  std::optional<std::int64_t> as_int(Value v, text::Span span, std::string_view what);
  std::optional<__int128> as_big(Value v);  // Int, Bool, BigInt; nothing otherwise, no error
  std::optional<std::string_view> as_string(Value v, text::Span span, std::string_view what);
  std::optional<double> as_number(Value v);  // Int, Float, Bool; no error
  ir::Expr as_expr(Value v, text::Span span, std::string_view what = "a value");
  bool can_be_expr(Value v);
  std::optional<ir::DataType> as_dtype(Value v, text::Span span);
  // int/expr or sequence of them -> extents.
  std::optional<std::vector<ir::Expr>> as_extents(Value v, text::Span span, std::string_view what);
  std::optional<ir::Operand> as_operand(Value v, text::Span span);
  std::optional<ir::Region> as_region(Value v, text::Span span);
  std::optional<layout::Layout> as_layout(Value v, text::Span span);
  std::optional<layout::Dim> as_dim(Value v, text::Span span, std::string_view what);
  std::optional<layout::Shape> as_shape(Value v, text::Span span, std::string_view what);

  // ---- building the kernel --------------------------------------------------------------------------------------
  KernelState* kernel() { return kernel_; }
  // Requires a kernel under construction; false with a pending error otherwise.
  bool require_kernel(text::Span span, std::string_view what);
  ir::Origin origin(text::Span span) const { return {span, chain_}; }
  // Gives the resources inside a value that have no name yet the name that a binding shows. `path`: how the script
  // reaches the value where that is not the name.
  void name_value(Value v, std::string_view name, std::string_view path = {});
  void truncates(const ir::Buffer* buffer, ir::Expr value, text::Span span);
  // Store with the implicit cast of surface.md 4.4.
  bool emit_store(const ir::Buffer* buffer, std::span<const ir::Expr> indices, ir::Expr value, text::Span span);
  bool emit_store(const ir::Buffer* scalar, ir::Expr value, text::Span span);

  bool in_script_mode() const { return script_mode_; }
  // "strides=[64, 1]" of the span of an argument's value; the span itself where the name does not stand before it.
  text::Span with_keyword(text::Span value, std::string_view name) const;
  // What stands there in the script; empty where that is not at hand.
  std::string_view written(text::Span span) const;
  text::Span span(const syntax::Node* node) const { return {anchor_, node->at.begin, node->at.end}; }
  text::Span span(syntax::Extent at) const { return {anchor_, at.begin, at.end}; }
  // Where the parts of the subscript or assignment under way stand, for messages that mean one of them; taken once.
  std::vector<text::Span> take_index_spans() { return std::exchange(index_spans_, {}); }
  text::Span stored_at(text::Span otherwise) const { return stored_at_ ? stored_at_ : otherwise; }
  // Too deep for the C++ stack or for the limits: a pending error, false.
  bool enter(std::uint32_t levels, text::Span span) { return budget_.enter(levels) || too_deep(span); }
  void leave(std::uint32_t levels) { budget_.leave(levels); }
  // The scope of a call, whose memory the next call takes unless something holds it.
  Scope* begin_scope(Scope* parent, Scope::Kind kind);
  void end_scope(Scope* scope);
  // A value looks into the scope and those around it from here on.
  static void hold(Scope* scope) {
    for (; scope && !scope->is_held; scope = scope->parent) scope->is_held = true;
  }
  const text::Context& context() const { return context_; }
  Heap& heap() { return heap_; }
  // Makes nodes whose names the script has yet to give: of the kernel under construction, else of the module.
  builder::Drafts& drafts() { return *drafts_; }
  Builtins& builtins() { return builtins_; }
  ir::Target target() const { return kernel_ && kernel_->target ? *kernel_->target : target_; }
  bool finds_target() const { return find_target_ && !(kernel_ && kernel_->target); }
  text::Dialect dialect() const { return dialect_; }
  bool runs_prelude() const { return modules_.runs_prelude(); }
  // The names of that release.
  const Surface& surface() const { return *surface_; }
  // What a name of a module denotes: made at the first question, then the same value.
  Value denoted(const Record& record);
  // A method or attribute that the surface lists in `space` for objects of this kind. Error tag without a pending
  // error: the object has none of that name.
  Value member_of(Value object, std::string_view space, std::string_view name);
  bool module_owns(const void* p) const { return module_store_->arena.owns(p); }

  enum class Match : std::uint8_t { No, Yes, Perhaps };  // of a pattern; Perhaps: that is not known

  // ---- conditions that are not known: either.cpp, worlds.h ------------------------------------------------------
  // One of the ways that the script may go on, and its text.
  struct Way {
    std::function<Flow()> run;
    syntax::Stmts body{};  // what it may bind where it cannot be followed; none: the error goes up to what has one
  };
  // Runs both ways of a condition that is not known, each from the state of now, and goes on with what both leave.
  // `light`: as binds_only() says. Fails where one of them adds something to the kernel.
  Flow either(Value condition, text::Span at, Scope* scope, bool light, const Way& one, const Way& other);
  // The same of two expressions; null: the other way evaluates nothing.
  Value either_value(Value condition, const syntax::Node* at, Scope* scope, const syntax::Node* one,
                     const syntax::Node* other);
  // Does evaluating it change nothing, as far as can be seen? Does the body nothing but bind names of `scope`?
  bool changes_nothing(const syntax::Node* node, Scope* scope);
  bool binds_only(syntax::Stmts body, Scope* scope);
  // "`threads > 3` at k.py:3", kept: why a value is not known that depends on this one through a condition.
  const char* depends_on(Value unknown, text::Span condition);
  // "it depends on ..." or "it comes from ...", of a value that is not known; and how to make it known.
  static std::string whence(Value unknown);
  static std::string remedy(Value unknown);
  bool in_doubt() const { return worlds_ > 0; }  // one way of several runs

  // ---- objects that are changed by what is not known: aliases.cpp -----------------------------------------------
  // A value that is not known for this reason may be this one; or a part of it.
  void may_be(const char* why, Value v);
  void may_be_within(const char* why, Value v);
  // May it be an object that has other names?
  bool has_aliases(Value unknown) const;
  // It is changed in a way that is not known: its objects and what they hold become unknown. False: a limit is pending.
  bool lose(Value v, const char* why);
  bool lose(Value unknown) { return lose(unknown, unknown.reason()); }

  // ---- what nothing leads to any more: collect.cpp ----------------------------------------------------------------
  // A loop under way: what its rounds made, and how much that may be before it is looked through.
  struct Rounds {
    std::size_t first;  // object
    std::size_t next;   // number of objects from which on it is looked
    std::size_t bytes;  // when it began
  };
  Rounds begin_rounds() const { return {heap_.objects(), heap_.objects() + kFewObjects, heap_.bytes()}; }
  // A round has ended; nothing that it made is held but by the script.
  void end_round(Rounds& rounds) {
    if (heap_.objects() >= rounds.next) collect(rounds);
  }
  // Rounds of a loop of ours that calls the script. Values that the loop keeps between its rounds are in `kept`.
  class OwnRounds {
   public:
    OwnRounds(Interpreter& in, const std::vector<Value>& kept) : in_(in), rounds_(in.begin_rounds()) {
      in.kept_.push_back(&kept);
    }
    ~OwnRounds() { in_.kept_.pop_back(); }
    OwnRounds(const OwnRounds&) = delete;
    OwnRounds& operator=(const OwnRounds&) = delete;
    void end_round() { in_.end_round(rounds_); }

   private:
    Interpreter& in_;
    Rounds rounds_;
  };

  // ---- modules --------------------------------------------------------------------------------------------------
  Modules& modules() { return modules_; }
  const Modules& modules() const { return modules_; }
  Reuse& reuse() { return reuse_; }
  // A name of the prelude (MBarrier, SMEMPool, ...), loading it when first asked for.
  Value prelude(std::string_view name, text::Span span);
  const std::vector<KernelValue*>& kernels() const { return kernels_; }  // in order of evaluation
  // Module-level statements that could not be followed.
  const std::vector<Failure>& failures() const { return errors_.failures; }
  // A function that a decorator named as the dialect's would make a kernel of, if it were the dialect's.
  struct Unread {
    const Function* function;
    const syntax::Node* decorator;
    text::Span span;  // of the decorator
    const char* why;  // where the decorator comes from; or what its condition is
    bool conditional = false;
  };
  const std::vector<Unread>& unread() const { return unread_; }
  // The kernel under construction is for hardware that is none of CUDA's: said once, and silent from here on.
  void of_another_target(text::Span span, std::string_view hardware);
  struct Foreign {
    text::Span kernel;
    std::string_view hardware;
  };
  const std::vector<Foreign>& foreign() const { return foreign_; }
  // After a limit: grants the next statement a reduced budget, half of the one granted before, so that only the
  // offending statement fails. False if a stop was requested.
  bool go_on_after(const Pending& limit);
  // ---- used by the statement executors ------------------------------------------------------------------------------
  Value lookup(const syntax::Name& name, Scope* scope, text::Span span);
  // `__x` where the text of a class `A` is around it: `_A__x`. Other names stay what they are.
  std::string_view private_name(std::string_view name, Scope* scope);
  Value* find_binding(const syntax::Name& name, Scope* scope);

 private:
  static constexpr std::size_t kFewObjects = 50'000;
  void collect(Rounds& rounds);
  // The names that the function binds.
  LocalNames* locals_of(const syntax::FunctionDef* def);
  // What is kept of calls of the function. Null: nothing is.
  PlainCalls* plain_calls_of(Function* f, LocalNames& own);
  friend class Modules;
  friend class Reuse;
  friend struct ModeGuard;
  friend struct StoreGuard;
  friend struct ScopeGuard;
  friend class KernelBody;
  friend class HostBody;
  friend class CallBinder;
  friend class Fingerprint;
  friend class Arrivals;
  friend class GeneratorRun;
  friend class PlainCalls;
  friend class ItemsOfComprehension;

  bool is_large_kernel() const { return kernel_ && kernel_->nodes() > builder::kMaxKernelNodes; }
  // What step() asks now and then, and where a limit is near.
  bool is_within_limits(text::Span span);
  bool too_deep(text::Span span);
  Value eval_node(const syntax::Node* node, Scope* scope);
  // The expression itself, or a pending error when it is too large for the later stages.
  Value weighed(Value v, text::Span span);
  Value eval_sequence(const syntax::Node* node, syntax::Exprs elements, Scope* scope);
  Value eval_set(const syntax::Set* node, Scope* scope);
  // What a loop goes over.
  Value eval_iterable(const syntax::Node* node, Scope* scope);
  Value eval_dict(const syntax::Dict* node, Scope* scope);
  Value eval_slice(const syntax::Slice* node, Scope* scope);
  Value eval_named(const syntax::NamedExpr* node, Scope* scope);
  Value eval_lambda(const syntax::Lambda* node, Scope* scope);
  Value eval_call(const syntax::Call* node, Scope* scope);
  // The class and the instance that super() without arguments stands for; None: the call is another one.
  Value eval_super(const syntax::Call* node, Scope* scope);
  Value eval_comprehension(const syntax::Comprehension* node, Scope* scope);
  Value eval_subscript(const syntax::Subscript* node, Scope* scope);
  Value eval_fstring(const syntax::FString* node, Scope* scope);
  Value eval_bool_op(const syntax::BoolOp* node, Scope* scope);
  Value eval_compare(const syntax::Compare* node, Scope* scope);
  Value eval_if_exp(const syntax::IfExp* node, Scope* scope);
  Value apply_decorators(syntax::Exprs decorators, Value value, Scope* scope);
  bool delete_host(const syntax::Node* target, Scope* scope);
  bool delete_subscript(Value object, Value index, text::Span span);
  Flow match_host(const syntax::Match* node, Scope* scope);
  // The first case from there on that matches.
  Flow match_from(const syntax::Match* node, std::size_t from, Value subject, Scope* scope);
  Flow guarded(const syntax::MatchCase& c, Scope* scope, const Way& rest);
  // Whether the subject matches, where it is known; binds the names of the pattern on the way. Nothing: a pending
  // error.
  std::optional<Match> matches(const syntax::Node* pattern, Value subject, Scope* scope);
  std::optional<Match> matches_sequence(const syntax::List* pattern, Value subject, Scope* scope);
  std::optional<Match> matches_mapping(const syntax::Dict* pattern, Value subject, Scope* scope);
  std::optional<Match> matches_class(const syntax::Call* pattern, Value subject, Scope* scope);
  // The parts of attribute(), by what has them.
  Value attribute_of_namespace(Namespace* n, std::string_view name, text::Span span);
  Value attribute_of_instance(Instance* instance, std::string_view name, text::Span span);
  Value attribute_of_class(Class* cls, std::string_view name, text::Span span);
  Value attribute_of_super(Super* s, std::string_view name, text::Span span);
  Value attribute_of_surface(Value object, std::string_view name, text::Span span);
  Value call_other(Value function, const Arguments& arguments);  // than a function of the script
  // Counts a level of a value in a value; false (with a pending error) where it is too deep or the steps are spent.
  bool enter_value(std::size_t items);
  // The parts of equals(), for values of the same type.
  bool equal_objects(Value a, Value b);
  bool equal_items(const std::vector<Value>& x, const std::vector<Value>& y);
  bool equal_dicts(Dict* x, Dict* y);
  bool equal_instances(Value a, Value b);
  Value evaluate_kernel_now(Function* function, const Arguments* constexprs, bool is_private, bool persistent);
  // Parameters and body of the kernel under construction. Error: everything stops.
  Flow run_kernel(Function* function, const Arguments* constexprs);
  Flow run_body(Function* function, const Arguments* constexprs);
  bool bind_parameters(std::span<const syntax::Parameter> params, std::span<const Value> defaults,
                       const Arguments& arguments, Value self, bool has_self, Scope* into, std::string_view name);
  // What follows a name in the script tells which was meant: `T.otx.cp_async`, `T.ptx.barrier.init`. Corrects what is
  // pending for the attribute.
  void look_along(const syntax::Attribute* node, Scope* scope);
  Value unbound(const syntax::Name& name, Scope* scope, text::Span span);
  // What statements that are not followed may bind becomes `unknown`; `known`: also what is bound already.
  void leave_unknown(syntax::Stmts body, Scope* scope, Value unknown, bool known);
  // What the functions that an error left would have changed on their way becomes unknown. False: a limit is pending.
  bool lose_left(const Pending& p, const char* why);
  // The body of a function, to where all its ways return.
  Flow run_function(syntax::Stmts body, Scope* scope);
  // A function that is not known is called; `name`: the attribute that is called, if it is one.
  bool unknown_call(Value function, std::string_view name, const Arguments& arguments);
  // A function that is known is called with arguments of which some are not.
  bool unknown_arguments(Value function, Value unknown, const Arguments& arguments);
  // An exception that is not known may leave from here, where the script waits for one. False: a limit is pending.
  bool may_raise(text::Span at);
  std::size_t joined_into_objects(Snapshot& state, const char* why);
  Value joined_values(Value a, Value b, const char* why);
  // ---- either.cpp
  // What a way came to, taken out of the interpreter; and that it goes on from there.
  Ended ended(Flow flow);
  Flow go_on(Ended end);
  Flow both_ways(text::Span at, const char* why, Scope* scope, bool light, const Way& one, const Way& other);
  Ended try_way(const Way& way, text::Span at, const char* why, Scope* scope);
  // An error that is ours ended it, and Python may go on.
  static bool is_unfollowed(const Ended& e);
  // Two ways that ended, the first in the state of the snapshot, the second in that of now, are joined.
  Flow together(Ended one, Snapshot& of_one, Ended now, const char* why, text::Span at, bool light);
  // A way leaves the statements under way, in the state of the snapshot: it waits where it arrives.
  void leave_for(Ended end, Snapshot state, const char* why, text::Span at, std::uint64_t additions);
  // Fails: statements of the kernel depend on a condition that is not known. What is pending is dropped.
  Flow refuse_additions(const char* why, text::Span at);
  bool is_caught() const;  // may a `try` of the script take an exception?
  std::uint64_t additions() const { return kernel_ ? kernel_->additions() : 0; }
  Value construct(Class* cls, const Arguments& arguments);
  // None: the instance is ready. Else what stands for it: an error, or an unknown value.
  Value initialise(Class* cls, const Arguments& arguments, Value self);

  text::Context context_;
  text::Anchors& anchors_;
  const ir::Target target_;
  const bool find_target_;
  const text::Dialect dialect_;
  const Surface* const surface_;  // of that release
  Probe* const probe_;            // null: none
  const SetOrder set_order_;
  std::optional<text::Span> drawn_order_;
  const syntax::Node* const probed_;  // that it watches; null: none
  Heap heap_;
  builder::Drafts module_drafts_;
  builder::Drafts* drafts_ = &module_drafts_;  // of the kernel under construction, else of the module
  std::shared_ptr<Store> store_;               // in use
  std::shared_ptr<Store> module_store_;        // of everything that is not a kernel's
  int tries_ = 0;                              // `try` statements around, that may wait for what goes wrong
  std::vector<Arrivals*> arrivals_;            // loops, functions and `try` statements under way, outermost first
  int worlds_ = 0;                             // ways that run, one in the other
  const char* doubt_ = "";                     // the condition of the innermost of them
  // Counts what may change anything; its value where an exception that is not known left last.
  std::uint64_t acts_ = 0, raised_at_ = 0;
  std::uint64_t unknowns_ = 0;  // places that became unknown where ways were joined
  // Objects that values which are not known may be, by the reason of the values; and reasons of such values.
  struct Aliases {
    std::unordered_set<Object*> objects;
    std::unordered_set<std::string> reasons;
  };
  std::unordered_map<std::string, Aliases> aliases_;
  Budget budget_;
  Builtins builtins_{*this};
  Errors errors_;
  Modules modules_;
  Reuse reuse_;
  KernelState* kernel_ = nullptr;
  const ir::CallSite* chain_ = nullptr;
  std::uint32_t anchor_ = 0;
  std::shared_ptr<const syntax::TopLevel> top_level_;  // whose nodes are being evaluated
  bool script_mode_ = false;
  std::vector<text::Span> index_spans_;
  text::Span stored_at_;
  Scope* script_scope_ = nullptr;    // innermost scope of the script-mode statement being run
  std::vector<Scope*> free_scopes_;  // of calls that have ended
  std::unordered_map<const syntax::FunctionDef*, LocalNames> locals_;
  std::vector<const std::vector<Value>*> kept_;  // of loops of ours under way
  text::Span at_;                                // the expression that was begun last, for what has no place of its own
  bool consumed_at_once_ = false;                // the generator expression that is evaluated next
  builder::Weights module_weights_;              // of expressions outside of kernels
  Value return_value_;
  std::unordered_map<const Record*, Value> denoted_;  // what records of the surface stand for, as far as asked
  std::vector<KernelValue*> kernels_;
  std::vector<Unread> unread_;
  std::vector<Foreign> foreign_;
  std::vector<std::shared_ptr<const syntax::TopLevel>> entries_;
};

// Binds native arguments to parameter names: positional first, keywords by name.
//   Bound a(in, args, "alloc_buffer", {"shape", "dtype", "scope"}, 1);  if (!a) return Value::error();
//   a[0], a.has(1), a.span(1)
class Bound {
 public:
  Bound(Interpreter& in, const Arguments& args, std::string_view function,
        std::initializer_list<std::string_view> names, std::size_t required, bool extra_keywords = false);
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  explicit operator bool() const { return ok_; }
  Value operator[](std::size_t i) const { return all_[i].value; }
  bool has(std::size_t i) const { return all_[i].given && !all_[i].value.is_none(); }
  bool given(std::size_t i) const { return all_[i].given; }
  text::Span span(std::size_t i) const { return all_[i].span; }

 private:
  struct Argument {
    Value value;
    text::Span span;
    bool given = false;
  };
  Argument few_[8];
  std::vector<Argument> many_;
  std::span<Argument> all_;
  bool ok_ = true;
};

// The rooms' own names; each is one file.
// Attributes and methods of str, list, tuple, dict, set, int, float, ...: python/methods.cpp. False: no such attribute.
bool python_attribute(Interpreter& in, Value object, std::string_view name, Value* result);
// A module of the host's Python that we know a part of (math, functools, dataclasses, enum, os, copy, typing,
// itertools, operator, collections); None tag: not known, opaque. python/library.cpp.
Value python_module(Interpreter& in, std::string_view dotted);
Value tirx_namespace(Interpreter& in);  // `T`: tirx/namespace.cpp
Value tile_namespace(Interpreter& in);  // `Tx`: tirx/tile.cpp
Value layout_module(Interpreter& in);   // `tvm.tirx.layout`: tirx/layouts.cpp
bool expr_attribute(Interpreter& in, Value object, std::string_view name, text::Span span, Value* result);
Value index_buffer(Interpreter& in, const ir::Buffer* buffer, std::span<const Value> indices, text::Span span);
// region[indices]: a smaller region, indices and slices counted from where the region begins.
Value index_region(Interpreter& in, const ir::Region& region, std::span<const Value> indices, text::Span span);
bool store_buffer(Interpreter& in, const ir::Buffer* buffer, std::span<const Value> indices, Value value,
                  text::Span span);
Value layout_binary(Interpreter& in, syntax::Operator op, Value a, Value b, text::Span span);  // S + R, 4 @ laneid, ...
Value layout_subscript(Interpreter& in, LayoutBuilder* builder, std::span<const Value> indices, text::Span span);
// T.ptx.*, T.cuda.* by its name in `release`.
Value call_intrinsic(Interpreter& in, text::Dialect release, std::string_view path, const Arguments& arguments);
Value call_dtype(Interpreter& in, DataTypeValue* dtype, const Arguments& arguments);  // T.int32(x)

}  // namespace tilewright::script
