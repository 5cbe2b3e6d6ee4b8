#include "compiler/run/driver_reach.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <vector>

namespace tilewright::run {
namespace {

namespace fs = std::filesystem;

// Entries of a folder whose names begin so.
void add_entries(const char* folder, std::initializer_list<std::string_view> beginnings, std::vector<fs::path>& out) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (std::ranges::any_of(beginnings, [&](std::string_view b) { return name.starts_with(b); }))
      out.push_back(it->path());
  }
}

// The folders of all libraries that are loaded: the driver loads further ones that lie beside its own.
int add_folder(dl_phdr_info* info, std::size_t, void* data) {
  auto& out = *static_cast<std::vector<fs::path>*>(data);
  const fs::path file = info->dlpi_name;
  if (!file.is_absolute()) return 0;  // this program, the kernel's own
  std::error_code error;
  out.push_back(file.parent_path());
  if (const fs::path real = fs::canonical(file, error); !error) out.push_back(real.parent_path());
  return 0;
}

}  // namespace

// Found out with driver 580 on an H100; what it only tries (its cache, application profiles) is left out.
toolchain::Reach driver_reach(const std::string& library, const std::string& management,
                              const std::vector<std::string>& profilers) {
  toolchain::Reach out;
  for (const std::string& name : {library, management}) ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const std::string& name : profilers)
    if (::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) break;
  ::dl_iterate_phdr(add_folder, &out.readable);
  // The versions and settings of the kernel's part of the driver, this process's own mappings, the processors' nodes,
  // the devices on the bus.
  for (const char* path : {"/proc/driver/nvidia", "/proc/driver/nvidia-nvswitch", "/proc/driver/nvidia-caps",
                           "/proc/driver/nvidia-nvlink", "/proc/devices", "/proc/modules", "/proc/self", "/proc/sys/vm",
                           "/sys/devices/system", "/sys/bus/pci", "/usr/share/nvidia"})
    out.readable.emplace_back(path);
  add_entries("/sys/devices", {"pci"}, out.readable);
  add_entries("/sys/module", {"nvidia"}, out.readable);
  // Also the device of Windows's subsystem for Linux, and those of boards with the GPU in the processor.
  add_entries("/dev", {"nvidia", "dxg", "nvmap", "nvhost", "nvgpu"}, out.devices);
  // It names its threads by writing to the last of these.
  for (const char* path : {"/dev/null", "/dev/zero", "/proc/self/task"}) out.devices.emplace_back(path);
  out.needs.driver_socket = true;
  for (const char* path : {"/dev/urandom", "/dev/random"}) out.readable.emplace_back(path);
  return out;
}

}  // namespace tilewright::run
