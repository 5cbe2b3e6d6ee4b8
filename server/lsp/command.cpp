// tilewright lsp: the language server.
#include "server/lsp/command.h"

#include <memory>
#include <string>

#include "server/lsp/serve.h"

namespace tilewright::lsp {

void add_lsp(CLI::App& app, std::function<int()>& run) {
  auto address = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("lsp", "Serve editors: the Language Server Protocol on standard input and output");
  c->add_option("--listen", *address,
                "Serve clients on HOST:PORT of the loopback interface, or on unix:PATH, until the last one has gone");
  c->add_flag("--stdio")->description("Standard input and output; the default, for clients that ask for it");
  c->footer(
      "Examples:\n  tilewright lsp\n  tilewright lsp --listen 127.0.0.1:7777\n  tilewright lsp --listen "
      "unix:/tmp/tilewright.sock");
  c->callback([address, &run] { run = [address] { return serve(*address); }; });
}

}  // namespace tilewright::lsp
