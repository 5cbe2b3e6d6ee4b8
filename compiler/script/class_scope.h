// What the scope of a class holds while its body runs, beside the names of the body.
#pragma once
#include <string_view>

namespace tilewright::script {

// A tuple of the names that the body binds, in a class within a function. No identifier, so scripts never see it.
inline constexpr std::string_view kBoundInClass = "<bound>";
// Tuples of annotated names: those that only initialise (InitVar), those after KW_ONLY. A dataclass takes both away.
inline constexpr std::string_view kInitOnly = "<init only>";
inline constexpr std::string_view kByKeyword = "<by keyword>";

}  // namespace tilewright::script
