#include "server/cli/run_files.h"

#include "server/project/files.h"
#include "server/render/timeline.h"
#include "server/views/run_page.h"

namespace tilewright::cli {
namespace fs = std::filesystem;

std::expected<void, std::string> write_outputs(const fs::path& folder, const project::MadeFiles& made,
                                               run::Report& report) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return std::unexpected("cannot create " + folder.string() + ": " + ec.message());
  for (std::size_t i = 0; i < report.tensors.size(); ++i) {
    const run::BoundTensor& t = report.bound.tensors[i];
    if (t.role == run::Role::Input) continue;
    const fs::path path = folder / (t.name + ".npy");
    run::NpyArray array = run::to_npy(t.dtype, run::array_shape(t), report.outcome.buffers[i].contents);
    std::string header = run::npy_header(array);
    if (auto ok = project::write_made(made, path, {header, array.data.view()}); !ok) return ok;
    report.tensors[i].file = path.string();
  }
  return {};
}

std::expected<void, std::string> write_trace(const std::string& file, const work::RunAnswer& answer) {
  if (answer.report.outcome.timeline.names.empty())
    return std::unexpected("the run left no timeline: it did not come to its end");
  const bool page = std::filesystem::path(file).extension() == ".html";
  return project::write_file(file, {page ? views::html_run(answer) : render::timeline_json(answer)});
}

}  // namespace tilewright::cli
