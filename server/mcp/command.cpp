// tilewright mcp: scripts as tools for coding agents.
#include "server/mcp/command.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/mcp/server.h"
#include "server/project/console.h"

namespace tilewright::mcp {
namespace {

namespace fs = std::filesystem;

// What cannot be stopped halfway is not waited for longer.
constexpr std::chrono::seconds kFarewell{6};

struct McpCommand {
  std::vector<std::string> roots;
};

int refuse(const std::string& message) {
  project::sayf(stderr, "tilewright: %s\n", message.c_str());
  return 2;
}

// The folder that the client started us in, unless that is the top of the file system: some start us there.
std::vector<std::string> default_roots() {
  std::error_code ec;
  const fs::path here = fs::current_path(ec);
  return ec || here == here.root_path() ? std::vector<std::string>() : std::vector<std::string>{here.string()};
}

int run_mcp(const McpCommand& command) {
  for (const std::string& root : command.roots) {
    std::error_code ec;
    if (!fs::is_directory(root, ec)) return refuse("no such folder: " + root);
  }
  ServerOptions options{.roots = command.roots.empty() ? default_roots() : command.roots,
                        .asks_for_roots = command.roots.empty()};
  auto connection = transport::stdio();
  auto server = std::make_unique<Server>(*connection, std::move(options));
  const int status = server->run();
  std::thread([status] {
    std::this_thread::sleep_for(kFarewell);
    std::_Exit(status);
  }).detach();
  server.reset();
  return status;
}

}  // namespace

void add_mcp(CLI::App& app, std::function<int()>& run) {
  auto command = std::make_shared<McpCommand>();
  CLI::App* c =
      app.add_subcommand("mcp", "Serve coding agents: the Model Context Protocol on standard input and output");
  c->add_option("--root", command->roots,
                "A folder that clients may ask about; may be given again (default: the folders that the client names, "
                "else the current one). Nothing outside is read")
      ->allow_extra_args(false);
  c->footer("Examples:\n  tilewright mcp\n  tilewright mcp --root kernels/");
  c->callback([command, &run] { run = [command] { return run_mcp(*command); }; });
}

}  // namespace tilewright::mcp
