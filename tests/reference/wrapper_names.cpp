// The wrappers of a release, one form a line: the name and its operands, "ptx.mbarrier.init<TAB>bar thread_count".
// For wrappers.py.
#include <cstdio>
#include <string>

#include "compiler/intrinsics/intrinsic.h"

using namespace tilewright;

int main(int argc, char** argv) {
  const auto release = argc > 1 ? text::parse_dialect(argv[1]) : std::nullopt;
  if (!release) return std::fprintf(stderr, "usage: wrapper_names 0.26\n"), 2;
  for (const intrinsics::Named& named : intrinsics::names(*release)) {
    std::string operands;
    for (const intrinsics::Operand& o : named.row->operands) operands.append(" ").append(o.name);
    std::printf("%.*s\t%s\n", static_cast<int>(named.name.size()), named.name.data(),
                operands.empty() ? "" : operands.c_str() + 1);
  }
  return 0;
}
