// The module `json`.
#pragma once
#include <span>

#include "compiler/script/python/support.h"

namespace tilewright::script::python {

std::span<const Entry> json_names();

}  // namespace tilewright::script::python
