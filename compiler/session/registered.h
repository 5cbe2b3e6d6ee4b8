// The kernel library's registry: a module is registered by a literal `KERNEL_META = {"name": ..., "category": ...,
// "runtime_cuda_archs": [...]}`. It is read off the text, as the library reads it; nothing is evaluated.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/tree.h"

namespace tilewright::session {

struct Registered {
  std::string name, category;
  std::vector<std::string> architectures;  // "sm_100a"; empty: it does not say
  std::uint32_t offset = 0;                // of KERNEL_META in the script
};

// Is the expression this name?
bool is_name(const syntax::Node* node, std::string_view name);
// Nullopt: the module is not registered. Its last KERNEL_META holds.
std::optional<Registered> registered(const syntax::Tree& tree);

}  // namespace tilewright::session
