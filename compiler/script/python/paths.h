// The module `os.path`.
#pragma once
#include <span>

#include "compiler/script/python/support.h"

namespace tilewright::script::python {

std::span<const Entry> os_path_names();

}  // namespace tilewright::script::python
