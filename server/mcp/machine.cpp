#include "server/mcp/machine.h"

#include "server/project/environment.h"
#include "server/work/tools.h"

namespace tilewright::mcp {
namespace {

toolchain::Toolchain& compiler() {
  static toolchain::Toolchain one(project::toolchain_options());  // keeps its helpers warm
  return one;
}

}  // namespace

std::expected<std::shared_ptr<const ide::Made>, std::string> made_by_tools(const session::CompiledKernel& kernel,
                                                                           bool sass, const std::stop_token& stop) {
  if (!kernel.cuda) return std::unexpected("the kernel has errors, so it has no CUDA text: call check");
  toolchain::Request wanted;
  wanted.want_cubin = sass;
  wanted.want_sass = sass;
  toolchain::Request request = work::request_for(kernel, std::move(wanted));
  request.stop = stop;
  auto made = std::make_shared<ide::Made>(ide::made_from(compiler().compile(request), sass));
  if (made->no_tools)
    return std::unexpected("NVIDIA's compiler is not installed: `tilewright doctor` says where it is looked for; " +
                           made->error);
  if (!made->error.empty()) return std::unexpected(made->error);
  return made;
}

work::MachineCode machine_code(const session::CompiledKernel& kernel, const std::stop_token& stop) {
  return work::machine_code_of(kernel, compiler(), stop);
}

}  // namespace tilewright::mcp
