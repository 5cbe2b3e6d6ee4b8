#include "compiler/toolchain/helper_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "compiler/process/fd.h"
#include "compiler/toolchain/wire.h"

namespace tilewright::toolchain {
namespace {

// Ends this process, and what it started, once the parent is gone: a read would notice only between two requests.
void watch_parent(int fd) {
  std::thread([fd] {
    pollfd watched{fd, POLLRDHUP, 0};
    while (::poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
    ::_exit(0);
  }).detach();
}

}  // namespace

int serve_records(int fd_in, int fd_out, const Prepare& prepare, const Serve& serve) {
  // A core file of a process that is expected to die now and then is only litter.
  rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGPIPE, SIG_IGN);
  // NVRTC writes the working directory into line tables: one place for all makes artifacts the same everywhere.
  if (::chdir("/") != 0) return 1;
  ::fcntl(fd_in, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd_out, F_SETFD, FD_CLOEXEC);
  for (bool first = true;; first = false) {
    std::vector<process::Fd> files;
    auto request = receive_record(fd_in, files);
    if (!request) return 0;
    if (first) {
      // A thread from before would stay as free as it was, and share its memory with those that are not.
      prepare(*request);
      watch_parent(fd_in);
    }
    if (!send_record(fd_out, serve(*request, files))) return 1;
  }
}

}  // namespace tilewright::toolchain
