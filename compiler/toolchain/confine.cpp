#include "compiler/toolchain/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compiler/toolchain/file.h"

namespace tilewright::toolchain {
namespace {

constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
// All that the first version of Landlock knows: every kernel that has it takes these.
constexpr std::uint64_t kHandled = kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

// The loader, the C library and what they look at; what tools ask of the machine.
constexpr const char* kSystem[] = {"/lib",          "/lib64",           "/usr/lib",
                                   "/usr/lib64",    "/etc/ld.so.cache", "/dev/null",
                                   "/proc/cpuinfo", "/proc/meminfo",    "/sys/devices/system/cpu"};

void allow(int rules, const char* path) {
  Fd at(::open(path, O_PATH | O_CLOEXEC));
  struct stat kind{};
  if (!at || ::fstat(at.get(), &kind) != 0) return;
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = S_ISDIR(kind.st_mode) ? kReading : kOfFiles;
  beneath.parent_fd = at.get();
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
}

}  // namespace

bool confine_to(std::span<const std::filesystem::path> folders) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kHandled;
  Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0)));
  if (!rules) return false;
  for (const char* path : kSystem) allow(rules.get(), path);
  for (const std::filesystem::path& folder : folders) allow(rules.get(), folder.c_str());
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

}  // namespace tilewright::toolchain
