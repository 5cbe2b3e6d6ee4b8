// A connection to a process that we start: its standard input and output, and its last words.
#include <sys/socket.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "server/transport/asio_connection.h"

namespace tilewright::transport {
namespace {

using Socket = asio::local::stream_protocol::socket;
using Ends = AsioConnection<Shared<Socket>, Shared<Socket>, CommandConnection>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWords = 4096;
constexpr std::chrono::milliseconds kLook{2};  // how late its end is seen
constexpr std::chrono::seconds kPatience{2};   // for a process that is told to end
// For what an ended process has said to arrive: others that it started may keep its standard error open.
constexpr std::chrono::milliseconds kLastWordsCome{500};

class RunningCommand final : public Ends {
 public:
  RunningCommand(std::unique_ptr<asio::io_context> io, const std::shared_ptr<Socket>& socket, process::Fd errors,
                 process::Child child, const Command& command)
      : Ends(std::move(io), {socket}, {socket}),
        pid_(child.pid()),
        name_(command.words[0]),
        told_(command.heard),
        errors_(std::make_shared<asio::posix::stream_descriptor>(this->io(), errors.release())),
        child_(std::move(child)) {
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
    return child_.exit() ? std::optional(child_.exit()->code()) : std::nullopt;
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

  // In short looks, so that several threads can wait.
  bool wait(std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    for (;;) {
      {
        std::lock_guard lock(life_);
        if (child_.ended()) return true;
      }
      if (Clock::now() >= end) return false;
      std::this_thread::sleep_for(kLook);
    }
  }
  void signal(int which) {
    std::lock_guard lock(life_);
    child_.signal(which);
  }

  // Its input is closed already.
  void end() {
    bool alive = !wait(kPatience);
    if (alive) {
      signal(SIGTERM);
      alive = !wait(kPatience);
    }
    if (alive) signal(SIGKILL);
    {
      std::lock_guard lock(life_);
      child_.kill_group();  // what it left behind
    }
    wait(kPatience);
  }

  const pid_t pid_;
  const std::string name_;
  const std::function<void(std::string_view)> told_;
  std::shared_ptr<asio::posix::stream_descriptor> errors_;
  char piece_[1024];
  std::mutex words_;
  std::condition_variable said_all_;
  bool at_end_ = false;
  std::string heard_;
  std::mutex life_;  // guards the child
  process::Child child_;
};

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
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return failed(errno);
  process::Fd ours(pair[0]), theirs(pair[1]);
  auto errors = process::Pipe::make();
  if (!errors) return failed(errno);
  using Group = process::SpawnOptions::Group;
  auto child = process::spawn({.words = command.words,
                               .environment = environment_with(command.environment),
                               .folder = command.folder,
                               .input = theirs.get(),
                               .output = theirs.get(),
                               .errors = errors->write.get(),
                               .group = command.own_group ? Group::Own : Group::Ours});
  if (!child) return failed(child.error());
  theirs.close();
  auto io = std::make_unique<asio::io_context>(1);
  auto socket = std::make_shared<Socket>(*io, asio::local::stream_protocol(), ours.release());
  return std::make_unique<RunningCommand>(std::move(io), socket, std::move(errors->read), std::move(*child), command);
}

}  // namespace tilewright::transport
