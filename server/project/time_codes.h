// Codes of what a profile and the model of time advise beside those of codes.h.
#pragma once
#include <string_view>

namespace tilewright::project {

inline constexpr std::string_view kShallowCode = "TW7004";         // server/work/time.h
inline constexpr std::string_view kSmallCopiesCode = "TW7005";     // server/work/profile.h
inline constexpr std::string_view kCollisionsCode = "TW7006";      // the same
inline constexpr std::string_view kSpareBarrierCode = "TW7007";    // the same
inline constexpr std::string_view kScatteredLanesCode = "TW7008";  // the same
inline constexpr std::string_view kRepeatedCode = "TW7009";        // the same
inline constexpr std::string_view kSplitWarpsCode = "TW7010";      // server/work/time_advice.h
inline constexpr std::string_view kDoublesCode = "TW7011";         // the same

}  // namespace tilewright::project
