// The tables of Python's builtin names.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "compiler/script/python/support.h"
#include "compiler/syntax/word_table.h"

namespace tilewright::script::python {

// A name, and how its value is made.
struct Builtin {
  std::string_view name;
  Value (*make)(Interpreter& in, const Builtin& row);
  std::string_view other{};           // the class that this one derives from, or the name that it is another one for
  NativeFunction function = nullptr;  // the function itself, or the constructor of the class
};

struct BuiltinTable {
  std::span<const Builtin> rows;
  std::size_t (*place)(const syntax::Name& name);  // in `rows`; their number: none of them
};

template <std::size_t Count>
consteval std::array<std::string_view, Count> names_of(const Builtin (&rows)[Count]) {
  std::array<std::string_view, Count> names;
  for (std::size_t i = 0; i < Count; ++i) names[i] = rows[i].name;
  return names;
}

template <const auto& kRows>
BuiltinTable table_of() {
  static constexpr syntax::WordTable kWords(names_of(kRows));
  return {kRows, [](const syntax::Name& name) { return kWords.find(name.text, name.hash); }};
}

BuiltinTable builtin_types();       // int, str, list, ...: types.cpp
BuiltinTable builtin_exceptions();  // BaseException and below: types.cpp
BuiltinTable builtin_functions();   // len, zip, ..., and what is not followed: builtins.cpp

}  // namespace tilewright::script::python
