// tilewright serve: the build server.
#include "server/bsp/command.h"

#include <filesystem>
#include <memory>

#include "compiler/process/program.h"
#include "server/bsp/install.h"
#include "server/bsp/serve.h"
#include "server/project/console.h"
#include "server/remote/listening.h"

namespace tilewright::bsp {
namespace {

constexpr int kUsage = 2;

struct ServeCommand {
  remote::ListenWords listen;
  std::string install, on;
  unsigned jobs = 0;
  std::size_t clients = 64;
};

int refuse(const std::string& message, const std::string& hint) {
  project::say_refusal(message, hint);
  return kUsage;
}

int install_command(const std::string& workspace) {
  const auto file = install(workspace, process::this_program());
  if (!file) return refuse(file.error(), "name the folder of the workspace: tilewright serve --install FOLDER");
  project::sayf(stdout, "%s\n", file->string().c_str());
  return 0;
}

int serve_command(const ServeCommand& command) {
  if (!command.install.empty()) return install_command(command.install);
  auto listening = remote::listening(command.listen, "serve",
                                     {.method = "build/initialize", .where = {"data", "token"}, .token = {}});
  if (!listening) return refuse(listening.error().message, listening.error().hint);
  Options options{.on = command.on, .jobs = command.jobs, .clients = command.clients};
  return command.listen.address.empty() ? serve_stdio(std::move(options))
                                        : serve_address(std::move(options), *listening);
}

}  // namespace

void add_serve(CLI::App* c, std::function<int()>& run) {
  auto command = std::make_shared<ServeCommand>();
  c->add_option("--install", command->install,
                "Write .bsp/tilewright.json into this workspace (default: this folder), and end")
      ->expected(0, 1)
      ->default_str(".");
  c->add_option("--listen", command->listen.address,
                "Serve clients at HOST:PORT, unix:PATH or unix: (a socket in $XDG_RUNTIME_DIR) instead of on standard "
                "input and output. Clients at a port show a token, which is printed unless --token-file names it; at a "
                "socket they are processes of your own; beyond the loopback interface only with TLS");
  c->add_option("--tls-cert", command->listen.cert, "The server's certificate, PEM")->check(CLI::ExistingFile);
  c->add_option("--tls-key", command->listen.key, "Its key (default: in the certificate's file)")
      ->check(CLI::ExistingFile);
  c->add_option("--tls-ca", command->listen.ca, "Who signs certificates of clients: they need one of these")
      ->check(CLI::ExistingFile);
  c->add_option("--token-file", command->listen.token_file,
                "A file of its owner alone with the token that clients have to show: data.token of build/initialize");
  c->add_option(
      "--on", command->on,
      "Where tests and runs execute: sim, gpu, a remote, a pool or an address (default: a GPU if there is one). "
      "Clients may choose another by its name, and bring no addresses");
  c->add_option("--jobs", command->jobs, "Cores that one request may use (default: all)")->check(CLI::Range(0, 1024));
  c->add_option("--clients", command->clients, "Connections at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  c->footer(
      "A folder with tilewright.toml is a target with all scripts below it; any other script is a target of its own. "
      "Compile, test and run requests take arguments: --arch NAME, --entry EXPR, --deny fallback, --instructions "
      "(count those of the machine), --on PLACE.\n\n"
      "Examples:\n  tilewright serve --install\n  tilewright serve\n  tilewright serve --listen unix:\n  tilewright "
      "serve --listen "
      "127.0.0.1:7444 --token-file token\n"
      "  tilewright serve --listen 0.0.0.0:7444 --tls-cert s.pem --tls-key s.key --tls-ca clients.pem --on lab");
  c->callback([command, c, &run] {
    if (c->count("--install") > 0 && command->install.empty()) command->install = ".";
    run = [command] { return serve_command(*command); };
  });
}

}  // namespace tilewright::bsp
