// `with` around a frame of the kernel: T.If, T.Then, T.Else, T.While, the loops, T.attr. In a kernel and in the Python
// functions that it calls they build the same statements.
#pragma once
#include <functional>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

// One item of a `with` statement.
struct FrameItem {
  text::Span at;                           // of the frame
  text::Span statement;                    // the whole `with`
  const syntax::Node* target = nullptr;    // what stands after `as`; null: nothing
  const std::function<bool(Value)>& bind;  // to the target; false: an error is pending
  const std::function<Flow()>& rest;       // the other items, and the body
};

// A frame of the kernel, or a role, that is open: what closes it needs.
struct OpenFrame {
  Value frame;
  text::Span at;                       // of the frame
  text::Span statement;                // the whole `with`
  std::vector<const ir::Var*> vars{};  // of a loop
  std::uint32_t levels = 0;            // of nesting that it counts for
  ir::Expr condition{};                // of a role
  Frame* branch = nullptr;             // of an arm: its T.If
  std::size_t depth = 0;               // frames that are open with it
};

// False: an error is pending, and nothing is left open. `target`: what stands after `as`; null: nothing.
bool open_frame(Interpreter& in, OpenFrame& open, const syntax::Node* target, const std::function<bool(Value)>& bind);
// Closes it however its body ended. Its statement is emitted unless that was by an error.
Flow close_frame(Interpreter& in, OpenFrame& open, Flow flow);

// Runs the rest of the statement in the frame or the role, which is closed however it is left. A role is an object of
// the prelude whose body stands under the branch that `__branch__` gives, between what `__prologue__` and
// `__epilogue__` emit.
Flow in_frame(Interpreter& in, Value frame, const FrameItem& item);
bool is_role(Value v);

// `__enter__` and `__exit__` of a frame, which a function calls itself, as contextlib.ExitStack does; the error tag
// without a pending error: it has no such method.
Value method_of_frame(Interpreter& in, Value frame, std::string_view name);

}  // namespace tilewright::script
