// tilewright worker: compiles and runs kernels for clients elsewhere.
#include "server/worker/command.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <thread>

#include "server/project/console.h"
#include "server/project/environment.h"
#include "server/remote/listening.h"
#include "server/worker/confinement.h"
#include "server/worker/serve.h"

namespace tilewright::worker {
namespace {

constexpr int kUsage = 2;
constexpr double kLeastGigabytes = 1e-6, kMostGigabytes = 1e6;

struct WorkerCommand {
  bool stdio = false;
  std::string listen, on, cert, key, ca, token_file, driver = "libcuda.so.1", nvml = "libnvidia-ml.so.1", cupti;
  std::vector<int> devices;
  int slots = 0, queue = 1000, clients = 64, compilations = 2;
  bool no_compiler = false, unconfined = false;
  double stalled = 60;
  double seconds = 600, host_gb = 0, device_gb = 0, output_gb = 0, simulator_gb = 0, message_mb = 64;
};

int refuse(const std::string& message, const std::string& hint) {
  project::say_refusal(message, hint);
  return kUsage;
}

// All that the driver has; none where it does not start.
std::vector<int> devices_of(const run::GpuOptions& gpu) {
  std::vector<int> out;
  if (auto first = run::GpuExecutor(gpu).device())
    for (int number = 0; number < first->devices; ++number) out.push_back(number);
  return out;
}

// What the driver may look at. A variable whose name says that it is a secret is the worker's own affair: processes
// that run strangers' kernels have none.
std::vector<std::string> without_secrets(std::vector<std::string> environment) {
  constexpr std::string_view kWords[] = {"TOKEN",   "SECRET",  "PASSW",      "CREDENTIAL",
                                         "PRIVATE", "API_KEY", "ACCESS_KEY", "AUTH"};
  std::erase_if(environment, [&](const std::string& variable) {
    std::string name = variable.substr(0, variable.find('='));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return std::ranges::any_of(kWords, [&](std::string_view word) { return name.contains(word); });
  });
  return environment;
}

std::int64_t gigabytes(double n, std::int64_t otherwise) {
  return n > 0 ? static_cast<std::int64_t>(n * (1 << 30)) : otherwise;
}

void take_limits(const WorkerCommand& command, Options& options) {
  const std::int64_t all = run::default_memory_limit();
  const auto slots = static_cast<std::int64_t>(std::max<std::size_t>(1, options.devices.size()));
  options.limits.job_seconds = command.seconds;
  options.limits.host_bytes = gigabytes(command.host_gb, all);
  options.limits.device_bytes = gigabytes(command.device_gb, std::int64_t{1} << 44);
  options.limits.output_bytes = gigabytes(command.output_gb, options.limits.host_bytes);
  options.limits.message_bytes = static_cast<std::int64_t>(command.message_mb * (1 << 20));
  options.limits.queued_jobs = command.queue;
  options.held_bytes = command.host_gb > 0 ? options.limits.host_bytes * (slots + 1) : all;
  options.simulator_bytes = gigabytes(command.simulator_gb, all);
  options.simulators_bytes = std::max(all, options.simulator_bytes);
  options.clients = static_cast<std::size_t>(command.clients);
  options.stalled = std::chrono::milliseconds(static_cast<std::int64_t>(command.stalled * 1000));
  options.compilations = static_cast<std::size_t>(command.compilations);
}

int worker_command(const WorkerCommand& command) {
  if (command.stdio == !command.listen.empty())
    return refuse("say how clients come: --stdio, or --listen HOST:PORT or unix:PATH",
                  "tilewright worker --help has examples");
  // A Unix socket, too, is for this user alone.
  const bool for_strangers = !command.stdio && !command.listen.starts_with("unix:");
  if (std::string wrong = wrong_with_confinement(for_strangers, command.unconfined); !wrong.empty())
    return refuse(wrong, "--unconfined listens all the same: every client can then read and change what this user can");
  auto listening =
      remote::listening({command.listen, command.cert, command.key, command.ca, command.token_file}, "worker",
                        {.server = "worker", .method = "initialize", .where = {"token"}, .token = {}});
  if (!listening) return refuse(listening.error().message, listening.error().hint);
  Options options;
  options.gpu = project::gpu_options();
  options.gpu.environment = without_secrets(std::move(options.gpu.environment));
  options.gpu.library = command.driver;
  options.gpu.management = command.nvml;
  if (!command.cupti.empty()) options.gpu.profilers = {command.cupti};
  options.tools = project::toolchain_options();
  options.compiles = !command.no_compiler;
  options.devices = command.devices;
  if (command.on == "gpu" || command.on.empty()) {
    // Also starts the driver once without demands, so that it loads and makes what a confined process cannot.
    std::vector<int> all = devices_of(options.gpu);
    if (options.devices.empty()) options.devices = std::move(all);
    if (!options.devices.empty()) options.executes = Executes::Gpu;
    if (options.devices.empty() && command.on == "gpu") {
      auto device = run::GpuExecutor(options.gpu).device();
      return refuse("there is no GPU: " + (device ? std::string() : device.error()),
                    "--on sim runs kernels on the simulator, --on none only compiles them");
    }
  }
  // For strangers the process with the GPU is confined or does not start.
  if (for_strangers && !command.unconfined) options.gpu.helper_arguments = {"gpu-helper", "confined"};
  if (options.executes != Executes::Gpu) {
    options.executes = command.on == "none" ? Executes::Nothing : Executes::Simulator;
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    options.devices.resize(static_cast<std::size_t>(command.slots > 0 ? command.slots : cores));
  }
  take_limits(command, options);
  return command.stdio ? serve_stdio(std::move(options)) : serve_port(std::move(options), *listening);
}

}  // namespace

void add_worker(CLI::App* c, std::function<int()>& run) {
  auto command = std::make_shared<WorkerCommand>();
  c->add_flag("--stdio", command->stdio,
              "Serve one client on standard input and output (ssh, srun, docker run -i start it so)");
  c->add_option("--listen", command->listen,
                "Serve clients at HOST:PORT, unix:PATH or unix: (a socket in $XDG_RUNTIME_DIR, for processes of this "
                "user). At a port they show a token, which is printed unless --token-file names it, or a "
                "certificate (--tls-ca); beyond the loopback interface only with TLS");
  c->add_option("--tls-cert", command->cert, "The worker's certificate, PEM")->check(CLI::ExistingFile);
  c->add_option("--tls-key", command->key, "Its key (default: in the certificate's file)")->check(CLI::ExistingFile);
  c->add_option("--tls-ca", command->ca, "Who signs certificates of clients: they need one of these")
      ->check(CLI::ExistingFile);
  c->add_option("--token-file", command->token_file,
                "A file of its owner alone with the token that clients have to show (theirs: token_file)");
  c->add_flag(
      "--unconfined", command->unconfined,
      "Listen although this kernel lacks seccomp or Landlock: jobs of clients can then read and change what this "
      "user can");
  c->add_option("--on", command->on,
                "What runs kernels: gpu, sim (the simulator), or none: it only compiles (default: the "
                "GPUs where there are any, else the simulator)")
      ->check(CLI::IsMember({"gpu", "sim", "none"}));
  c->add_option("--device", command->devices, "The driver's devices to use, e.g. --device 0,1 (default: all)")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  c->add_option("--slots", command->slots, "Jobs at once on the simulator (default: one a core)")
      ->check(CLI::Range(1, 1024));
  c->add_flag("--no-compiler", command->no_compiler, "Take cubins, but compile nothing");
  c->add_option("--compilations", command->compilations, "Compilations at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  c->add_option("--time-limit", command->seconds, "Seconds that one job may run")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6));
  c->add_option("--memory-limit", command->host_gb,
                "Gigabytes of this machine's memory for one job's tensors (default: half of what it has, for all)")
      ->check(CLI::Range(kLeastGigabytes, kMostGigabytes));
  c->add_option(
       "--simulator-memory-limit", command->simulator_gb,
       "Gigabytes that the simulator of one job may use beside its tensors (default: half of what this machine "
       "has, which is also the most for all simulated jobs together)")
      ->check(CLI::Range(kLeastGigabytes, kMostGigabytes));
  c->add_option("--gpu-memory-limit", command->device_gb, "Gigabytes of a GPU's memory for one job's tensors")
      ->check(CLI::Range(kLeastGigabytes, kMostGigabytes));
  c->add_option("--output-limit", command->output_gb,
                "Gigabytes that one job may send back (default: as --memory-limit)")
      ->check(CLI::Range(kLeastGigabytes, kMostGigabytes));
  c->add_option("--message-limit", command->message_mb, "Megabytes of one message, beside tensors")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 4096.0));
  c->add_option("--queue", command->queue, "Jobs of one client that may wait; more are told to come again")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  c->add_option("--stall-limit", command->stalled, "Seconds that an opened job may wait for its client")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1e6));
  c->add_option("--clients", command->clients, "Connections at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  c->add_option("--driver", command->driver, "The CUDA driver's library")->capture_default_str();
  c->add_option("--nvml", command->nvml, "The driver's management library")->capture_default_str();
  c->add_option(
      "--cupti", command->cupti,
      "NVIDIA's library for profilers, which samples, or its program ncu (default: those of the CUDA toolkit)");
  c->footer(
      "Each kernel runs in a process of its own that can be killed; a fault, a hang or a stray write costs that job "
      "alone. Jobs wait in a queue in which clients take turns, a GPU runs one at a time.\n\nExamples:\n"
      "  tilewright worker --stdio\n"
      "  tilewright worker --listen unix:\n"
      "  tilewright worker --listen 127.0.0.1:7443 --token-file token\n"
      "  tilewright worker --listen 0.0.0.0:7443 --tls-cert w.pem --tls-key w.key --tls-ca clients.pem\n"
      "  tilewright worker --listen 0.0.0.0:7443 --tls-cert w.pem --tls-key w.key --token-file token\n"
      "  tilewright worker --stdio --on none\n"
      "and at the other end:\n  tilewright run copy.py --on ssh://gpu1\n  tilewright remotes");
  c->callback([command, &run] { run = [command] { return worker_command(*command); }; });
}

}  // namespace tilewright::worker
