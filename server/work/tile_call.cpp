#include "server/work/tile_call.h"

#include <algorithm>

#include "compiler/dispatch/dispatched.h"
#include "compiler/ir/origin.h"

namespace tilewright::work {

const dispatch::CallReport* tile_call_at(const session::CompiledKernel& kernel, const ir::Origin& origin) {
  if (!kernel.dispatched) return nullptr;
  const auto found = std::ranges::find_if(
      kernel.dispatched->calls, [&](const dispatch::CallReport& c) { return ir::same_origin(c.call->origin, origin); });
  return found == kernel.dispatched->calls.end() ? nullptr : &*found;
}

}  // namespace tilewright::work
