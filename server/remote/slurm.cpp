#include "server/remote/slurm.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tilewright::remote {
namespace {

// Inside a job, Slurm's variables tell srun how that job was asked for; next to what a step is asked for here, some of
// them are an error.
// SLURM_CPU_BIND and its parts (_LIST, _TYPE, _VERBOSE) bind a step to the cores of the one that set them;
// SLURM_LABELIO puts the number of the task before each line, frames of the worker's protocol among them.
std::vector<std::string> without_defaults() {
  std::vector<std::string> words;
  for (const char* name : {"SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU", "SLURM_MEM_PER_NODE", "SLURM_NTASKS_PER_NODE",
                           "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_GPU", "SLURM_CPUS_PER_TASK",
                           "SLURM_TRES_PER_TASK", "SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK",
                           "SLURM_DISTRIBUTION", "SLURM_LABELIO", "SLURM_WHOLE", "SLURM_HINT"}) {
    if (std::getenv(name)) words.insert(words.end(), {"-u", name});
  }
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("SLURM_CPU_BIND"))
      words.insert(words.end(), {"-u", std::string(text.substr(0, text.find('=')))});
  }
  if (!words.empty()) words.insert(words.begin(), "env");
  return words;
}

}  // namespace

std::string times_gres(const std::string& gres, int times) {
  std::string out;
  std::string_view rest = gres;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    long count = 1;
    // The last part is a number, or there is none: gpu, gpu:2, gpu:h100, gpu:h100:2.
    if (const auto colon = one.rfind(':'); colon != std::string_view::npos) {
      const std::string_view last = one.substr(colon + 1);
      long number = 0;
      const auto [stop, error] = std::from_chars(last.data(), last.data() + last.size(), number);
      // A node has fewer; a product with the slots must stay a number.
      constexpr long kMost = 1'000'000;
      if (error == std::errc() && stop == last.data() + last.size()) {
        count = std::clamp(number, 0L, kMost);
        one = one.substr(0, colon);
      }
    }
    out += (out.empty() ? "" : ",") + std::string(one) + ":" + std::to_string(count * times);
  }
  return out;
}

std::string times_memory(const std::string& mem, int times) {
  const auto digits = std::min(mem.find_first_not_of("0123456789"), mem.size());
  return std::to_string(std::stoll(mem.substr(0, digits)) * times) + mem.substr(digits);
}

std::vector<std::string> salloc_command(const SlurmWish& wish, int slots) {
  const int a_node = std::max(slots / wish.nodes, 1);
  std::vector<std::string> words = {"salloc",
                                    "--job-name=tilewright",
                                    "--nodes=" + std::to_string(wish.nodes),
                                    "--ntasks=" + std::to_string(slots),
                                    "--ntasks-per-node=" + std::to_string(a_node),
                                    "--cpus-per-task=" + std::to_string(wish.cpus)};
  if (!wish.gres.empty()) words.push_back("--gres=" + times_gres(wish.gres, a_node));
  if (!wish.mem.empty()) words.push_back("--mem=" + times_memory(wish.mem, a_node));
  for (const auto& [name, value] : wish.options) words.push_back("--" + name + "=" + value);
  words.emplace_back("cat");
  return words;
}

std::vector<std::string> step_command(const SlurmWish& wish, const std::string& job,
                                      const std::vector<std::string>& program, bool again) {
  std::vector<std::string> words = without_defaults();
  words.insert(words.end(), {"srun", "--jobid=" + job});
  words.insert(words.end(), {// Its own share of the allocation, beside the other steps.
                             "--exact", "--nodes=1", "--ntasks=1", "--cpus-per-task=" + std::to_string(wish.cpus),
                             // Without a number the first step would take the memory of all.
                             "--mem=" + (wish.mem.empty() ? "0" : wish.mem),
                             // A share that is still taken is waited for, but not for ever.
                             "--immediate=60", "--unbuffered", "--mpi=none", "--quiet", "--job-name=worker"});
  if (!wish.gres.empty()) {
    words.push_back("--gres=" + times_gres(wish.gres, 1));
  } else if (again) {
    words.emplace_back("--overlap");
  }
  words.insert(words.end(), program.begin(), program.end());
  words.insert(words.end(), {"worker", "--stdio"});
  return words;
}

SallocWord read_salloc(std::string_view line) {
  using Kind = SallocWord::Kind;
  constexpr std::string_view kName = "salloc: ";
  if (!line.starts_with(kName)) return {};
  line.remove_prefix(kName.size());
  auto number_after = [&](std::string_view words) {
    const std::string_view rest = line.starts_with(words) ? line.substr(words.size()) : std::string_view();
    const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    return digits.size() <= kLongestJob ? std::string(digits) : std::string();
  };
  if (auto job = number_after("Pending job allocation "); !job.empty()) return {Kind::Pending, job};
  if (auto job = number_after("Granted job allocation "); !job.empty()) return {Kind::Granted, job};
  if (line.ends_with("has been revoked.")) return {Kind::Revoked, number_after("Job allocation ")};
  if (line.starts_with("error: ")) return {Kind::Error, std::string(line.substr(7))};
  return {};
}

std::string pending_reason(std::string_view reason) {
  if (reason.empty() || reason == "None") return {};
  if (reason == "Resources") return "it waits for resources that others use";
  if (reason == "Priority") return "others come first";
  if (reason == "ReqNodeNotAvail" || reason.starts_with("ReqNodeNotAvail,")) return "its nodes are not available";
  if (reason == "PartitionDown" || reason == "PartitionInactive") return "the partition takes no jobs now";
  return "the cluster says " + std::string(reason);
}

bool waits_forever(std::string_view reason) {
  constexpr std::string_view kNever[] = {
      "BadConstraints", "PartitionTimeLimit", "PartitionNodeLimit",       "PartitionConfig",
      "InvalidAccount", "InvalidQOS",         "DependencyNeverSatisfied", "AssociationTimeLimit",
      "QOSTimeLimit",   "JobHeldAdmin",       "AccountNotAllowed",        "QOSNotAllowed"};
  return std::ranges::find(kNever, reason) != std::end(kNever);
}

}  // namespace tilewright::remote
