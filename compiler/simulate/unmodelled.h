// The rows of the table of intrinsics that the simulator does not execute. A kernel that comes to one of them is
// "incomplete": what it does there is not known, and the run is no pass.
#pragma once
#include <span>
#include <string_view>

namespace tilewright::simulate {

struct Unmodelled {
  std::string_view id;    // of the row
  std::string_view name;  // as scripts call it, without the leading T.
  std::string_view why;   // half a sentence
};
std::span<const Unmodelled> unmodelled_rows();

}  // namespace tilewright::simulate
