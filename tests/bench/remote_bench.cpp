// How fast a worker is beside the kernels: a job there and back, and a gigabyte each way.
//
//   remote_bench FAKE_DRIVER WORKER-COMMAND...   for example remote_bench libfake_cuda.so build/release/tilewright
//
// Starts `WORKER-COMMAND worker` on the stand-in for the driver (tests/gpu/fake_driver.cpp), over its standard streams
// and over TCP. Memory is the most that was resident in the client and in the worker itself; the stand-in's device
// memory is the memory of a third process.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/run/job_json.h"
#include "server/remote/link.h"

using namespace tilewright;
using Clock = std::chrono::steady_clock;

namespace {

namespace wire = protocol::worker;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

run::Job copy_job(std::int64_t in, std::int64_t out, std::int64_t copied) {
  run::Job job;
  job.buffers.push_back({"A", in, run::Role::Input, run::Contents::of_size(in)});
  job.buffers.push_back({"B", out, run::Role::Output, {}});
  run::JobLaunch& launch = job.launches.emplace_back();
  launch.symbol = "k";
  launch.params.resize(2);
  launch.params[1].index = 1;
  launch.cubin = "kernel k\ncopy 1 0 " + std::to_string(copied) + "\n";
  char* a = job.buffers[0].contents.data();
  for (std::int64_t i = 0; i < in; i += 4096) a[i] = static_cast<char>(i >> 12);
  return job;
}

// Seconds of a job: all of it, and from its end there to the answer here.
struct Took {
  double all = 0, from = 0;
};

// `short_by`: so many bytes of the cubin are announced and never sent. The worker says so when all the rest is there,
// which is how long sending takes.
Took run_once(remote::Client& client, const run::Job& job, int number, int short_by = 0) {
  wire::JobOpenParams open;
  open.key = "bench-" + std::to_string(::getpid()) + "-" + std::to_string(number);
  open.order = run::order_json(job);
  open.cubins = {static_cast<std::int64_t>(job.launches[0].cubin.size()) + short_by};
  const std::vector<run::Contents> results = run::results_for(job);
  Took took;
  const auto start = Clock::now();
  auto sending = start;
  const remote::Client::Progress progress = [&](const wire::JobProgress& p) {
    if (p.state == "sending") sending = Clock::now();
  };
  auto answer = client.run(open, job, results, progress, start + std::chrono::hours(1), {});
  took.all = seconds_since(start);
  took.from = seconds_since(sending);
  const bool right = short_by > 0 ? !answer && answer.error().message == "cubin 0 is not all there"
                                  : answer && answer->result.outcome.at("status") == "done";
  if (!right) {
    std::fprintf(stderr, "the job failed: %s\n",
                 answer ? answer->result.outcome.dump().c_str() : answer.error().message.c_str());
    std::exit(1);
  }
  return took;
}

double megabytes_of(int pid, const char* what) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(what)) return std::atof(line.c_str() + std::char_traits<char>::length(what)) / 1024;
  return 0;
}

void measure(const char* how, remote::Client& client, int worker_pid) {
  const run::Job small = copy_job(4096, 4096, 4096);
  int number = static_cast<int>(Clock::now().time_since_epoch().count() & 0xFFFFF) * 4096;
  for (int i = 0; i < 20; ++i) run_once(client, small, ++number);
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) times.push_back(run_once(client, small, ++number).all * 1e3);
  std::ranges::sort(times);
  std::printf("%s: job of 4 KB there and back: p50 %.2f ms, p99 %.2f ms\n", how, times[500], times[990]);
  constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;
  for (const bool to : {true, false}) {
    const run::Job job = to ? copy_job(kGigabyte, 4096, 4096) : copy_job(4096, kGigabyte, 4096);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const Took took = run_once(client, job, ++number, to ? 1 : 0);
      best = std::min(best, to ? took.all : took.from);
    }
    std::printf("%s: 1 GiB %s the worker: %.2f s, %.2f GB/s\n", how, to ? "to" : "from", best, kGigabyte / best / 1e9);
  }
  std::printf("%s: most that was resident: client %.0f MB, worker %.0f MB\n", how, megabytes_of(::getpid(), "VmHWM:"),
              megabytes_of(worker_pid, "VmHWM:"));
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc != 3) {
    std::fprintf(stderr, "remote_bench FAKE_DRIVER TILEWRIGHT\n");
    return 2;
  }
  const std::string driver = argv[1], binary = argv[2];
  std::vector<std::string> words = {binary, "worker", "--on", "gpu",          "--driver",
                                    driver, "--nvml", driver, "--no-compiler"};
  const std::string token = "the-token-of-this-measurement", file = "/tmp/remote_bench." + std::to_string(::getpid());
  auto open = [&](std::unique_ptr<transport::Connection> connection) {
    auto client = remote::Client::open(std::move(connection), token, {.greeting = std::chrono::seconds(60)}, {});
    if (!client) {
      std::fprintf(stderr, "no worker: %s\n", client.error().message.c_str());
      std::exit(1);
    }
    return *client;
  };
  {
    words.push_back("--stdio");
    auto process = transport::run_command({.words = words, .environment = {}, .folder = {}});
    const int pid = (*process)->pid();
    measure("standard streams", *open(std::move(*process)), pid);
  }
  const std::string port = std::to_string(20000 + ::getpid() % 20000);
  words.back() = "--listen";
  words.insert(words.end(), {"127.0.0.1:" + port, "--token-file", file});
  const int written = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (written < 0 || ::write(written, token.data(), token.size()) < 0) return 1;
  ::close(written);
  auto process = transport::run_command({.words = words, .environment = {}, .folder = {}});
  (*process)->start({[](std::string_view) {}, [] {}});
  std::expected<std::unique_ptr<transport::Connection>, std::string> connection;
  for (int tries = 0; tries < 100; ++tries) {
    connection = transport::connect("127.0.0.1", port, {}, std::chrono::seconds(5), {});
    if (connection) break;
    ::usleep(50'000);
  }
  if (!connection) return 1;
  ::unlink(file.c_str());
  measure("TCP", *open(std::move(*connection)), (*process)->pid());
}
