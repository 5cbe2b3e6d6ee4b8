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

// Runs the rest of the statement in the frame, which is closed however it is left.
Flow in_frame(Interpreter& in, Frame* frame, const FrameItem& item);

// An object of the prelude whose body stands under the branch that `__branch__` gives, between what `__prologue__` and
// `__epilogue__` emit.
bool is_role(Value v);
Flow in_role(Interpreter& in, Value role, const FrameItem& item);

}  // namespace tilewright::script
