// The tables of rule.h, a file each.
#pragma once
#include "compiler/migrate/rule.h"

namespace tilewright::migrate {

std::span<const Rule> rules_to_0_26();
std::span<const ModuleRule> modules_to_0_26();
std::span<const Rule> rules_to_0_27();
std::span<const ModuleRule> modules_to_0_27();

}  // namespace tilewright::migrate
