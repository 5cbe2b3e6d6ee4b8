// What every stage of the compiler is given besides its input: who may stop it, how much it may use, where it reports.
#pragma once
#include <cstdint>
#include <stop_token>
#include <vector>

#include "compiler/text/diagnostic.h"

namespace tilewright::text {

// Defaults of the command-line contract. A runaway script ends with a diagnostic when one of them is spent.
struct Limits {
  std::uint64_t steps = 20'000'000;                   // evaluated nodes a file
  std::uint64_t memory_bytes = 256ull * 1024 * 1024;  // arena and value bytes a file
  std::uint32_t depth = 1000;                         // nested calls and expressions
};

struct Context {
  std::stop_token stop;
  Limits limits;
  std::vector<Diagnostic>* diagnostics = nullptr;

  void report(Diagnostic diagnostic) const {
    if (diagnostics) diagnostics->push_back(std::move(diagnostic));
  }
};

}  // namespace tilewright::text
