#include "server/bsp/install.h"

#include "protocol/bsp.h"
#include "server/bsp/languages.h"
#include "server/project/made_files.h"

namespace tilewright::bsp {

std::expected<std::filesystem::path, std::string> install(const std::filesystem::path& workspace,
                                                          const std::filesystem::path& program) {
  std::error_code ec;
  if (!std::filesystem::is_directory(workspace, ec)) return std::unexpected("no such folder: " + workspace.string());
  const auto folder = workspace / ".bsp";
  std::filesystem::create_directories(folder, ec);
  if (ec) return std::unexpected(folder.string() + ": " + ec.message());
  const protocol::Json connection = {{"name", "tilewright"},
                                     {"version", TILEWRIGHT_VERSION},
                                     {"bspVersion", protocol::bsp::kVersion},
                                     {"languages", kLanguages},
                                     {"argv", {program.string(), "serve"}}};
  std::filesystem::path file = folder / "tilewright.json";
  if (auto written = project::write_made({workspace, workspace / "any"}, file, {connection.dump(2) + "\n"}); !written)
    return std::unexpected(written.error());
  return file;
}

}  // namespace tilewright::bsp
