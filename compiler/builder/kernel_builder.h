// Makes a kernel, statement by statement.
//
// This is the one place where what a body says becomes nodes of `ir`. It knows neither syntax trees nor values of a
// script (the room includes neither): a driver that says "a loop of so many rounds", "store this there", "this
// primitive with these operands" can drive it. The evaluator of scripts does, walking a tree (script/kernel_body.cpp
// and the files of `T` and `Tx`). A tracer, which runs a function once with stand-ins for run-time values, would do the
// same calls in the order in which things happen to it:
//
//     ArenaScope scope(*kernel.arena);              // nodes lie in the ambient arena
//     Drafts outside(keep_layout);
//     KernelBuilder k(kernel, outside);
//     const ir::Buffer* a = *k.tensor_parameter(...);      the signature, in order
//     k.enter_device(at);                                  T.device_entry()
//     auto lane = k.scope_ids(at, WarpThread, {32});       lane = T.lane_id([32])
//     ir::Expr x = k.scalar(at, "x", kInt32, zero);        x: T.int32 = 0
//     k.open_loop(loops, variables);                       the body of the stand-in for a loop begins ...
//     k.store(at, a, {i}, value);
//     k.loop(at, loops, variables, k.close(at));           ... and ends
//     k.open();                                            `with branch(condition):`
//     k.branch(at, condition, k.close(at), nullptr);
//     k.finish(at);                                        the body is complete
//
// Expressions are made by compiler/expr, whose operators a stand-in would overload. What a tracer has beyond that is
// its own: names (Drafts::name, when an assignment shows one), where things stand (each statement takes its Origin),
// and what it does after a Refusal, which leaves the builder as it was.
#pragma once
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/builder/drafts.h"
#include "compiler/builder/weight.h"
#include "compiler/ir/kernel.h"

namespace tilewright::builder {

// Statements that belong together, made and not yet part of anything.
using Block = const ir::Stmt*;

// The loops of one `for`, outermost first: of T.grid several, of all others one.
struct LoopNest {
  std::vector<ir::Range> ranges;
  ir::Expr step;  // null: 1
  ir::LoopKind kind = ir::LoopKind::Serial;
  ir::UnrollHint unroll = ir::UnrollHint::None;
  std::string_view thread_tag;  // a launch dimension; empty: a loop that a thread runs
};

// What a pointer is declared to lead to.
struct Pointee {
  ir::DataType dtype = ir::kVoid;  // void: what the value that it is made of leads to
  std::string_view storage_scope;
};

// A tile primitive and what it is given; operands in the order of its row (ir/primitive.h).
struct TileCall {
  std::string_view primitive;
  ir::ExecScope scope = ir::ExecScope::Thread;
  std::span<const ir::Operand> operands;
  std::span<const ir::ConfigItem> config;
  std::span<const std::pair<std::string_view, const ir::Buffer*>> workspace;
  std::string_view dispatch;  // forced variant; empty: none
  text::Span dispatch_span{};
};

using Attributes = std::span<const std::pair<std::string_view, ir::Expr>>;

class KernelBuilder {
 public:
  // Fills `kernel`. `outside`: drafts that the kernel may still name.
  KernelBuilder(ir::Kernel& kernel, Drafts* outside);
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  Drafts& drafts() { return drafts_; }

  // ---- signature ------------------------------------------------------------------------------------------------
  void set_name(std::string_view symbol);
  text::Span name_span() const { return kernel_.span; }
  void set_attribute(std::string_view key, ir::Expr value);
  // The next parameter: a number, a pointer, a tensor map.
  const ir::Var* parameter(std::string_view name, ir::DataType dtype, Pointee pointee = {});
  // The same, of a variable that a shape of the signature named before.
  void parameter(const ir::Var* named);
  // The same that is a tensor as `annotated` describes it (Drafts::buffer).
  const ir::Buffer* tensor_parameter(std::string_view name, const ir::Buffer* annotated);
  bool is_parameter(const ir::Var* var) const;
  // Gives a pointer parameter its shape. Refused where it has one.
  Made<const ir::Buffer*> match(const ir::Var* parameter, const BufferOptions& options, text::Span span);
  // The kernel calls what its target lacks and another one has.
  void needs_another_target() { kernel_.target_choice = ir::TargetChoice::Lacking; }

  // ---- blocks: a statement goes to the end of the innermost open one ----------------------------------------------
  void open();
  // The same of the body of loops: `break` has something to leave. (All rounds over a launch dimension run at once:
  // there is nothing to leave.) `variables`: those of the nest, outermost first; none where they are not known.
  void open_loop(const LoopNest& loops, std::span<const ir::Var* const> variables);
  // Ends the innermost block. Who drops the result drops the statements.
  Block close(ir::Origin at);
  bool in_loop() const { return loop_depth_ > 0; }

  // ---- variables and storage --------------------------------------------------------------------------------------
  // One variable of a nest; known to lie in the range that its bounds show.
  const ir::Var* loop_variable(const LoopNest& loops, std::size_t index, std::string_view name);
  // Storage with a statement that allocates it, or a view with one that declares it. It has no name yet.
  Made<const ir::Buffer*> allocate(ir::Origin at, BufferOptions options);
  // The declaration of a view that Drafts made.
  void declare(ir::Origin at, const ir::Buffer* view);
  // A mutable scalar of each thread, and reading it. `initial`: null, or of this dtype. Without a name one to be named.
  ir::Expr scalar(ir::Origin at, std::string_view name, ir::DataType dtype, ir::Expr initial);
  // A name for a value that does not change. Without a name one to be named. Pointers keep what they lead to; what is
  // known of that beside may be set until the result is handed out.
  ir::Var* bind(ir::Origin at, std::string_view name, ir::Expr value, ir::DataType dtype, Pointee pointee = {});
  ir::Var* bind(ir::Origin at, std::string_view name, ir::Expr value) { return bind(at, name, value, value.dtype()); }
  // From here on a variable with a constant value counts as that constant where one is asked for (settled).
  void know(const ir::Var* var, ir::Expr value);
  // One variable a dimension. `extents`: empty where they are to be found out; `preferred`: empty, or as many.
  std::vector<const ir::Var*> scope_ids(ir::Origin at, ir::ScopeBinding binding, std::span<const ir::Expr> extents,
                                        std::span<const ir::Expr> preferred);
  // What was allocated so far, in order, without what had a name at once.
  std::span<const ir::Buffer* const> allocated() const { return allocated_; }

  // ---- statements -------------------------------------------------------------------------------------------------
  // A store that takes place where it is emitted; the value has the type of what it replaces.
  static const ir::Stmt* store_of(ir::Origin at, const ir::Buffer* buffer, std::span<const ir::Expr> indices,
                                  ir::Expr value);
  // Converts the value as an assignment does (surface.md 4.4); refused where there is no such conversion.
  Made<> store(ir::Origin at, const ir::Buffer* buffer, std::span<const ir::Expr> indices, ir::Expr value);
  void emit(const ir::Stmt* made);
  void evaluate(ir::Origin at, ir::Expr call);
  void tile_call(ir::Origin at, const TileCall& call);
  void assertion(ir::Origin at, ir::Expr condition, std::string_view message);
  void return_from(ir::Origin at, ir::Expr value);  // null: the thread ends
  Made<> break_loop(ir::Origin at);
  Made<> continue_loop(ir::Origin at);
  // Everything below runs on the device. Refused the second time.
  Made<> enter_device(ir::Origin at);
  bool on_device() const { return on_device_; }

  // Is this what `branch` and `while_loop` take: a number or a truth, one for the thread?
  static bool is_condition(ir::Expr e);
  void branch(ir::Origin at, ir::Expr condition, Block then_body, Block else_body);  // else_body: null, there is none
  void while_loop(ir::Origin at, ir::Expr condition, Block body);
  void loop(ir::Origin at, const LoopNest& loops, std::span<const ir::Var* const> variables, Block body);
  // Attributes that hold to the end of the open block ...
  void attributes(ir::Origin at, Attributes list, const ir::Var* node);
  // ... or for one block alone, which is emitted.
  void attributes(ir::Origin at, Attributes list, const ir::Var* node, Block body);

  // Binds a dimension of the launch for the rest of the block. `var`: Drafts::launch_variable.
  void launch(ir::Origin at, const ir::Var* var, ir::Expr extent);
  // The same, of an extent that a later `launch` gives.
  void launch_later(ir::Origin at, const ir::Var* var);
  // Takes back the `launch` of `var` where it is the last statement so far; null where it is not.
  const ir::Attr* take_launch(const ir::Var* var);
  void launch_for(const ir::Attr* taken, Block body);

  // ---- what is known --------------------------------------------------------------------------------------------
  // With what is known of variables in place, simplified.
  ir::Expr settled(ir::Expr e) const;
  // The same in the first round of all loops around that are written out.
  ir::Expr in_first_round(ir::Expr e) const;
  // Parts of all expressions in statements so far; kMaxKernelNodes is what later stages are made for.
  std::uint64_t nodes() const { return nodes_; }
  // Grows whenever the kernel gets something: who sees the same number knows that nothing was added.
  std::uint64_t additions() const { return additions_; }
  Weights& weights() { return weights_; }

  // ---- the end ----------------------------------------------------------------------------------------------------
  // Closes what is open: the kernel has its body.
  void finish(ir::Origin at);
  // Makes declarations of what `launch` and thread-bound loops left (launch.h). After `finish`.
  Made<> bind_launch(bool failed);

 private:
  struct OpenBlock {
    std::vector<const ir::Stmt*> statements;
    int outer_loop_depth = 0;
    const ir::Var* written_out = nullptr;  // the variable of the loop that T.unroll writes out around it
  };

  template <class T, class... Args>
  void add(ir::Origin at, Args&&... args) {
    emit(ir::make_stmt<T>(at, std::forward<Args>(args)...));
  }

  ir::Kernel& kernel_;
  Drafts drafts_;
  Weights weights_;
  std::uint64_t nodes_ = 0, additions_ = 0;
  std::vector<OpenBlock> blocks_;  // innermost last
  std::vector<const ir::Buffer*> allocated_;
  bool on_device_ = false;
  int loop_depth_ = 0;
  // Variables whose value is known: of a T.let with a constant; of loops that are written out, the one in the first
  // round.
  std::unordered_map<const ir::Var*, ir::Expr> known_, first_round_;
};

}  // namespace tilewright::builder
