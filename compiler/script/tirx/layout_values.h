// Parts of layouts as values of a script, and back: what the files of the layout algebra share.
#pragma once
#include <optional>
#include <vector>

#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

// The errors of the algebra are ValueErrors where the script stands.
Value layout_failure(Interpreter& in, const layout::Error& e, text::Span span);
Value checked_layout(Interpreter& in, layout::Result<layout::Layout> r, text::Span span);
// A swizzle alone as the script's release has it: from 0.26 on over the identity of `elements`.
layout::Layout over_elements(Interpreter& in, layout::Layout l, layout::Dim elements);
// An axis, or the name of one; nothing: an error is pending.
std::optional<layout::Axis> axis_of(Interpreter& in, Value v, text::Span span);
// An extent or a stride.
Value dim_value(layout::Dim d);
Value axis_value(Interpreter& in, layout::Axis axis);
// The items of a tuple or a list; nothing: it is neither.
std::optional<std::vector<Value>> sequence_of(Value v);
// The enum of the swizzles of tensor copies.
Class* swizzle_mode_class(Interpreter& in);

}  // namespace tilewright::script
