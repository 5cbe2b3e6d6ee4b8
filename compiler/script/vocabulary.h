// The names that a script finds in `T`, `Tx` and the layout algebra, with their operands and a sentence each: for
// completion, signature help and hover. Instructions (`T.ptx...`, `T.cuda...`) have their own table (intrinsics.h).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright::script {

enum class WordKind : std::uint8_t { Function, Decorator, Type, Class, Namespace, Constant, Primitive };

struct Word {
  std::string_view space;  // "T", "Tx", "layout", "buffer" (methods and attributes of a buffer)
  std::string_view name;
  WordKind kind = WordKind::Function;
  std::string_view signature;  // operands, "shape, dtype='float32'"; empty: it is not called
  std::string_view documentation;
};

std::span<const Word> vocabulary();
// Null: no such name there.
const Word* find_word(std::string_view space, std::string_view name);

}  // namespace tilewright::script
