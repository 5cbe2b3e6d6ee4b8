#include "compiler/toolchain/seccomp_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tilewright::toolchain {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "seccomp_filter.cpp knows the system calls of x86-64 and aarch64 only"
#endif

// From 424 on a system call has the same number on every architecture; the C library's headers may be older.
enum Later : std::uint32_t {
  kPidfdSendSignal = 424,
  kIoUringSetup = 425,
  kIoUringEnter = 426,
  kIoUringRegister = 427,
  kOpenTree = 428,
  kMoveMount = 429,
  kFsopen = 430,
  kFsconfig = 431,
  kFsmount = 432,
  kFspick = 433,
  kPidfdOpen = 434,
  kClone3 = 435,
  kOpenat2 = 437,
  kPidfdGetfd = 438,
  kProcessMadvise = 440,
  kMountSetattr = 442,
  kQuotactlFd = 443,
  kProcessMrelease = 448,
  kFchmodat2 = 452,
  kStatmount = 457,
  kListmount = 458,
  kSetxattrat = 463,
  kRemovexattrat = 466,
  kOpenTreeAttr = 467,
  kFileSetattr = 469,
};

// Refused whatever their arguments are.
constexpr std::uint32_t kRefused[] = {
    // The network, and sockets of other processes.
    SYS_accept,
    SYS_accept4,
    // Other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_tkill,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_setpgid,
    SYS_setsid,
    kPidfdSendSignal,
    kPidfdOpen,
    kPidfdGetfd,
    kProcessMadvise,
    kProcessMrelease,
    // What processes of one user share.
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semctl,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // The kernel and its file systems.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_syslog,
    SYS_personality,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_inotify_init1,
    kOpenTree,
    kMoveMount,
    kFsopen,
    kFsconfig,
    kFsmount,
    kFspick,
    kMountSetattr,
    kQuotactlFd,
    kStatmount,
    kListmount,
    kOpenTreeAttr,
    // What Landlock leaves free: lengths (before its third version), modes, owners, times and attributes of files.
    SYS_truncate,
    SYS_fchmod,
    SYS_fchmodat,
    kFchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    kSetxattrat,
    kRemovexattrat,
    kFileSetattr,
    SYS_mknodat,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_mknod,
    SYS_inotify_init,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_kexec_file_load,
    SYS_vhangup,
    SYS_uselib,
#endif
};
// Refused as if the kernel were older: libraries then do without.
constexpr std::uint32_t kUnknown[] = {kClone3, kOpenat2, kIoUringSetup, kIoUringEnter, kIoUringRegister};

constexpr std::uint32_t kNamespaces = 0x7E020000 | 0x80;     // every CLONE_NEW…
constexpr std::uint32_t kForeign = 0x00008000 | 0x00002000;  // CLONE_PARENT, CLONE_PTRACE

class Program {
 public:
  void add(std::uint16_t code, std::uint32_t k, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({code, if_true, if_false, k});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  // The low half of an argument: what the kernel reads of an int.
  void load_argument(int index) { load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(index)); }
  void give(std::uint32_t result) { add(BPF_RET | BPF_K, result); }
  void refuse(std::uint32_t error) { give(SECCOMP_RET_ERRNO | error); }

  void refuse_call(std::uint32_t number, std::uint32_t error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    refuse(error);
  }
  // `with` holds one call's rules, ending it one way or the other; others go on after it, with the number loaded.
  void rules_of(std::uint32_t number, const Program& with) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, static_cast<std::uint8_t>(with.code_.size()));
    code_.insert(code_.end(), with.code_.begin(), with.code_.end());
  }
  // Allows the call if the argument is one of `values`, else refuses it.
  static Program only(int argument, std::initializer_list<std::uint32_t> values, std::uint32_t mask = ~0u) {
    return either(argument, values, mask, true);
  }
  // Refuses the call if the argument is one of `values`, else allows it.
  static Program never(int argument, std::initializer_list<std::uint32_t> values, std::uint32_t mask = ~0u) {
    return either(argument, values, mask, false);
  }
  // Allows the call if its first argument is `first` and its second one, masked, `second`.
  static Program only_both(std::uint32_t first, std::uint32_t second, std::uint32_t mask) {
    Program out;
    out.load_argument(0);
    out.add(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0);
    out.refuse(EPERM);
    const Program rest = only(1, {second}, mask);
    out.code_.insert(out.code_.end(), rest.code_.begin(), rest.code_.end());
    return out;
  }
  // Refuses the call if the argument has one of `bits`.
  static Program without(int argument, std::uint32_t bits) {
    Program out;
    out.load_argument(argument);
    out.add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    out.refuse(EPERM);
    out.give(SECCOMP_RET_ALLOW);
    return out;
  }

  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  static Program either(int argument, std::initializer_list<std::uint32_t> values, std::uint32_t mask, bool allowed) {
    const std::uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    Program out;
    out.load_argument(argument);
    if (mask != ~0u) out.add(BPF_ALU | BPF_AND | BPF_K, mask);
    for (std::uint32_t value : values) {
      out.add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
      out.give(allowed ? SECCOMP_RET_ALLOW : refused);
    }
    out.give(allowed ? refused : SECCOMP_RET_ALLOW);
    return out;
  }

  std::vector<sock_filter> code_;
};

void add_socket_rules(Program& program, bool driver) {
  if (driver) {
    program.rules_of(SYS_socket, Program::only_both(AF_UNIX, SOCK_SEQPACKET, 0xF));
    program.refuse_call(SYS_connect, ECONNREFUSED);
    return;  // binding to a path would make a file, which Landlock refuses
  }
  for (std::uint32_t call : {SYS_socket, SYS_connect, SYS_bind, SYS_listen}) program.refuse_call(call, EPERM);
}

// Calls that are refused for some arguments. `self`: the only process that may be named.
void add_argument_rules(Program& program, std::uint32_t self) {
  // 0: its own group, which it leads and cannot leave.
  program.rules_of(SYS_kill, Program::only(0, {0, self}));
  for (std::uint32_t call : {SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    program.rules_of(call, Program::only(0, {self}));
  for (std::uint32_t call :
       {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
    program.rules_of(call, Program::only(0, {0, self}));
  program.rules_of(SYS_clone, Program::without(0, kNamespaces | kForeign));
  // The kernel would signal a file's "owner" on this process's behalf.
  program.rules_of(SYS_fcntl, Program::never(1, {F_SETOWN, 15 /* F_SETOWN_EX */, 10 /* F_SETSIG */}));
  constexpr std::uint32_t kSetOwner = 0x8901, kSetGroup = 0x8902, kPushInput = 0x5412, kConsole = 0x541C;
  program.rules_of(SYS_ioctl, Program::never(1, {kSetOwner, kSetGroup, kPushInput, kConsole}));
  // A pair of datagram sockets could write to any named one.
  program.rules_of(SYS_socketpair, Program::only(1, {SOCK_STREAM, SOCK_SEQPACKET}, 0xF));
  // Opening only to read may still cut the file, which Landlock sees from its third version on.
  constexpr std::uint32_t kModes = O_TRUNC | O_ACCMODE;
  program.rules_of(SYS_openat, Program::never(2, {O_TRUNC}, kModes));
#if defined(__x86_64__)
  program.rules_of(SYS_open, Program::never(1, {O_TRUNC}, kModes));
#endif
}

}  // namespace

bool filter_system_calls(const Needs& needs) {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.give(SECCOMP_RET_KILL_PROCESS);  // a call of another architecture, whose numbers mean other things
  program.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  constexpr std::uint32_t kX32 = 0x40000000;  // calls with this bit are those below it once more
  program.add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
  program.refuse(ENOSYS);
#endif
  for (std::uint32_t call : kRefused) program.refuse_call(call, EPERM);
  for (std::uint32_t call : {SYS_execve, SYS_execveat})
    if (!needs.programs) program.refuse_call(call, EPERM);
  add_socket_rules(program, needs.driver_socket);
  for (std::uint32_t call : kUnknown) program.refuse_call(call, ENOSYS);
  add_argument_rules(program, static_cast<std::uint32_t>(::getpid()));
  program.give(SECCOMP_RET_ALLOW);
  return program.install();
}

}  // namespace tilewright::toolchain
