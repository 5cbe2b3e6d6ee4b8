// Codes of what evaluation reports. TW1xxx syntax, TW2xxx evaluation.
#pragma once
#include <span>
#include <string_view>

#include "compiler/text/codes.h"

namespace tilewright::script::code {

inline constexpr std::string_view kSyntax = "TW1001";
inline constexpr std::string_view kUnsupported = "TW2001";
inline constexpr std::string_view kName = "TW2002";
inline constexpr std::string_view kAttribute = "TW2003";
inline constexpr std::string_view kType = "TW2004";
inline constexpr std::string_view kValue = "TW2005";
inline constexpr std::string_view kArguments = "TW2006";
inline constexpr std::string_view kOpaque = "TW2007";
inline constexpr std::string_view kRaised = "TW2008";
inline constexpr std::string_view kLimit = "TW2009";
inline constexpr std::string_view kCancelled = "TW2010";
inline constexpr std::string_view kAssignment = "TW2101";
inline constexpr std::string_view kRebinding = "TW2102";
inline constexpr std::string_view kCondition = "TW2103";
inline constexpr std::string_view kLoop = "TW2104";
inline constexpr std::string_view kParameter = "TW2105";
inline constexpr std::string_view kBuffer = "TW2106";
inline constexpr std::string_view kIndex = "TW2107";
inline constexpr std::string_view kRegion = "TW2108";
inline constexpr std::string_view kLayout = "TW2109";
inline constexpr std::string_view kScopeId = "TW2110";
inline constexpr std::string_view kIntrinsic = "TW2111";
inline constexpr std::string_view kOutside = "TW2112";
inline constexpr std::string_view kMetaClass = "TW2113";
inline constexpr std::string_view kJit = "TW2114";
inline constexpr std::string_view kDeviceEntry = "TW2115";
inline constexpr std::string_view kTruncation = "TW2116";
inline constexpr std::string_view kSerial = "TW2117";
inline constexpr std::string_view kPrinted = "TW2118";
inline constexpr std::string_view kUnchecked = "TW2119";
inline constexpr std::string_view kSymbol = "TW2120";
inline constexpr std::string_view kTraced = "TW2121";
inline constexpr std::string_view kOnlyHere = "TW2122";  // what Tilewright compiles and the reference refuses
inline constexpr std::string_view kEntry = "TW2201";
inline constexpr std::string_view kNeedsEntry = "TW2202";
inline constexpr std::string_view kImport = "TW2203";
inline constexpr std::string_view kDialect = "TW2204";
inline constexpr std::string_view kConfig = "TW2211";

std::span<const text::CodeInfo> table();

}  // namespace tilewright::script::code
