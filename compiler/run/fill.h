// The bytes that a tensor holds before a run (inputs/fill.h has the words).
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/expr/dtype.h"
#include "compiler/inputs/fill.h"
#include "compiler/run/contents.h"

namespace tilewright::run {

using inputs::Fill;
using inputs::fill_words;
using inputs::FillError;
using inputs::FillWord;
using inputs::parse_fill;

// The bytes of a tensor. Nothing for a Poison, and for a number in a type that has none.
std::optional<Contents> filled(const Fill& fill, ir::DataType dtype, std::int64_t bytes, std::uint64_t seed);

}  // namespace tilewright::run
