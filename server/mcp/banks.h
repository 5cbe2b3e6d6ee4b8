// Layouts that no script has, and what a warp's accesses of them cost in shared memory.
#pragma once
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/layout/picture.h"
#include "compiler/script/evaluate.h"

namespace tilewright::mcp {

struct EvaluatedLayout {
  std::unique_ptr<script::Evaluation> evaluation;  // owns what the layout points to
  layout::Layout layout;
  layout::Shape shape;
};
// `shape`: in words; empty: that which the layout was made for, or its own. The error is a sentence.
std::expected<EvaluatedLayout, std::string> evaluated_layout(const std::string& expression, const std::string& shape);

// Accesses as they are written, 'lane -> (lane//4, lane%4*2)'. `access_bits`: that each lane moves; 0: one element.
std::expected<std::vector<layout::Access>, std::string> read_accesses(const std::vector<std::string>& words,
                                                                      int dtype_bits, int access_bits);
// What an access of the layout costs. The error: it leaves the shape, or cannot be aligned so.
std::expected<layout::BankReport, std::string> banks_of(const EvaluatedLayout& layout, const layout::Access& access);
// "4 wavefronts, 4 without conflicts", "16 wavefronts, 4 without conflicts: 4-way bank conflict".
std::string banks_words(const layout::BankReport& report);
// Bits of an element. The error: no such type.
std::expected<int, std::string> element_bits(const std::string& dtype);

}  // namespace tilewright::mcp
