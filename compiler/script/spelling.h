// The meaning of a name that is not there: the hint that says what was meant, the edit that writes it.
#pragma once
#include <string>
#include <string_view>

#include "compiler/text/diagnostic.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

// The nearest of the names that could be meant. Names that no script writes are no candidates.
class Nearby {
 public:
  explicit Nearby(std::string_view wrong) : wrong_(wrong), nearest_(wrong, text::Nearest::Among::Meant) {}
  void consider(std::string_view name);
  std::string hint() const;  // "did you mean NAME?"; empty: nothing is near

 private:
  std::string_view wrong_;
  text::Nearest nearest_;
};

// The edit of a hint "did you mean A.B?": what the diagnostic stands at becomes B. None for another hint.
text::Fix fix_of_hint(std::string_view hint);

}  // namespace tilewright::script
