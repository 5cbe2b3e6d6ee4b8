#include "server/remote/allocation.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>

#include "server/remote/holder.h"
#include "server/remote/process.h"
#include "server/remote/record.h"
#include "server/remote/slurm.h"

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;
using run::Failure;
using std::chrono::milliseconds;

// Until salloc says a job's number: when that is worth a word, and when nothing is to be expected any more.
constexpr std::chrono::seconds kWord(3), kAnswer(180);

std::vector<std::string> squeue(std::vector<std::string> words) {
  words.insert(words.begin(), {"squeue", "--noheader"});
  return words;
}

// The states of a job that still has, or will have, its nodes; nothing: the cluster gives no answer.
std::optional<bool> is_running(const std::string& job, const std::stop_token& stop) {
  auto answer = run_command(squeue({"--jobs=" + job, "--format=%T"}), {.time = milliseconds(10'000)}, stop);
  if (!answer) return std::nullopt;
  if (answer->status == 0) return answer->output.starts_with("RUNNING") || answer->output.starts_with("SUSPENDED");
  if (answer->errors.find("Invalid job id") != std::string::npos) return false;
  return std::nullopt;
}

class Surrounding : public Allocation {
 public:
  explicit Surrounding(const std::string& job) : Allocation(job) {}
  bool can_be_renewed() const override { return false; }
};

class Reused : public Allocation {
 public:
  explicit Reused(Record record) : Allocation(record.job()), record_(std::move(record)) {}

 private:
  Record record_;
};

// Made for us: it lives as long as the pipe to its holder.
class Held : public Allocation {
 public:
  Held(Started holder, bool kept) : Allocation({}), holder_(std::move(holder)), kept_(kept) {}
  ~Held() override {
    holder_.input.close();
    // What is given back is so when the command ends; who comes next finds the nodes free.
    const auto end = Clock::now() + std::chrono::seconds(5);
    while ((!kept_ || job_.empty()) && next_words(milliseconds(100)) && Clock::now() < end) {
    }
  }

  // Waits for the next line of the holder. False: it has ended.
  bool next_words(milliseconds limit) {
    pollfd end{holder_.output.get(), POLLIN, 0};
    if (::poll(&end, 1, static_cast<int>(limit.count())) <= 0) return true;
    std::array<char, 4096> bytes;
    const auto got = ::read(holder_.output.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    rest_.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t line; (line = rest_.find('\n')) != std::string::npos; rest_.erase(0, line + 1))
      take(std::string_view(rest_).substr(0, line));
    return true;
  }
  bool granted() const { return !job_.empty(); }
  const std::string& pending() const { return pending_; }
  const std::string& errors() const { return errors_; }

 private:
  void take(std::string_view line) {
    if (line.starts_with("pending ")) pending_ = line.substr(8);
    if (line.starts_with("granted ")) job_ = line.substr(8);
    if (line.starts_with("error ")) errors_ += (errors_.empty() ? "" : "; ") + std::string(line.substr(6));
  }

  Started holder_;
  bool kept_;
  std::string rest_, pending_, errors_;
};

// Tells how a job fares that waits; less and less often, for asking costs the cluster something.
class Queue {
 public:
  explicit Queue(const Told& told) : told_(told) {}

  // The reason for which waiting is of no use; empty: there is none, as far as one knows.
  std::string look(const std::string& job, const std::stop_token& stop) {
    if (job.empty() || Clock::now() < next_) return {};
    next_ = Clock::now() + pause_;
    pause_ = std::min(pause_ * 2, milliseconds(15'000));
    auto answer = run_command(squeue({"--jobs=" + job, "--format=%T|%P|%r"}), {}, stop);
    if (!answer || answer->status != 0 || !answer->output.starts_with("PENDING|")) return {};
    const std::string line = answer->output.substr(8, answer->output.find('\n') - 8);
    const auto bar = line.find('|');
    const std::string partition = line.substr(0, bar);
    std::string reason = bar == std::string::npos ? "" : line.substr(bar + 1);
    if (waits_forever(reason)) return reason;
    std::string words = "waiting in the queue of partition " + partition;
    const int ahead = count_ahead(partition, job, stop);
    if (ahead > 0) words += ", " + std::to_string(ahead) + " ahead";
    if (const std::string why = pending_reason(reason); !why.empty()) words += ": " + why;
    if (words != said_ && told_) told_(words);
    said_ = words;
    return {};
  }

 private:
  // In the order of priorities, which is the one that they are served in, mostly.
  static int count_ahead(const std::string& partition, const std::string& job, const std::stop_token& stop) {
    auto answer =
        run_command(squeue({"--partition=" + partition, "--states=PENDING", "--sort=-p,i", "--format=%i"}), {}, stop);
    if (!answer || answer->status != 0) return 0;
    const std::string lines = "\n" + answer->output;
    const auto at = lines.find("\n" + job + "\n");
    return at == std::string::npos
               ? 0
               : static_cast<int>(std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

  const Told& told_;
  Clock::time_point next_ = Clock::now() + milliseconds(500);
  milliseconds pause_{1000};
  std::string said_;
};

Failure refused(const Place& place, const std::string& errors) {
  return {
      place.name + ": Slurm gives no allocation: " + (errors.empty() ? "salloc ended without a word" : errors),
      "`sinfo` shows the partitions and `scontrol show partition` their limits; what is asked for is in the address"};
}

std::expected<std::unique_ptr<Allocation>, Failure> wait_for(std::unique_ptr<Held> held, const Place& place,
                                                             const Told& told, const std::stop_token& stop) {
  Queue queue(told);
  const auto begin = Clock::now();
  bool impatient = false;
  while (!held->granted()) {
    if (!held->next_words(milliseconds(50))) return std::unexpected(refused(place, held->errors()));
    if (held->granted()) break;
    if (stop.stop_requested()) return std::unexpected(Failure{});
    const auto waited = Clock::now() - begin;
    const bool unanswered = held->pending().empty();
    if (unanswered && !impatient && waited > kWord) {
      impatient = true;
      if (told) told("the controller of the cluster has not answered yet");
    }
    if (unanswered && waited > kAnswer) return std::unexpected(refused(place, "its controller does not answer"));
    if (const std::string never = queue.look(held->pending(), stop); !never.empty())
      return std::unexpected(refused(place, "the job would wait for ever, the queue says " + never));
    if (place.slurm.wait > 0 && waited > std::chrono::seconds(place.slurm.wait)) {
      return std::unexpected(Failure{
          place.name + ": no allocation within " + std::to_string(place.slurm.wait) + " s of waiting in the queue",
          "ask for less, for another partition, or wait longer: wait=SECONDS"});
    }
  }
  return held;
}

std::unique_ptr<Allocation> find_kept(const std::filesystem::path& folder, const std::string& key,
                                      const std::stop_token& stop) {
  for (const auto& path : records_in(folder)) {
    auto record = Record::claim(path, key);
    if (!record) continue;
    const auto running = is_running(record->job(), stop);
    if (running == true) return std::make_unique<Reused>(std::move(*record));
    // The cluster took it, and its holder has not seen that yet.
    if (running == false) record->remove();
  }
  return nullptr;
}

}  // namespace

std::string surrounding_job() {
  const char* job = std::getenv("SLURM_JOB_ID");
  const std::string id = job ? job : "";
  return id.find_first_not_of("0123456789") == std::string::npos ? id : std::string();
}

int slurm_slots(const Place& place) {
  if (place.slots > 0) return place.slots;
  const char* tasks = surrounding_job().empty() ? nullptr : std::getenv("SLURM_NTASKS");
  const std::string_view text = tasks ? tasks : "";
  int number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::clamp(number, 1, 1024);
}

bool Allocation::lost(const std::stop_token& stop) const { return is_running(job_, stop) == false; }

std::expected<std::unique_ptr<Allocation>, Failure> Allocation::obtain(const Place& place, const Told& told,
                                                                       const std::stop_token& stop) {
  for (const char* program : {"salloc", "srun", "squeue"}) {
    if (!find_program(program).empty()) continue;
    return std::unexpected(Failure{place.name + ": there is no " + program + " on the PATH",
                                   "this machine is no client of a Slurm cluster: run tilewright on its login node, "
                                   "or reach that by ssh://"});
  }
  if (const std::string job = surrounding_job(); !job.empty()) return std::make_unique<Surrounding>(job);
  const int slots = slurm_slots(place);
  const std::string key = wish_key(place.slurm, slots);
  const auto folder = place.slurm.keep > 0 ? record_folder() : std::filesystem::path();
  if (!folder.empty()) {
    if (auto kept = find_kept(folder, key, stop)) return kept;
  }
  const std::string record = folder.empty() ? "" : new_record(folder).string();
  auto holder = start_process(holder_command(record, place.slurm.keep, key, salloc_command(place.slurm, slots)), false);
  if (!holder) return std::unexpected(Failure{place.name + ": " + holder.error(), {}});
  holder->child.wait();  // its first process ends as soon as the one that stays is there
  return wait_for(std::make_unique<Held>(std::move(*holder), !record.empty()), place, told, stop);
}

}  // namespace tilewright::remote
