#include "server/ci/server.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "compiler/process/program.h"
#include "server/project/console.h"
#include "server/project/user.h"
#include "server/remote/listening.h"
#include "server/remote/secret.h"

namespace tilewright::ci {
namespace {

using remote::Reached;
using Way = std::expected<Reached, run::Failure>;

// A process group of its own: Ctrl-C at the terminal is for us, who ask it to stop. What it says on standard error (of
// a shared cache that does not answer, say) is for who called us.
Way started(const std::vector<std::string>& words, const std::filesystem::path& folder, const std::string& token) {
  auto made =
      transport::run_command({.words = words, .environment = {}, .folder = folder, .heard = [](std::string_view text) {
                                project::say(stderr, text);
                              }});
  if (!made) return std::unexpected(run::Failure{made.error(), {}});
  return Reached{std::move(*made), token, false};
}

std::vector<std::string> own_server(const ServerWords& asked) {
  std::vector<std::string> words{process::this_program(), "serve"};
  if (asked.jobs) words.insert(words.end(), {"--jobs", std::to_string(asked.jobs)});
  if (!asked.on.empty()) words.insert(words.end(), {"--on", asked.on});
  std::ranges::move(project::override_words(), std::back_inserter(words));
  return words;
}

}  // namespace

std::expected<remote::Reach, run::Failure> way_to_server(const ServerWords& words) {
  std::string token;
  if (!words.token_file.empty()) {
    auto read = remote::read_token(words.token_file);
    if (!read) return std::unexpected(read.error());
    token = std::move(*read);
  }
  auto found = remote::socket_address(words.address, "serve");
  if (!found) return std::unexpected(found.error());
  const std::string& address = *found;
  if (address.empty())
    return [command = own_server(words)](const std::stop_token&) { return started(command, {}, {}); };
  const bool bare =
      address.find("://") == address.npos && !address.starts_with("exec:") && !address.starts_with("unix:");
  auto place = remote::parse_place(bare ? "tcp://" + address : address);
  if (!place) return std::unexpected(place.error());
  if (place->kind == remote::Kind::Exec)
    return [place = *place, token](const std::stop_token&) { return started(place.command, place.folder, token); };
  if (place->kind == remote::Kind::Ssh || place->kind == remote::Kind::Slurm)
    return std::unexpected(
        run::Failure{"a build server is reached by unix:PATH, HOST:PORT, tls://HOST:PORT or "
                     "exec:COMMAND, not by " +
                         address,
                     "--on says where kernels run"});
  return [place = *place, token](const std::stop_token& stop) -> Way {
    auto reached = remote::over_network(place, "serve", stop);
    if (reached && reached->token.empty()) reached->token = token;
    return reached;
  };
}

}  // namespace tilewright::ci
