// System calls that a process working for strangers never needs, refused by a filter in the kernel.
#pragma once

namespace tilewright::toolchain {

// What some of these processes need and others must not have.
struct Needs {
  bool programs = false;  // starts others
  // The CUDA driver does not start without a local socket of packets that it binds to a name of its own and listens at
  // (for processes that share its memory). It gets it, but no connection: connect is answered as if no socket listened,
  // and none is accepted.
  bool driver_socket = false;
};

// From now on the calling thread, and every thread and process that it starts, is refused (EPERM, or ENOSYS where the C
// library then takes an older way): sockets beyond pairs of its own, signals to other processes, looking into or
// tracing them, limits and memory of others, namespaces, mounts, modules, keys, bpf, io_uring, performance counters,
// shared memory and queues of System V, owners, modes, times and attributes of files, leaving its process group, and
// starting other programs.
// Returns false where the kernel has no such filters; nothing has changed then. Needs PR_SET_NO_NEW_PRIVS.
bool filter_system_calls(const Needs& needs);

}  // namespace tilewright::toolchain
