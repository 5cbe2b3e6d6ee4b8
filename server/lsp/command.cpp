// tilewright lsp: the language server.
#include "server/lsp/command.h"

#include <cstdio>
#include <memory>

#include "server/lsp/serve.h"
#include "server/project/console.h"

namespace tilewright::lsp {

namespace {

int lsp_command(const remote::ListenWords& words) {
  auto listening = remote::listening(
      words, "lsp", {.method = "initialize", .where = {"initializationOptions", "token"}, .token = {}});
  if (listening) return serve(*listening);
  project::sayf(stderr, "tilewright: %s\n  hint: %s\n", listening.error().message.c_str(),
                listening.error().hint.c_str());
  return 2;
}

}  // namespace

void add_lsp(CLI::App* c, std::function<int()>& run) {
  auto words = std::make_shared<remote::ListenWords>();
  words->knows_tls = false;
  c->add_option(
      "--listen", words->address,
      "Serve clients at HOST:PORT of the loopback interface, at unix:PATH or unix: (a socket in "
      "$XDG_RUNTIME_DIR), until the last one has gone. Clients at a port show a token, which is printed unless "
      "--token-file names it; at a socket they are processes of your own");
  c->add_option("--token-file", words->token_file,
                "A file of its owner alone with the token that clients have to show: initializationOptions.token");
  c->add_flag("--stdio")->description("Standard input and output; the default, for clients that ask for it");
  c->footer(
      "Examples:\n  tilewright lsp\n  tilewright lsp --listen unix:\n  tilewright lsp --listen 127.0.0.1:7777 "
      "--token-file token");
  c->callback([words, &run] { run = [words] { return lsp_command(*words); }; });
}

}  // namespace tilewright::lsp
