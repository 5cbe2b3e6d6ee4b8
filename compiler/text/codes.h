// The shape of a room's table of diagnostic codes; `tilewright explain CODE` reads them all.
#pragma once
#include <string_view>

namespace tilewright::text {

struct CodeInfo {
  std::string_view code;         // "TW4001"
  std::string_view title;        // a few words
  std::string_view explanation;  // a paragraph: what it means, why it matters, what to do
};

}  // namespace tilewright::text
