// Diagnostics of the CUDA emitter: TW41xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::cuda {

namespace code {
inline constexpr std::string_view kAssert = "TW4101";
inline constexpr std::string_view kType = "TW4102";
inline constexpr std::string_view kHelper = "TW4103";
inline constexpr std::string_view kSubByte = "TW4104";
inline constexpr std::string_view kNoForm = "TW4105";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kAssert, "assert on the device",
     "An assert statement has no CUDA form. Use `T.cuda.trap_when_assert_failed(condition)`, which stops the kernel."},
    {code::kType, "type without CUDA counterpart",
     "CUDA C++ has no type for this data type (some float8 variants), so no value of it can be written."},
    {code::kHelper, "two helpers of one name",
     "Two device functions of one name with different source texts meet in one translation unit. Rename the function "
     "in one of the `T.cuda.func_call` sources."},
    {code::kSubByte, "element access below one byte",
     "Elements of 4 and 6 bits share bytes; a single one cannot be loaded or stored. Access them as packed bytes "
     "through `.view(\"uint8\")`, or copy them with a tile primitive."},
    {code::kNoForm, "no CUDA form", "The lowered kernel holds a construct that the emitter cannot express."},
};

}  // namespace tilewright::cuda
