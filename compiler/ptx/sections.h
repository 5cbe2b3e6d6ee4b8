// What each row does, in a sentence, and where the PTX documents describe it.
#pragma once
#include "compiler/ptx/row.h"

namespace tilewright::ptx {

struct About {
  std::string_view chapter;  // of the PTX ISA: "Floating-Point Instructions"
  std::string_view section;  // "add"
  std::string_view says;
};
About about(const Row& row);

// For a hover: the instruction as PTX documents write it, the sentence, the section, targets.
std::string documentation(const Row& row);

}  // namespace tilewright::ptx
