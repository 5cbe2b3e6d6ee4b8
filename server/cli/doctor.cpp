// tilewright doctor: what is installed, what is missing, and how to get it.
#include "server/render/doctor.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/toolchain/confine.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/project/cuda_folders.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/user.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
namespace {

using Finding = render::DoctorFinding;

Finding nvdisasm_finding(const std::filesystem::path& nvdisasm) {
  if (!nvdisasm.empty()) return {"nvdisasm", "ok", nvdisasm.string(), ""};
  return {
      "nvdisasm", "missing", "SASS cannot be shown",
      "install the Python wheel with its extra [cuda], or CUDA's nvdisasm; in a checkout ./bootstrap build brings it"};
}

// What is used of NVIDIA's compiler with how it was found, and the folders before it that were refused.
std::vector<Finding> cuda_findings(const toolchain::Options& options) {
  std::vector<Finding> refused;
  for (const project::CudaFolder& place : project::cuda_folders()) {
    const std::filesystem::path folders[] = {place.folder};
    auto home = toolchain::find_cuda(folders);
    if (home) {
      const std::string from = place.origin + (place.origin == "the usual place" ? "" : ": " + place.folder.string());
      std::vector<Finding> out{
          {"NVRTC", "ok",
           home->nvrtc.string() + (home->version.empty() ? "" : " (CUDA " + home->version + ")") + ", from " + from,
           ""}};
      out.insert(out.end(), refused.begin(), refused.end());
      out.push_back(nvdisasm_finding(home->nvdisasm));
      return out;
    }
    if (home.error().contains("refused, because"))
      refused.push_back({"refused", "missing", home.error(),
                         "its code would run as you: only root, you and users in TILEWRIGHT_CUDA_OWNERS may own or "
                         "change it"});
  }
  std::vector<Finding> out{{"NVRTC", "missing", toolchain::find_cuda(options.cuda_candidates).error(),
                            "install the Python wheel with its extra [cuda], or CUDA 13 and set CUDA_HOME; in a "
                            "checkout ./bootstrap build brings it"}};
  out.insert(out.end(), refused.begin(), refused.end());
  out.push_back(nvdisasm_finding({}));
  return out;
}

// What confines the processes that compile and run for others.
Finding confinement_finding() {
  const toolchain::Confinement here = toolchain::confinement_here();
  return {"confinement", here.is_floor() ? "ok" : "missing", here.words(),
          here.is_floor()
              ? ""
              : "seccomp and Landlock, of Linux 5.13 or newer: without them a worker listens with --unconfined only"};
}

// A file of this size goes to the cache: what one kernel leaves there, and what a full disk refuses.
constexpr std::size_t kTrial = 1 << 20;

Finding cache_finding(const toolchain::Options& options) {
  std::error_code ec;
  if (options.cache.folder.empty())
    return {"cache", "missing", "neither XDG_CACHE_HOME nor HOME names a folder: nothing is kept between runs",
            "set XDG_CACHE_HOME to a folder that can be written"};
  if (std::string wrong = project::wrong_with_cache_key(); !wrong.empty())
    return {"cache", "missing", "nothing is kept between runs: " + wrong, ""};
  std::filesystem::create_directories(options.cache.folder, ec);
  if (ec)
    return {"cache", "missing", options.cache.folder.string() + ": " + ec.message(),
            "set XDG_CACHE_HOME to a folder that can be written"};
  const std::filesystem::path trial = options.cache.folder / ("doctor." + std::to_string(::getpid()));
  auto written = project::write_file(trial, std::string(kTrial, '\0'));
  std::filesystem::remove(trial, ec);
  if (!written)
    return {"cache", "missing", written.error(),
            "make room there, or set XDG_CACHE_HOME to a folder that can be written"};
  std::uintmax_t bytes = 0, files = 0;
  for (std::filesystem::recursive_directory_iterator it(options.cache.folder, ec), end; !ec && it != end;
       it.increment(ec)) {
    if (!it->is_regular_file(ec)) continue;
    bytes += it->file_size(ec);
    ++files;
  }
  return {
      "cache", "ok",
      options.cache.folder.string() + " (" + std::to_string(files) + " files, " + std::to_string(bytes >> 20) + " MB)",
      ""};
}

Finding gpu_finding() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return {"GPU", "missing", "no CUDA driver on this machine", "kernels can still be checked and compiled"};
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  using Name = int (*)(char*, int, int);
  auto init = reinterpret_cast<Init>(::dlsym(driver, "cuInit"));
  auto count = reinterpret_cast<Count>(::dlsym(driver, "cuDeviceGetCount"));
  auto name = reinterpret_cast<Name>(::dlsym(driver, "cuDeviceGetName"));
  int n = 0;
  if (!init || !count || init(0) != 0 || count(&n) != 0 || n == 0)
    return {"GPU", "missing", "the driver finds no device", "look at nvidia-smi"};
  char text[256] = "";
  if (name) name(text, sizeof text, 0);
  return {"GPU", "ok", std::to_string(n) + " × " + text, ""};
}

int run_doctor(bool json) {
  toolchain::Options options = project::toolchain_options();
  std::vector<Finding> findings = cuda_findings(options);
  const bool compiles = findings.front().state == "ok";
  findings.insert(findings.begin(), {"tilewright", "ok", TILEWRIGHT_VERSION, ""});
  if (std::string wrong = project::wrong_cuda_home(options); !wrong.empty())
    findings.push_back({"CUDA_HOME", "missing", wrong, "set it to the folder that holds CUDA's lib64 and include"});
  findings.push_back(confinement_finding());
  findings.push_back(cache_finding(options));
  findings.push_back(gpu_finding());
  if (json) {
    print_json(render::doctor_json(findings));
  } else {
    const render::Colours& c = render::colours(stdout);
    for (const Finding& f : findings) {
      bool ok = f.state == "ok";
      project::sayf(stdout, "%s%s%s %-11s %s\n", std::string(ok ? c.green : c.yellow).c_str(), ok ? "✓" : "–",
                    std::string(c.plain).c_str(), f.what.c_str(), f.detail.c_str());
      if (!f.remedy.empty()) project::sayf(stdout, "              %s\n", f.remedy.c_str());
    }
  }
  return compiles ? kFine : kUsage;  // without NVRTC nothing beyond CUDA text is made
}

}  // namespace

void add_doctor(CLI::App* c, Run& run) {
  auto json = std::make_shared<bool>(false);
  c->add_flag("--json", *json, "As JSON");
  c->footer(
      "Exit status: 0 kernels can be compiled, 2 they cannot.\n\nExamples:\n  tilewright doctor\n"
      "  tilewright doctor --json");
  c->callback([json, &run] { run = [json] { return run_doctor(*json); }; });
}

}  // namespace tilewright::cli
