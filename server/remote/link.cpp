#include "server/remote/link.h"

#include <algorithm>

#include "compiler/threads/pause.h"
#include "server/remote/secret.h"
#include "server/remote/ssh.h"

namespace tilewright::remote {
namespace {

using namespace std::chrono_literals;

constexpr auto kConnecting = 15s;
constexpr auto kComingBack = 10s;

}  // namespace

std::expected<Reached, run::Failure> over_network(const Place& place, const std::string& server,
                                                  const std::stop_token& stop) {
  Reached out;
  std::optional<transport::Tls> tls;
  const Credentials& c = place.credentials;
  if (!c.token_file.empty()) {
    auto token = read_token(c.token_file);
    if (!token) return std::unexpected(token.error());
    out.token = std::move(*token);
  }
  if (place.kind == Kind::Tls) {
    if (!c.key.empty())
      if (auto ok = check_private(c.key, "the key of " + place.name); !ok) return std::unexpected(ok.error());
    std::error_code ec;
    for (const auto& [file, what] : {std::pair(c.ca, "the certificates"), std::pair(c.cert, "the certificate")}) {
      if (file.empty() || !std::filesystem::exists(file, ec)) continue;
      if (auto ok = check_plain(file, what); !ok) return std::unexpected(ok.error());
    }
    tls = transport::Tls{c.cert, c.key, c.ca, c.name};
  }
  const bool local = place.kind == Kind::Unix;
  auto made = local ? transport::connect_unix(place.socket.string(), kConnecting, stop)
                    : transport::connect(place.host, std::to_string(place.port), tls, kConnecting, stop);
  if (!made) {
    const std::string running = "is `tilewright " + server + " --listen" +
                                (local ? " unix:" + place.socket.string() + "` running?"
                                       : "` running there, and may this machine reach the port?");
    return std::unexpected(run::Failure{made.error(), running});
  }
  out.connection = std::move(*made);
  return out;
}

std::vector<Reach> ways_to(const Place& place, const Told& told) {
  // ssh asks for a password at the terminal, which only a process of the foreground may read.
  const bool terminal = place.kind == Kind::Ssh && stands_at_terminal();
  std::shared_ptr<Launcher> launcher = make_launcher(place, terminal, told);
  if (!launcher) return {[place](const std::stop_token& stop) { return over_network(place, "worker", stop); }};
  const Reach one = [place, terminal, launcher](const std::stop_token& stop) -> std::expected<Reached, run::Failure> {
    auto words = launcher->command(stop);
    if (!words) return std::unexpected(words.error());
    auto made = transport::run_command(
        {.words = std::move(*words), .environment = {}, .folder = place.folder, .own_group = !terminal});
    if (!made) return std::unexpected(run::Failure{made.error(), {}});
    // srun hands on by a connection that confirms late what gets no answer.
    return Reached{std::move(*made), {}, place.kind == Kind::Slurm};
  };
  return std::vector<Reach>(static_cast<std::size_t>(std::max(1, launcher->slots())), one);
}

std::expected<std::shared_ptr<Client>, run::Failure> Link::connect(const std::stop_token& stop) {
  auto reached = reach_(stop);
  if (!reached) return std::unexpected(reached.error());
  auto made = Client::open(std::move(reached->connection), reached->token, patience_, stop);
  if (!made) {
    const bool lost = made.error().kind == CallError::Kind::Lost;
    return std::unexpected(
        run::Failure{made.error().message, lost ? "`tilewright remotes` says more about each remote" : ""});
  }
  if (reached->in_turns) (*made)->take_turns();
  return std::move(*made);
}

std::expected<std::shared_ptr<Client>, run::Failure> Link::client(const std::stop_token& stop) {
  std::lock_guard lock(mutex_);
  if (client_ && !client_->is_lost()) return client_;
  client_.reset();
  auto made = connect(stop);
  // A worker that was there may be on its way back: started again by its supervisor, its machine waking up.
  const auto end = std::chrono::steady_clock::now() + kComingBack;
  for (auto pause = 100ms; !made && connections_ > 0 && std::chrono::steady_clock::now() + pause < end; pause *= 2) {
    if (!threads::pause(pause, stop)) break;
    made = connect(stop);
  }
  if (!made) return made;
  ++connections_;
  client_ = *made;
  return client_;
}

}  // namespace tilewright::remote
