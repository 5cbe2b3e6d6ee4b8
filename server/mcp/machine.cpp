#include "server/mcp/machine.h"

#include "server/project/environment.h"
#include "server/work/tools.h"

namespace tilewright::mcp {

std::expected<std::shared_ptr<const ide::Made>, std::string> made_by_tools(const session::CompiledKernel& kernel,
                                                                           bool sass, const std::stop_token& stop) {
  if (!kernel.cuda) return std::unexpected("the kernel has errors, so it has no CUDA text: call check");
  static toolchain::Toolchain tools(project::toolchain_options());  // keeps its helpers warm
  toolchain::Request wanted;
  wanted.want_cubin = sass;
  wanted.want_sass = sass;
  toolchain::Request request = work::request_for(kernel, std::move(wanted));
  request.stop = stop;
  auto made = std::make_shared<ide::Made>(ide::made_from(tools.compile(request), sass));
  if (made->no_tools)
    return std::unexpected("NVIDIA's compiler is not installed: `tilewright doctor` says where it is looked for; " +
                           made->error);
  if (!made->error.empty()) return std::unexpected(made->error);
  return made;
}

}  // namespace tilewright::mcp
