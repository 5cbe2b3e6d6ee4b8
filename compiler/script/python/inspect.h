// The module `inspect`.
#pragma once
#include <span>

#include "compiler/script/python/support.h"

namespace tilewright::script::python {

std::span<const Entry> inspect_names();

}  // namespace tilewright::script::python
