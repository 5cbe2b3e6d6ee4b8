// Where a compiler that ends its process does so: the assembly statement without which it does not.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/toolchain/compile_log.h"

namespace tilewright::toolchain {

// Tries `source` with assembly statements left out, some ten times at most: `crashes` says of a text whether the
// compiler ends its process at it, none that it is not to be asked again. The entry names the instruction and leads to
// the lines that it was called from. None where no single statement is found.
std::optional<LogEntry> crash_site(std::string_view source,
                                   const std::function<std::optional<bool>(const std::string&)>& crashes);

}  // namespace tilewright::toolchain
