// tilewright mcp: scripts as tools for coding agents.
#include "server/mcp/command.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "compiler/process/program.h"
#include "server/endpoint/clients.h"
#include "server/endpoint/descriptors.h"
#include "server/mcp/http.h"
#include "server/mcp/install.h"
#include "server/mcp/server.h"
#include "server/mcp/tools.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/remote/secret.h"
#include "server/transport/secret.h"

namespace tilewright::mcp {
namespace {

namespace fs = std::filesystem;

// What cannot be stopped halfway is not waited for longer.
constexpr std::chrono::seconds kFarewell{6};

struct McpCommand {
  std::vector<std::string> roots;
  std::string listen, token_file, install;
  bool yes = false;
};

int refuse(const std::string& message, const std::string& hint = {}) {
  project::sayf(stderr, "tilewright: %s\n", message.c_str());
  if (!hint.empty()) project::sayf(stderr, "  hint: %s\n", hint.c_str());
  return 2;
}

// The folder that the client started us in, unless that is the top of the file system: some start us there.
std::vector<std::string> default_roots() {
  std::error_code ec;
  const fs::path here = fs::current_path(ec);
  return ec || here == here.root_path() ? std::vector<std::string>() : std::vector<std::string>{here.string()};
}

void end_soon(int status) {
  std::thread([status] {
    std::this_thread::sleep_for(kFarewell);
    std::_Exit(status);
  }).detach();
}

int serve_stdio(const McpCommand& command) {
  ServerOptions options{.roots = command.roots.empty() ? default_roots() : command.roots,
                        .asks_for_roots = command.roots.empty()};
  auto connection = transport::stdio();
  auto server = std::make_unique<Server>(*connection, std::move(options));
  const int status = server->run();
  end_soon(status);
  server.reset();
  return status;
}

int serve_http(const McpCommand& command) {
  HttpOptions options{.roots = command.roots.empty() ? default_roots() : command.roots, .token = {}};
  bool made = false;
  if (command.token_file.empty()) {
    options.token = transport::make_token();
    made = true;
  } else {
    auto token = remote::read_token(command.token_file);
    if (!token) return refuse(token.error().message, token.error().hint);
    options.token = std::move(*token);
  }
  const std::string token = options.token;
  endpoint::raise_descriptor_limit();
  endpoint::block_ending_signals();
  HttpService service(std::move(options));
  auto server = transport::HttpServer::at(
      command.listen, {},
      [&](const transport::HttpAsked& asked, transport::HttpReply& reply) { service.handle(asked, reply); });
  if (!server) return refuse(server.error());
  if (made)
    project::sayf(stderr,
                  "tilewright: the token that clients have to show: %s (--token-file FILE takes it from a file)\n",
                  token.c_str());
  project::sayf(stderr, "tilewright: listening on http://%s/mcp\n", (*server)->address().c_str());
  std::thread signals([&] {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    int which = 0;
    sigwait(&ending, &which);
    end_soon(0);
    (*server)->stop();
  });
  (*server)->serve();
  signals.join();
  return 0;
}

// True: the user says yes at the terminal.
bool agreed() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return false;
  project::say(stderr, "write it? [y/N] ");
  std::string line;
  return std::getline(std::cin, line) && !line.empty() && (line[0] == 'y' || line[0] == 'Y');
}

int install(const McpCommand& command) {
  std::error_code ec;
  auto made = installation(command.install, fs::current_path(ec), process::this_program());
  if (!made) {
    project::say(stderr, "tilewright: " + made.error() + "\n");
    return 2;
  }
  if (made->after == made->before) {
    project::sayf(stdout, "%s starts this server already\n", made->file.string().c_str());
    return 0;
  }
  project::say(stdout, made->file.string() + (made->before.empty() ? ", a new file:\n" : ", beside what it holds:\n") +
                           made->entry + (made->entry.ends_with('\n') ? "" : "\n"));
  std::fflush(stdout);
  if (!command.yes && !agreed())
    return refuse(made->file.string() + " was not written", "--yes writes it without a question");
  fs::create_directories(made->file.parent_path(), ec);
  if (auto written = project::write_file(made->file, made->after); !written) return refuse(written.error());
  project::sayf(stdout, "written: %s\n", made->file.string().c_str());
  return 0;
}

int run_mcp(const McpCommand& command) {
  for (const std::string& root : command.roots) {
    std::error_code ec;
    if (!fs::is_directory(root, ec)) return refuse("no such folder: " + root);
  }
  if (!command.install.empty()) return install(command);
  if (command.yes) return refuse("--yes belongs to --install");
  if (command.listen.empty() && !command.token_file.empty()) return refuse("--token-file belongs to --listen");
  return command.listen.empty() ? serve_stdio(command) : serve_http(command);
}

}  // namespace

void add_mcp(CLI::App* c, std::function<int()>& run) {
  auto command = std::make_shared<McpCommand>();
  c->add_option("--root", command->roots,
                "A folder that clients may ask about; may be given again (default: the folders that the client names, "
                "else the current one). Nothing outside is read")
      ->allow_extra_args(false);
  c->add_option(
      "--listen", command->listen,
      "Serve clients over HTTP at HOST:PORT of the loopback interface, path /mcp, instead of on standard input "
      "and output. Clients show a token, which is printed unless --token-file names it");
  c->add_option("--token-file", command->token_file,
                "A file of its owner alone with the token that clients have to show: Authorization: Bearer TOKEN");
  c->add_option(
       "--install", command->install,
       "Show what this client's configuration would be, ask, write it, and end: of the workspace in this folder, "
       "for codex of the user")
      ->check(CLI::IsMember(known_clients()));
  c->add_flag("--yes", command->yes, "Write it without a question");
  c->footer(
      "Examples:\n  tilewright mcp\n  tilewright mcp --root kernels/\n  tilewright mcp --listen 127.0.0.1:7878\n"
      "  tilewright mcp --install claude");
  c->callback([command, &run] { run = [command] { return run_mcp(*command); }; });
}

}  // namespace tilewright::mcp
