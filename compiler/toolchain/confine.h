// Takes the file system away from a process that works on what strangers wrote: a program that includes /etc/shadow,
// or a kernel whose text breaks its compiler, finds nothing there.
#pragma once
#include <filesystem>
#include <span>

namespace tilewright::toolchain {

// From now on this process, and all that it starts, opens files below these folders alone, and only to read and execute
// them; the folders of the system's own libraries stay readable, what is open stays open. False: this kernel cannot do
// it (Landlock came with Linux 5.13), and nothing has changed.
bool confine_to(std::span<const std::filesystem::path> folders);

}  // namespace tilewright::toolchain
