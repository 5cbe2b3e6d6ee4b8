#include "compiler/process/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "compiler/process/fd.h"

namespace tilewright::process {
namespace {

// How late the end of a process is seen.
constexpr std::chrono::milliseconds kLook{2};
// The new program's own descriptors end here.
constexpr int kOwn = STDERR_FILENO + 2;

// As exec takes them: a pointer to each, and a null at the end.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out(texts.size() + 1, nullptr);
  std::ranges::transform(texts, out.begin(), [](const std::string& text) { return const_cast<char*>(text.c_str()); });
  return out;
}

// What happens to descriptors and the folder between fork and exec.
class Actions {
 public:
  Actions() { ::posix_spawn_file_actions_init(&actions_); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  // `fd` becomes the program's `as`. False, and errno: there is no descriptor for that.
  bool put(int fd, int as) {
    if (fd < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", as == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
      return true;
    }
    // Above those that the program will have, so that no dup2 lands on one that is still to be given.
    if (fd < kOwn) {
      Fd& raised = raised_[static_cast<std::size_t>(as)];
      raised = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, kOwn));
      if (!raised) return false;
      fd = raised.get();
    }
    ::posix_spawn_file_actions_adddup2(&actions_, fd, as);
    return true;
  }
  void close_from(int fd) { ::posix_spawn_file_actions_addclosefrom_np(&actions_, fd); }
  void start_in(const std::filesystem::path& folder) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  std::array<Fd, kOwn> raised_;
};

class Attributes {
 public:
  explicit Attributes(SpawnOptions::Group group) {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == SpawnOptions::Group::Own) flags |= POSIX_SPAWN_SETPGROUP;
    if (group == SpawnOptions::Group::Session) flags |= POSIX_SPAWN_SETSID;
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, flags);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

bool Child::reap(int flags) {
  if (pid_ <= 0 || exit_) return true;
  int how = 0;
  rusage used{};
  pid_t got = 0;
  while ((got = ::wait4(pid_, &how, flags, &used)) < 0 && errno == EINTR) {
  }
  if (got == 0) return false;
  exit_.emplace();  // (of a process that another call has waited for, nothing is known)
  if (got < 0) return true;
  exit_->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
  exit_->status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
  exit_->peak_resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return true;
}

bool Child::ended() { return reap(WNOHANG); }

bool Child::wait_until(std::chrono::steady_clock::time_point time) {
  while (!ended()) {
    if (std::chrono::steady_clock::now() >= time) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

const Exit& Child::wait() {
  reap(0);
  if (!exit_) exit_.emplace();
  return *exit_;
}

void Child::signal(int which) const {
  if (pid_ <= 0 || exit_) return;
  // The group while its leader is not yet reaped, so that the number cannot have become another's.
  if (leads_) ::kill(-pid_, which);
  ::kill(pid_, which);
}

void Child::kill_group() const {
  if (pid_ > 0 && leads_) ::kill(-pid_, SIGKILL);
}

void Child::end() {
  signal(SIGKILL);
  reap(0);
}

std::expected<Child, int> spawn(const SpawnOptions& options) {
  if (options.words.empty()) return std::unexpected(ENOENT);
  Actions actions;
  if (!actions.put(options.input, STDIN_FILENO) || !actions.put(options.output, STDOUT_FILENO) ||
      !actions.put(options.errors, STDERR_FILENO) ||
      (options.fourth >= 0 && !actions.put(options.fourth, STDERR_FILENO + 1)))
    return std::unexpected(errno);
  actions.close_from(options.fourth < 0 ? STDERR_FILENO + 1 : kOwn);
  if (!options.folder.empty()) actions.start_in(options.folder);
  const Attributes attributes(options.group);
  const std::vector<char*> words = pointers(options.words);
  const std::vector<char*> variables = options.environment ? pointers(*options.environment) : std::vector<char*>();
  char* const* environment = options.environment ? variables.data() : environ;
  pid_t pid = 0;
  const int error =
      options.program.empty()
          ? ::posix_spawnp(&pid, words[0], actions.get(), attributes.get(), words.data(), environment)
          : ::posix_spawn(&pid, options.program.c_str(), actions.get(), attributes.get(), words.data(), environment);
  if (error != 0) return std::unexpected(error);
  return Child(pid, options.group != SpawnOptions::Group::Ours);
}

}  // namespace tilewright::process
