// Where names come from: the modules that scripts import, and the lines that do it.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

// Modules of the dialect and of Python that kernels are written with.
std::span<const std::string_view> known_modules();

// The imports that would bind `name` for the line at `offset`: of the dialect, of Python's own modules, of a script in
// the same folder. None: none is known.
std::vector<QuickFix> missing_imports(const Query& q, std::string_view name, std::uint32_t offset);

}  // namespace tilewright::ide
