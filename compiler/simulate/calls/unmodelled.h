// The rows of the table of intrinsics that the simulator does not execute. A kernel that comes to one of them is
// "incomplete": what it does there is not known, and the run is no pass.
#pragma once
#include <span>
#include <string_view>

namespace tilewright::simulate {

struct Unmodelled {
  std::string_view id;   // of the row
  std::string_view why;  // half a sentence
};
std::span<const Unmodelled> unmodelled_rows();
// Why the row of this id is not executed; empty: no reason is listed.
std::string_view why_unmodelled(std::string_view id);

}  // namespace tilewright::simulate
