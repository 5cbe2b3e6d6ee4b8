// What people write who come from CUDA C++ or from another language of tiles, and what it is here.
#pragma once
#include <string>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::script {

// The hint to a name that no script has; empty: nobody brings it along. Some are asked of `T`, others stand alone.
std::string brought_along(std::string_view name, text::Dialect release);

// The dtype that another library calls so, "fp16"; empty: none.
std::string_view dtype_known_as(std::string_view name);

}  // namespace tilewright::script
