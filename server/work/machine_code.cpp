#include "server/work/machine_code.h"

#include <algorithm>
#include <utility>

#include "server/work/machine_accesses.h"
#include "server/work/tools.h"

namespace tilewright::work {

MachineCode machine_code_of(const session::CompiledKernel& kernel, const std::string& sass,
                            const std::string& sass_missing, std::span<const toolchain::KernelResources> resources) {
  MachineCode out;
  const std::string& symbol = kernel.lowered->symbol;
  if (const auto own = std::ranges::find(resources, symbol, &toolchain::KernelResources::name); own != resources.end())
    out.registers = own->registers;
  if (sass.empty()) {
    out.why = sass_missing;
  } else {
    out.accesses = machine_accesses_of(sass, symbol, *kernel.cuda);
  }
  return out;
}

MachineCode machine_code_of(const session::CompiledKernel& kernel, toolchain::Toolchain& tools, std::stop_token stop) {
  toolchain::Request request = request_for(kernel);
  request.want_ptx = false;
  request.want_sass = true;
  request.stop = std::move(stop);
  const auto made = tools.compile(request);
  if (made) return machine_code_of(kernel, made->sass, made->sass_missing, made->kernels);
  MachineCode out;
  out.why = made.error().message;
  return out;
}

std::optional<simulate::MachineAccesses> uncounted(std::optional<simulate::MachineAccesses> accesses) {
  if (!accesses) return accesses;
  for (auto& [origin, place] : accesses->places)
    for (simulate::MachineAccesses::Kind& kind : place.kinds) kind = {.code = kind.code};
  return accesses;
}

}  // namespace tilewright::work
