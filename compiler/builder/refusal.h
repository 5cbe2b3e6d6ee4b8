// What the builder does not make, in the form that its driver reports. The evaluator makes diagnostics of them.
#pragma once
#include <expected>
#include <string>
#include <string_view>

#include "compiler/text/span.h"

namespace tilewright::builder {

struct Refusal {
  std::string_view code;  // one of those below; `explain CODE` knows them
  std::string message;
  std::string hint{};
  text::Span span{};  // the statement that is meant; nowhere: the one that was to be made
};

template <class T = void>
using Made = std::expected<T, Refusal>;

namespace code {
inline constexpr std::string_view kType = "TW2004";
inline constexpr std::string_view kLoop = "TW2104";
inline constexpr std::string_view kParameter = "TW2105";
inline constexpr std::string_view kBuffer = "TW2106";
inline constexpr std::string_view kScopeId = "TW2110";
inline constexpr std::string_view kDeviceEntry = "TW2115";
}  // namespace code

}  // namespace tilewright::builder
