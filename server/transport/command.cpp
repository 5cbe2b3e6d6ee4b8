#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <cstring>
#include <map>

#include "server/transport/asio_connection.h"

namespace tilewright::transport {
namespace {

using Socket = asio::local::stream_protocol::socket;
using Ends = AsioConnection<Shared<Socket>, Shared<Socket>, CommandConnection>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWords = 4096;
constexpr std::chrono::seconds kPatience{2};  // for a process that is told to end
// For what an ended process has said to arrive: others that it started may keep its standard error open.
constexpr std::chrono::milliseconds kLastWordsCome{500};

class RunningCommand final : public Ends {
 public:
  RunningCommand(std::unique_ptr<asio::io_context> io, const std::shared_ptr<Socket>& socket, int errors, pid_t pid,
                 const Command& command)
      : Ends(std::move(io), {socket}, {socket}),
        pid_(pid),
        own_group_(command.own_group),
        name_(command.words[0]),
        told_(command.heard),
        errors_(std::make_shared<asio::posix::stream_descriptor>(this->io(), errors)) {
    hear();
  }
  ~RunningCommand() override {
    RunningCommand::stop();
    end();
  }

  int pid() const override { return pid_; }

  std::optional<int> status() override {
    wait(std::chrono::milliseconds(500));
    std::lock_guard lock(life_);
    return status_;
  }

  std::string why_closed() override {
    const std::optional<int> ended = status();
    std::string why = Ends::why_closed();
    if (!ended) return why.empty() ? name_ + " closed its output" : why;
    why = name_ + (*ended > 128 ? std::string(" was ended by ") + ::strsignal(*ended - 128)
                                : " ended with status " + std::to_string(*ended));
    std::unique_lock lock(words_);
    // They are read by another thread, which may come to them after the end of the process.
    said_all_.wait_for(lock, kLastWordsCome, [this] { return at_end_; });
    std::string last = heard_;
    while (!last.empty() && (last.back() == '\n' || last.back() == '\r')) last.pop_back();
    return last.empty() ? why : why + ": " + last;
  }

 private:
  // Standard error is read on the connection's thread; a process that says much does not wait for us.
  void hear() {
    errors_->async_read_some(asio::buffer(piece_), [this](boost::system::error_code ec, std::size_t n) {
      if (ec) {
        std::lock_guard lock(words_);
        at_end_ = true;
        said_all_.notify_all();
        return;
      }
      {
        std::lock_guard lock(words_);
        heard_.append(piece_, n);
        if (heard_.size() > kLastWords) heard_.erase(0, heard_.size() - kLastWords);
      }
      if (told_) told_(std::string_view(piece_, n));
      hear();
    });
  }

  bool reap() {
    std::lock_guard lock(life_);
    if (status_) return true;
    int how = 0;
    const pid_t got = ::waitpid(pid_, &how, WNOHANG);
    if (got == 0) return false;
    status_ = got < 0 ? 0 : WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return true;
  }
  bool wait(std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    while (!reap()) {
      if (Clock::now() >= end) return false;
      ::usleep(2000);
    }
    return true;
  }
  void signal(int which) const {
    if (own_group_) ::kill(-pid_, which);
    ::kill(pid_, which);
  }

  // Its input is closed already.
  void end() {
    bool alive = !wait(kPatience);
    if (alive) {
      signal(SIGTERM);
      alive = !wait(kPatience);
    }
    if (alive) signal(SIGKILL);
    if (own_group_) ::kill(-pid_, SIGKILL);  // what it left behind
    wait(kPatience);
  }

  const pid_t pid_;
  const bool own_group_;
  const std::string name_;
  const std::function<void(std::string_view)> told_;
  std::shared_ptr<asio::posix::stream_descriptor> errors_;
  char piece_[1024];
  std::mutex words_;
  std::condition_variable said_all_;
  bool at_end_ = false;
  std::string heard_;
  std::mutex life_;
  std::optional<int> status_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::map<std::string, std::string> all;
  auto put = [&](std::string_view text) { all[std::string(text.substr(0, text.find('=')))] = std::string(text); };
  for (char** v = environ; *v; ++v) put(*v);
  for (const std::string& text : more) put(text);
  std::vector<std::string> out;
  for (auto& [name, text] : all) out.push_back(std::move(text));
  return out;
}

}  // namespace

std::expected<std::unique_ptr<CommandConnection>, std::string> run_command(const Command& command) {
  if (command.words.empty()) return std::unexpected("there is no command");
  auto failed = [&](int error) {
    return std::unexpected("cannot start " + command.words[0] + ": " + std::strerror(error));
  };
  int pair[2], errors[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return failed(errno);
  if (::pipe2(errors, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(pair[0]);
    ::close(pair[1]);
    return failed(error);
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  // A server's sockets, those of its clients too, are none of the command's affair.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!command.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (command.own_group) flags |= POSIX_SPAWN_SETPGROUP;
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, flags);
  std::vector<std::string> words = command.words, variables = environment_with(command.environment);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, words[0].c_str(), &actions, &attributes, pointers(words).data(), pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pair[1]);
  ::close(errors[1]);
  if (error != 0) {
    ::close(pair[0]);
    ::close(errors[0]);
    return failed(error);
  }
  auto io = std::make_unique<asio::io_context>(1);
  auto socket = std::make_shared<Socket>(*io, asio::local::stream_protocol(), pair[0]);
  return std::make_unique<RunningCommand>(std::move(io), socket, errors[0], pid, command);
}

}  // namespace tilewright::transport
