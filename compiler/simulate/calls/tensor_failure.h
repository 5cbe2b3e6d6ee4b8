// How calls on tensor memory fail.
#pragma once
#include <string>
#include <utility>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {

// The error that tensor memory is not used as PTX allows it; the thread ends.
inline Step wrong(Machine& m, const Thread& t, std::string text) {
  m.finding(code::kTensorMemory, Severity::Error, std::move(text), &t);
  return Step::Failed;
}

}  // namespace tilewright::simulate
