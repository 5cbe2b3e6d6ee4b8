// Takes files, the network and other processes away from a process that works on what strangers wrote: a program that
// includes /etc/shadow, or a kernel whose text breaks its compiler, finds nothing there.
//
// Two parts of the kernel do it. A seccomp filter (seccomp_filter.h) refuses system calls; Landlock, since Linux 5.13,
// says which files may be opened, since 6.7 refuses TCP (version 4), since 6.12 signals and abstract sockets beyond
// this process (version 6). Filter and Landlock of files are the floor that a worker on a network demands.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "compiler/toolchain/seccomp_filter.h"

namespace tilewright::toolchain {

struct Confinement {
  bool seccomp = false;
  int landlock = 0;  // its version in this kernel; 0: none

  bool is_floor() const { return seccomp && landlock >= 1; }
  // "seccomp, Landlock files+network+signals (ABI 7)"; "seccomp, no Landlock"; "none".
  std::string words() const;
};

// What a confined process may open beside the system's own libraries. Paths that do not exist are left out.
struct Reach {
  std::vector<std::filesystem::path> readable;  // folders with all below, and files: to read and to execute
  std::vector<std::filesystem::path> devices;   // devices, and folders of them: to read, to write and to control
  Needs needs{};                                // beside files
};

// Confines the calling thread and every thread and process that it starts, for good: to be called while there is no
// other thread. It also gives up root's capabilities. What is open stays open. Returns what holds from now on.
Confinement confine(const Reach& reach);

// What confine() would reach here, tried out in a child process.
Confinement confinement_here();

}  // namespace tilewright::toolchain
