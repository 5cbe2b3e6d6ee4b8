#include "server/worker/job.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "compiler/run/job_json.h"

namespace tilewright::worker {
namespace {

namespace wire = protocol::worker;
using protocol::Error;
using protocol::ErrorCode;

// A kernel with all its code is a few megabytes.
constexpr std::int64_t kLargestCubin = std::int64_t{1} << 28;
constexpr std::size_t kMostCubins = 64;

std::unexpected<Error> refused(std::string why) {
  return std::unexpected(Error{ErrorCode::InvalidParams, std::move(why), nullptr});
}

std::string over(const char* what, std::int64_t bytes, std::int64_t most) {
  return std::string(what) + " " + std::to_string(bytes) + " bytes; this worker allows " + std::to_string(most);
}

bool is_plain(std::string_view key) {
  return !key.empty() && key.size() <= wire::kLongestKey &&
         std::ranges::all_of(key, [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

// What comes back of every buffer that is written.
std::int64_t output_bytes(const run::Job& job) {
  std::int64_t sum = 0;
  for (const run::JobBuffer& b : job.buffers) sum += b.role == run::Role::Input ? 0 : b.bytes;
  return sum;
}

// The i-th of all launches, in the order in which cubins travel.
run::JobLaunch& launch_at(run::Job& job, std::size_t i) {
  if (i < job.launches.size()) return job.launches[i];
  i -= job.launches.size();
  return i < job.rivals.size() ? job.rivals[i] : job.marked[i - job.rivals.size()];
}

// What a script takes as long as its job waits.
std::int64_t text_bytes(const wire::JobOpenParams& params) {
  if (!params.script) return 0;
  std::size_t sum = 0;
  for (const wire::ScriptFile& f : params.script->files) sum += f.path.size() + f.text.size();
  for (const wire::ScriptImport& i : params.script->imports)
    sum += sizeof i + i.module.size() + i.importer.size() + i.path.size();
  return static_cast<std::int64_t>(sum);
}

// One for each tensor that is given, and one for its progress.
std::int64_t files_of(const run::Job& job) {
  return 1 + std::ranges::count_if(job.buffers,
                                   [](const run::JobBuffer& b) { return b.role != run::Role::Output && b.bytes > 0; });
}

std::unexpected<Error> busy(const Budget& budget, const char* what, std::int64_t more) {
  return std::unexpected(Error{wire::kBusy,
                               "the worker holds " + std::to_string(budget.held()) + " " + what + " for other jobs; " +
                                   std::to_string(more) + " more do not fit now",
                               nullptr});
}

}  // namespace

bool Budget::take(std::int64_t amount) {
  std::lock_guard lock(mutex_);
  if (amount > most_ - held_) return false;
  held_ += amount;
  return true;
}

void Budget::give(std::int64_t amount) {
  std::lock_guard lock(mutex_);
  held_ -= amount;
}

std::int64_t Budget::held() const {
  std::lock_guard lock(mutex_);
  return held_;
}

Budget::Share::Share(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {
  std::lock_guard lock(budget_->mutex_);
  ++budget_->shares_;
}

Budget::Share::~Share() {
  std::lock_guard lock(budget_->mutex_);
  --budget_->shares_;
}

bool Budget::Share::take(std::int64_t amount) {
  Budget& all = *budget_;
  std::lock_guard lock(all.mutex_);
  if (amount > all.most_ - all.held_) return false;
  const std::int64_t others = all.held_ - held_;
  const std::int64_t left = all.most_ - others, own = all.shares_ > 1 ? left / 2 : left - left / 8;
  if (held_ > 0 && held_ + amount > own) return false;
  all.held_ += amount;
  held_ += amount;
  return true;
}

void Budget::Share::give(std::int64_t amount) {
  std::lock_guard lock(budget_->mutex_);
  budget_->held_ -= amount;
  held_ -= amount;
}

std::expected<std::shared_ptr<Job>, Error> Job::open(const wire::JobOpenParams& params, const wire::Limits& limits,
                                                     bool gpu, const Shares& shares) {
  if (!is_plain(params.key)) return refused("a job's key is 1 to 64 visible letters");
  if (params.attempt < 1) return refused("attempts are counted from 1");
  auto order = run::order_of(text::Json(params.order));
  if (!order) return refused(order.error());
  if (gpu && params.script) return refused("this worker's GPU runs cubins");
  if (!gpu && !params.script) return refused("this worker's simulator runs scripts, not cubins");
  const std::size_t launches = order->launches.size() + order->rivals.size() + order->marked.size();
  if (launches > kMostCubins) return refused("a job has at most " + std::to_string(kMostCubins) + " launches");
  if (gpu ? params.cubins.size() != launches : !params.cubins.empty())
    return refused(std::to_string(params.cubins.size()) + " cubins for " + std::to_string(launches) + " launches");
  std::int64_t code = 0;
  for (std::int64_t bytes : params.cubins) {
    if (bytes < 1 || bytes > kLargestCubin) return refused(over("a cubin has", bytes, kLargestCubin));
    code += bytes;
  }
  std::int64_t all = code;
  constexpr std::int64_t kReason = std::int64_t{1} << 44;
  for (const run::JobBuffer& b : order->buffers) {
    all += b.bytes;
    if (all > kReason) return refused("the tensors take more bytes than any machine has");
  }
  if (gpu && order->bytes() > limits.device_bytes)
    return refused(over("the tensors take of the GPU's memory", order->bytes(), limits.device_bytes));
  const std::int64_t marks = static_cast<std::int64_t>(order->marked.size()) * run::kMostMarkBytes;
  const std::int64_t host = order->host_bytes() + code + text_bytes(params) + marks;
  if (host > limits.host_bytes) return refused(over("the tensors take of its memory", host, limits.host_bytes));
  if (const std::int64_t back = output_bytes(*order); back > limits.output_bytes)
    return refused(over("the outputs are", back, limits.output_bytes));
  const double asked = params.deadline_seconds, most = limits.job_seconds;
  if (!std::isfinite(asked) || asked < 0) return refused("the deadline is no time");
  const double seconds = asked > 0 && asked < most ? asked : most;
  const std::int64_t files = files_of(*order);
  if (files > shares.files->all().most())
    return refused("the job has " + std::to_string(order->buffers.size()) + " tensors; this worker stores at most " +
                   std::to_string(shares.files->all().most() - 1));
  if (!shares.bytes->take(host)) return busy(shares.bytes->all(), "bytes", host);
  if (!shares.files->take(files)) {
    shares.bytes->give(host);
    return busy(shares.files->all(), "open files", files);
  }
  try {
    return std::shared_ptr<Job>(new Job(params, std::move(*order),
                                        std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)), host,
                                        files, shares));
  } catch (const std::bad_alloc&) {
    shares.bytes->give(host);
    shares.files->give(files);
    return std::unexpected(Error{wire::kBusy, "the worker has no memory for it now", nullptr});
  }
}

Job::~Job() {
  shares_.bytes->give(bytes_);
  shares_.files->give(files_);
}

void Job::spoil(std::string why) {
  if (spoilt_.empty()) spoilt_ = std::move(why);
}

Job::Job(const wire::JobOpenParams& params, run::Job given, std::chrono::milliseconds patience, std::int64_t bytes,
         std::int64_t files, Shares shares)
    : key(params.key),
      attempt(params.attempt),
      script(params.script),
      deadline(patience),
      order(std::move(given)),
      cubin_bytes_(params.cubins),
      received_(params.cubins.size() + order.buffers.size()) {
  for (run::JobBuffer& b : order.buffers)
    if (b.role != run::Role::Output) b.contents = run::Contents::of_size(b.bytes);
  // Takes over the budget last: if anything above throws, the caller releases it.
  bytes_ = bytes;
  files_ = files;
  shares_ = std::move(shares);
}

void Job::add(const wire::JobDataParams& where, std::string_view piece) {
  if (!spoilt_.empty()) return;
  const bool cubin = where.what == "cubin";
  const std::size_t most = cubin ? cubin_bytes_.size() : order.buffers.size();
  if ((!cubin && where.what != "buffer") || where.index < 0 || static_cast<std::size_t>(where.index) >= most) {
    spoilt_ = "data for something that the job does not have";
    return;
  }
  const auto i = static_cast<std::size_t>(where.index);
  std::int64_t& received = received_[cubin ? i : cubin_bytes_.size() + i];
  const std::int64_t whole = cubin ? cubin_bytes_[i] : static_cast<std::int64_t>(order.buffers[i].contents.size());
  const auto bytes = static_cast<std::int64_t>(piece.size());
  if (where.offset != received || bytes > whole - received) {
    spoilt_ = where.what + " " + std::to_string(i) + ": " + std::to_string(bytes) + " bytes at " +
              std::to_string(where.offset) + ", where " + std::to_string(received) + " of " + std::to_string(whole) +
              " are there";
    return;
  }
  if (cubin) {
    launch_at(order, i).cubin.append(piece);
  } else if (bytes > 0) {
    order.buffers[i].contents.put(static_cast<std::size_t>(received), piece);
  }
  received += bytes;
}

std::string Job::lacks() const {
  if (!spoilt_.empty()) return spoilt_;
  for (std::size_t i = 0; i < cubin_bytes_.size(); ++i)
    if (received_[i] != cubin_bytes_[i]) return "cubin " + std::to_string(i) + " is not all there";
  for (std::size_t i = 0; i < order.buffers.size(); ++i)
    if (received_[cubin_bytes_.size() + i] != static_cast<std::int64_t>(order.buffers[i].contents.size()))
      return "the contents of " + order.buffers[i].name + " are not all there";
  return {};
}

}  // namespace tilewright::worker
