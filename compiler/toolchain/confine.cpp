#include "compiler/toolchain/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "compiler/process/fd.h"

namespace tilewright::toolchain {
namespace {

// linux/landlock.h of the build system may be older than the kernel that runs this.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;  // system calls, on every architecture
constexpr std::uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1;
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // since version 4
  std::uint64_t scoped = 0;   // since version 6
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr std::uint64_t kExecute = 1u << 0, kWriteFile = 1u << 1, kReadFile = 1u << 2, kReadFolder = 1u << 3;
constexpr std::uint64_t kFirst = (1u << 13) - 1;  // all of version 1: also removing and making of each kind
constexpr std::uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kControl = 1u << 15;  // versions 2, 3 and 5
constexpr std::uint64_t kBindTcp = 1u << 0, kConnectTcp = 1u << 1;
constexpr std::uint64_t kAbstractSockets = 1u << 0, kSignals = 1u << 1;

// The loader, the C library and what they look at; what tools ask of the machine.
constexpr const char* kSystem[] = {"/lib",          "/lib64",           "/usr/lib",
                                   "/usr/lib64",    "/etc/ld.so.cache", "/dev/null",
                                   "/proc/cpuinfo", "/proc/meminfo",    "/sys/devices/system/cpu"};

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

std::uint64_t rights_of_files(int version) {
  return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) | (version >= 5 ? kControl : 0);
}

void allow(int rules, const char* path, std::uint64_t rights) {
  // The kernel forgets entries below /proc that no process holds, and with them the rule.
  static std::vector<process::Fd> held;
  process::Fd at(::open(path, O_PATH | O_CLOEXEC));
  struct stat kind{};
  if (!at || ::fstat(at.get(), &kind) != 0) return;
  if (!S_ISDIR(kind.st_mode)) rights &= ~kReadFolder;
  PathBeneath beneath{rights, at.get()};
  ::syscall(kAddRule, rules, kPathBeneath, &beneath, 0);
  if (std::string_view(path).starts_with("/proc/self")) held.push_back(std::move(at));
}

bool restrict_files(const Reach& reach, int version) {
  Ruleset handled{.files = rights_of_files(version),
                  .network = version >= 4 ? kBindTcp | kConnectTcp : 0,
                  .scoped = version >= 6 ? kAbstractSockets | kSignals : 0};
  // A kernel that does not know the later fields takes them if they are zero.
  process::Fd rules(static_cast<int>(::syscall(kCreateRuleset, &handled, sizeof handled, 0)));
  if (!rules) return false;
  constexpr std::uint64_t kReading = kExecute | kReadFile | kReadFolder;
  for (const char* path : kSystem) allow(rules.get(), path, kReading);
  for (const std::filesystem::path& path : reach.readable) allow(rules.get(), path.c_str(), kReading);
  const std::uint64_t using_devices = (kReadFile | kReadFolder | kWriteFile | kTruncate | kControl) & handled.files;
  for (const std::filesystem::path& path : reach.devices) allow(rules.get(), path.c_str(), using_devices);
  return ::syscall(kRestrictSelf, rules.get(), 0) == 0;
}

// Root without them is a user like any other, who owns root's files; no program that it starts gets them back.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  ::syscall(SYS_capset, &header, none);
}

}  // namespace

std::string Confinement::words() const {
  if (!seccomp && landlock == 0) return "none";
  std::string out = seccomp ? "seccomp" : "no seccomp";
  if (landlock == 0) return out + ", no Landlock";
  out += ", Landlock files";
  if (landlock >= 4) out += "+network";
  if (landlock >= 6) out += "+signals";
  return out + " (ABI " + std::to_string(landlock) + ")";
}

Confinement confine(const Reach& reach) {
  Confinement out;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return out;
  const int version = landlock_version();
  if (version > 0 && restrict_files(reach, version)) out.landlock = version;
  drop_capabilities();
  out.seccomp = filter_system_calls(reach.needs);
  return out;
}

Confinement confinement_here() {
  constexpr int kSeccomp = 64;  // above every version of Landlock that there will be for long
  const pid_t child = ::fork();
  if (child == 0) {
    const Confinement reached = confine({});
    ::_exit((reached.seccomp ? kSeccomp : 0) + std::min(reached.landlock, kSeccomp - 1));
  }
  Confinement out;
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return out;
  if (child < 0 || !WIFEXITED(status)) return out;
  out.seccomp = WEXITSTATUS(status) >= kSeccomp;
  out.landlock = WEXITSTATUS(status) % kSeccomp;
  return out;
}

}  // namespace tilewright::toolchain
