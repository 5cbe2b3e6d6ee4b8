// What each name is, as a grammar cannot tell: a parameter, a kernel, a class, a module.
#pragma once
#include <cstdint>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct Token {
  enum class Type { Namespace, Class, Function, Method, Property, Parameter, Variable };
  // Modifiers, as bits.
  static constexpr std::uint32_t kDeclaration = 1, kReadonly = 2, kLibrary = 4, kKernel = 8;

  Stretch at;  // within one line
  Type type = Type::Variable;
  std::uint32_t modifiers = 0;
};
// Those that touch the bytes of `within`, ascending, none over another.
std::vector<Token> tokens(const session::Snapshot& script, Stretch within);

}  // namespace tilewright::ide
