// What a hostile job would try in the process that runs it. For drivers of our own making (fake_driver.cpp,
// hostile_driver.cpp) and for the unit test of the confinement; the shipped binary has none of it.
//
//   read PATH, list PATH, write PATH, exec PATH, cut PATH, mode PATH   files
//   connect PORT, bind, unix PATH, packets PATH, datagram              sockets (packets is what the CUDA driver has)
//   kill PID, trace PID, peek PID, adopt PID, own PID, starve PID,     other processes
//   pin PID, idle PID
//   uring, bpf, keys, mount, namespace, shared, performance, leave     the kernel
//   shrink, grow                                                       the job's own memory files, which others map
#pragma once
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace tilewright::testing {

inline std::string worded(long result) { return result >= 0 ? "done" : std::strerror(errno); }

inline std::string attempt_on_file(const std::string& what, const std::string& path) {
  if (what == "read" || what == "write") {
    const int fd = ::open(path.c_str(), (what == "read" ? O_RDONLY : O_WRONLY | O_CREAT) | O_CLOEXEC, 0600);
    if (fd < 0) return worded(fd);
    char byte = 'x';
    const long moved = what == "read" ? ::read(fd, &byte, 1) : ::write(fd, &byte, 1);
    const std::string out = worded(moved);
    ::close(fd);
    return out;
  }
  if (what == "list") {
    DIR* folder = ::opendir(path.c_str());
    if (!folder) return worded(-1);
    ::closedir(folder);
    return "done";
  }
  if (what == "cut") return worded(::truncate(path.c_str(), 0));
  if (what == "mode") return worded(::chmod(path.c_str(), 0777));
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(path.c_str(), path.c_str(), static_cast<char*>(nullptr));
    ::_exit(errno == 0 ? 255 : errno);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return worded(-1);
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return errno == EACCES || errno == EPERM ? worded(-1) : "done";
}

inline std::string attempt_on_socket(const std::string& what, const std::string& operand) {
  if (what == "datagram") {
    int pair[2];
    return worded(::socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  }
  const bool local = what == "unix" || what == "packets";
  const int type = what == "packets" ? SOCK_SEQPACKET : SOCK_STREAM;
  const int fd = ::socket(local ? AF_UNIX : AF_INET, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return worded(fd);
  sockaddr_un here{};
  here.sun_family = AF_UNIX;
  operand.copy(here.sun_path, sizeof here.sun_path - 1);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(static_cast<std::uint16_t>(std::atoi(operand.c_str())));
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* address = local ? reinterpret_cast<const sockaddr*>(&here) : reinterpret_cast<const sockaddr*>(&there);
  const socklen_t size = local ? sizeof here : sizeof there;
  const std::string out = worded(what == "bind" ? ::bind(fd, address, size) : ::connect(fd, address, size));
  ::close(fd);
  return out;
}

inline std::string attempt_on_process(const std::string& what, pid_t pid) {
  if (what == "kill") return worded(::kill(pid, SIGUSR1));
  if (what == "trace") return worded(::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr));
  if (what == "adopt") return worded(::setpgid(0, ::getpgid(pid)));
  if (what == "starve") {
    const rlimit least{1, 1};
    return worded(::prlimit(pid, RLIMIT_NPROC, &least, nullptr));
  }
  if (what == "pin") {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    return worded(::sched_setaffinity(pid, sizeof first, &first));
  }
  if (what == "idle") {
    const sched_param none{};
    return worded(::sched_setscheduler(pid, SCHED_IDLE, &none));
  }
  if (what == "own") return worded(::fcntl(STDOUT_FILENO, F_SETOWN, pid));
  char byte = 0;
  iovec mine{&byte, 1}, theirs{&byte, 1};
  return worded(::process_vm_readv(pid, &mine, 1, &theirs, 1, 0));
}

inline std::string attempt_on_kernel(const std::string& what) {
  if (what == "uring") return worded(::syscall(425, 1, nullptr));
  if (what == "bpf") return worded(::syscall(SYS_bpf, BPF_MAP_CREATE, nullptr, 0));
  if (what == "keys") return worded(::syscall(SYS_keyctl, 0, -3, 1));
  if (what == "mount") {
    // Onto nothing: where it is allowed, that is all that is wrong with it, and the machine stays as it is.
    const int mounted = ::mount("none", "/nowhere/at/all", "tmpfs", 0, nullptr);
    return mounted < 0 && errno == ENOENT ? "done" : worded(mounted);
  }
  if (what == "namespace") return worded(::unshare(CLONE_NEWUSER));
  if (what == "shared") return worded(::shmget(IPC_PRIVATE, 4096, 0600));
  if (what == "performance") return worded(::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
  if (what == "leave") return worded(::setsid());
  return "unknown attempt";
}

// To no bytes, or to a gigabyte: the worker has them mapped.
inline std::string attempt_on_tensors(const std::string& what) {
  std::string said = "no tensor";
  for (int fd = 3; fd < 256; ++fd) {
    char name[64] = "";
    if (::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name - 1) <= 0) continue;
    if (std::strstr(name, "memfd:tensor") == nullptr) continue;
    said = worded(::ftruncate(fd, what == "shrink" ? 0 : 1 << 30));
    if (said == "done") break;
  }
  return said;
}

// "done", or the error in words.
inline std::string attempt(const std::string& line) {
  std::istringstream words(line);
  std::string what, operand;
  words >> what >> operand;
  errno = 0;
  if (what == "shrink" || what == "grow") return attempt_on_tensors(what);
  for (const char* w : {"read", "list", "write", "exec", "cut", "mode"})
    if (what == w) return attempt_on_file(what, operand);
  for (const char* w : {"connect", "bind", "unix", "packets", "datagram"})
    if (what == w) return attempt_on_socket(what, operand);
  for (const char* w : {"kill", "trace", "peek", "adopt", "own", "starve", "pin", "idle"})
    if (what == w) return attempt_on_process(what, std::atoi(operand.c_str()));
  return attempt_on_kernel(what);
}

}  // namespace tilewright::testing
