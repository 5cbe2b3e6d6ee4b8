#include "server/ide/page.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "server/ide/buffer_uses.h"
#include "server/ide/resources.h"

namespace tilewright::ide {
namespace {

// A picture is for looking at: more cells than these say nothing that their rule does not.
constexpr std::int64_t kRows = 32, kColumns = 32;
// A kernel that is unrolled by hand has hundreds of buffers.
constexpr std::size_t kMostLayouts = 40;
// Of the simulator, for the time of a kernel.
constexpr std::uint64_t kSteps = 20'000'000, kCtas = 2;

View view_of_kernel(ViewKind kind, const std::string& document, const session::Compiled& compiled,
                    const session::CompiledKernel& kernel, const std::shared_ptr<const Made>& made) {
  View out;
  out.name = view_of(kind, kernel, document);
  auto without = [&](std::string problem) {
    out.state = View::State::Failed;
    out.problem = std::move(problem);
    return out;
  };
  if (!has_stage(kind, kernel)) return without("The kernel has errors: see the findings.");
  if (made_by_tools(kind)) {
    if (!made) return without("NVIDIA's tools were not asked.");
    if (made->no_tools) return without(made->error + "\n`tilewright doctor` says how to get it.");
    if (!made->error.empty()) return without(made->error);
    if (kind == ViewKind::Sass && made->sass.empty()) return without("No SASS: " + made->sass_missing);
    out.made = made;
  }
  out.compiled = &compiled;
  out.kernel = &kernel;
  return out;
}

std::vector<LayoutAt> layouts_of(const Script& script, const session::Compiled& compiled,
                                 const session::CompiledKernel& kernel) {
  std::vector<LayoutAt> out;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  LayoutAsked asked;
  asked.picture.rows = kRows;
  asked.picture.columns = kColumns;
  for (const BufferUse& use : uses_of(kernel)) {
    const ir::Buffer* buffer = use.buffer;
    if (use.kind != BufferUse::Kind::Memory || !buffer || !buffer->layout || buffer->scope == ir::StorageScope::Global)
      continue;
    if (out.size() >= kMostLayouts) break;
    LayoutAt one = layout_of(*script, compiled, kernel, *buffer, asked);
    std::string shape;
    for (const Extent& e : one.shape) shape += e.text + ",";
    if (seen.insert({one.name, one.printed, shape}).second) out.push_back(std::move(one));
  }
  return out;
}

const toolchain::KernelResources* resources_of(const session::CompiledKernel& kernel, const Made* made) {
  if (!kernel.lowered || !made) return nullptr;
  const auto found =
      std::ranges::find(made->kernels, std::string_view(kernel.lowered->symbol), &toolchain::KernelResources::name);
  return found == made->kernels.end() ? nullptr : &*found;
}

work::KernelTime time_of(const session::CompiledKernel& kernel, const session::Compiled& compiled,
                         const syntax::Tree& tree, const Made* made, const std::stop_token& stop) {
  work::TimeAsked asked;
  if (made && kernel.cuda) asked.code = work::machine_code_of(kernel, made->sass, made->sass_missing, made->kernels);
  asked.steps = kSteps;
  asked.ctas = kCtas;
  return work::time_of(kernel, compiled, tree, asked, stop);
}

}  // namespace

Page page(const project::LoadedFile& file, const std::shared_ptr<session::Analysis>& analysis,
          std::span<const ViewKind> kinds, const MadeOf& made_of, const std::stop_token& stop) {
  Page out;
  // It is not edited: the snapshot stands for the script that was compiled, and is analysed no more.
  out.script = std::make_shared<session::Snapshot>(file.tree, 0, std::make_shared<session::Settings>(), nullptr,
                                                   std::make_shared<session::KernelCache>());
  analysis->findings = session::findings(analysis->compiled, file.source->path());
  out.analysis = analysis;
  // Of one entry the architectures stand together.
  std::vector<std::pair<const session::Compiled*, const session::CompiledKernel*>> kernels;
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      auto same = std::ranges::find_if(kernels.rbegin(), kernels.rend(), [&](const auto& other) {
        return other.second->entry->expression == k.entry->expression &&
               other.second->value->kernel.name == k.value->kernel.name;
      });
      kernels.insert(same == kernels.rend() ? kernels.end() : same.base(), {&c, &k});
    }
  }
  for (const auto& [compiled, kernel] : kernels) {
    const auto made = made_of(*kernel);
    PageKernel& one = out.kernels.emplace_back();
    one.compiled = compiled;
    one.kernel = kernel;
    one.architecture = session::architecture_words(*kernel, compiled->evaluation->anchors);
    if (const auto* resources = resources_of(*kernel, made.get()))
      one.resources = resource_words(kernel->lowered->plan, kernel->target, resources);
    if (has_stage(ViewKind::Tirx, *kernel)) one.pipeline = pipeline_of(out.script, analysis, *compiled, *kernel);
    one.time = time_of(*kernel, *compiled, *file.tree, made.get(), stop);
    one.layouts = layouts_of(out.script, *compiled, *kernel);
    for (ViewKind kind : kinds) {
      one.views.push_back(
          {out.script, out.analysis, view_of_kernel(kind, file.source->path(), *compiled, *kernel, made)});
      if (!one.lines) one.lines = kernel_lines(one.views.back());
    }
  }
  return out;
}

}  // namespace tilewright::ide
