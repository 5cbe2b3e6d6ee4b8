// What the tensors of a kernel have to hold after a run, found on the host without the GPU's help.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "compiler/run/bind.h"
#include "compiler/session/compile.h"

namespace tilewright::testing {

// Contents by tensor name. Bytes that nothing defines are left out of the comparison.
struct Expectation {
  struct Tensor {
    std::string bytes;
    std::string defined;  // one char a byte: 0 where any value is right
  };
  std::map<std::string, Tensor, std::less<>> tensors;
  std::string source;  // "meaning", "simulator"
};

// Kernels that only copy: from the definition of a copy, element by element (tests/simulate/meaning.h). All others: the
// simulator's run of the lowered form, when it was clean. The error says why neither can tell.
std::expected<Expectation, std::string> expect(const session::CompiledKernel& kernel, const run::Bound& bound);

}  // namespace tilewright::testing
