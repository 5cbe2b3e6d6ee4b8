// Other programs: started without a shell, and ended with what they started.
//
// Decided once, for all of them: a new program blocks no signal and ignores none, whatever we do; it gets the
// descriptors that are named for it and no other of ours.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::process {

// How a process ended.
struct Exit {
  int status = 0;                         // of its exit; unused if a signal ended it
  int signal = 0;                         // 0: none ended it
  std::uint64_t peak_resident_bytes = 0;  // the most that it had in memory
  // As a shell says it: its exit status, or 128 + N after signal N.
  int code() const { return signal ? 128 + signal : status; }
};

// A process of ours. Destroying it kills the process with its group, if it leads one, and waits for its end, unless
// that has been seen. Not safe to be used by several threads at once.
class Child {
 public:
  Child() = default;
  Child(pid_t pid, bool leads) : pid_(pid), leads_(leads) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), leads_(other.leads_), exit_(other.exit_) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(leads_, other.leads_);
    std::swap(exit_, other.exit_);
    return *this;
  }
  ~Child() { end(); }

  pid_t pid() const { return pid_; }
  // Known once the process has ended and one of the calls below has seen it.
  const std::optional<Exit>& exit() const { return exit_; }
  // True if it has ended; does not wait.
  bool ended();
  // Waits. False: at `time` it still ran.
  bool wait_until(std::chrono::steady_clock::time_point time);
  const Exit& wait();

  // To the process and, if it leads a group, to all of that; to nothing once its end was seen.
  void signal(int which) const;
  // What it started and left behind in its group.
  void kill_group() const;
  // Kills it with its group, unless it has ended, and waits for its end.
  void end();

 private:
  // True if there is nothing to wait for any more. `flags` as wait4 takes them.
  bool reap(int flags);

  pid_t pid_ = -1;
  bool leads_ = false;
  std::optional<Exit> exit_;
};

struct SpawnOptions {
  std::vector<std::string> words;                         // what it is called, and its arguments
  std::filesystem::path program{};                        // what is executed; empty: words[0], searched on the PATH
  std::optional<std::vector<std::string>> environment{};  // NAME=VALUE each; nullopt: ours
  std::filesystem::path folder{};                         // that it starts in; empty: ours
  int input = -1, output = -1, errors = -1;               // descriptors of ours; -1: /dev/null
  int fourth = -1;                                        // its descriptor 3; -1: none
  enum class Group : std::uint8_t {
    Ours,     // a signal to our group, such as Ctrl-C on a terminal, reaches it too
    Own,      // it leads a group, which one signal ends
    Session,  // it leads a session, so that no terminal of ours reaches it, and the group in it
  };
  Group group = Group::Ours;
};

// The error is errno's: the program could not be executed, or there was no process or descriptor for it.
std::expected<Child, int> spawn(const SpawnOptions& options);

}  // namespace tilewright::process
