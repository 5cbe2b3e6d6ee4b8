// Positions and slices of sequences, as Python reads them.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Position of an element among `size`, counted from the end when negative; nothing (pending) when it is none.
std::optional<std::size_t> element_position(Interpreter& in, std::size_t size, Value index, text::Span span);

// What a slice takes of a sequence: start, start + step, ..., `count` positions, all inside of it. `stop` as Python's
// slice.indices() gives it.
struct SliceRange {
  std::int64_t start = 0, stop = 0, step = 1, count = 0;
  std::size_t at(std::int64_t i) const { return static_cast<std::size_t>(start + i * step); }
};
// Nothing (pending) where the slice does not hold numbers, or a step of zero.
std::optional<SliceRange> slice_range(Interpreter& in, const Slice& slice, std::size_t size, text::Span span);

// list[slice] = value and del list[slice]; false with a pending error.
bool assign_slice(Interpreter& in, List& list, const Slice& slice, Value value, text::Span span);
bool delete_slice(Interpreter& in, List& list, const Slice& slice, text::Span span);

}  // namespace tilewright::script
