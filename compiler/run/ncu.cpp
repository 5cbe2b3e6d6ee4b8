#include "compiler/run/ncu.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/toolchain/wire.h"

namespace tilewright::run {
namespace {

using Cells = std::vector<std::string>;

// The columns of waits begin so; those of warps that issued nothing at the time are a part of the others.
constexpr std::string_view kWait = "stall_", kPart = "(Not Issued)";
constexpr std::string_view kError = "==ERROR== ";
// What ncu calls otherwise than CUPTI.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"dispatch", "dispatch_stall"}, {"imc", "imc_miss"},
    {"lg", "lg_throttle"},          {"long_sb", "long_scoreboard"},
    {"math", "math_pipe_throttle"}, {"mio", "mio_throttle"},
    {"no_inst", "no_instructions"}, {"short_sb", "short_scoreboard"},
    {"sleep", "sleeping"},          {"tex", "tex_throttle"}};

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "a","b ""c""": the cells of a line.
Cells cells_of(std::string_view line) {
  Cells out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string& cell = out.emplace_back();
    if (line[i] != '"') {
      for (; i < line.size() && line[i] != ','; ++i) cell += line[i];
      continue;
    }
    for (++i; i < line.size(); ++i) {
      if (line[i] == '"' && !line.substr(i + 1).starts_with('"')) break;
      if (line[i] == '"') ++i;
      cell += line[i];
    }
    ++i;  // behind it comes a comma
  }
  return out;
}

template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

class Reading {
 public:
  explicit Reading(std::span<const std::string> symbols) : symbols_(symbols) {}

  std::expected<Samples, std::string> read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = next_line(text);
      if (line.starts_with(kError) && error_.empty()) error_ = line.substr(kError.size());
      if (line.starts_with('"')) take(cells_of(line));
    }
    if (tables_ == 0) return std::unexpected(error_.empty() ? "ncu wrote no table of samples" : "ncu says: " + error_);
    for (const Sampled& s : out_.places) out_.taken += s.count;
    out_.taken += out_.elsewhere;
    out_.rounds = 1;
    return std::move(out_);
  }

 private:
  void take(const Cells& cells) {
    if (cells[0] == "Kernel Name") return begin(cells.size() > 1 ? cells[1] : std::string());
    if (cells[0] == "Address") return head(cells);
    const auto address =
        cells[0].starts_with("0x") ? number_in<std::uint64_t>(std::string_view(cells[0]).substr(2), 16) : std::nullopt;
    if (!address || columns_.empty()) return;
    if (!first_) first_ = address;
    for (const auto& [column, reason] : columns_) {
      const auto count = column < cells.size() ? number_in<std::uint64_t>(cells[column]) : std::nullopt;
      if (!count || *count == 0) continue;
      if (launch_ && *address >= *first_ && *address - *first_ <= 0xFFFFFFFF)
        out_.places.push_back({*launch_, static_cast<std::uint32_t>(*address - *first_), reason, *count});
      else
        out_.elsewhere += *count;
    }
  }

  // The next of the round's kernels of that name.
  void begin(const std::string& name) {
    columns_.clear();
    first_.reset();
    launch_.reset();
    for (std::size_t i = begun_; i < symbols_.size() && !launch_; ++i)
      if (symbols_[i] == name) launch_ = static_cast<std::uint32_t>(i);
    if (launch_) begun_ = *launch_ + 1;
  }

  void head(const Cells& cells) {
    columns_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string_view name = cells[i];
      if (!name.starts_with(kWait) || name.ends_with(kPart)) continue;
      name.remove_prefix(kWait.size());
      const auto* const known = std::ranges::find(kNames, name, &std::pair<std::string_view, std::string_view>::first);
      columns_[i] = reason_of(std::string(known == std::end(kNames) ? name : known->second));
    }
    if (!columns_.empty()) ++tables_;
  }

  std::uint32_t reason_of(const std::string& name) {
    const auto found = std::ranges::find(out_.reasons, name);
    if (found != out_.reasons.end()) return static_cast<std::uint32_t>(found - out_.reasons.begin());
    out_.reasons.push_back(name);
    return static_cast<std::uint32_t>(out_.reasons.size() - 1);
  }

  std::span<const std::string> symbols_;
  Samples out_;
  std::string error_;
  std::map<std::size_t, std::uint32_t> columns_;  // of waits: which reason each is
  std::optional<std::uint64_t> first_;            // the address of the kernel's first instruction
  std::optional<std::uint32_t> launch_;           // of the round; nothing: another kernel
  std::size_t begun_ = 0;
  int tables_ = 0;
};

// ncu with the process that it starts, and our end of that one's socket.
class NcuProcess {
 public:
  NcuProcess(const NcuOrder& order, std::size_t launches, const std::stop_token& stop)
      : stop_(stop), end_(Clock::now() + order.patience), written_(::memfd_create("ncu", MFD_CLOEXEC)) {
    int pair[2];
    if (!written_ || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    socket_ = process::Fd(pair[0]);
    const process::Fd theirs(pair[1]);
    // In another process our own name of ourselves means that one.
    const bool ours = order.helper == "/proc/self/exe";
    const std::string n = std::to_string(launches);
    auto child = process::spawn(
        {.words = {order.program.string(), "--target-processes", "all", "--section", "SourceCounters", "--page",
                   "source", "--print-source", "sass", "--csv", "--launch-skip", n, "--launch-count", n,
                   ours ? "/proc/" + std::to_string(::getpid()) + "/exe" : order.helper.string(), "gpu-helper",
                   "unconfined"},
         .program = order.program,
         .environment = order.environment,
         .output = written_.get(),
         .errors = written_.get(),
         .fourth = theirs.get(),
         .group = process::SpawnOptions::Group::Own});
    if (child) child_ = std::move(*child);
  }

  bool started() const { return child_.pid() > 0; }
  // The answer to a request; nothing: the process ended, took too long, or was stopped.
  std::optional<toolchain::Record> ask(const toolchain::Record& request, std::span<const int> descriptors) {
    toolchain::RecordWriter writer(request, descriptors);
    toolchain::RecordReader reader;
    for (bool written = false; child_.pid() > 0 && !stop_.stop_requested() && Clock::now() < end_;) {
      using Writing = toolchain::RecordWriter::State;
      using Reading = toolchain::RecordReader::State;
      if (!written) {
        const Writing state = writer.poll(socket_.get());
        if (state == Writing::Closed) return std::nullopt;
        written = state == Writing::Complete;
      }
      pollfd watched{socket_.get(), static_cast<short>(written ? POLLIN : POLLIN | POLLOUT), 0};
      ::poll(&watched, 1, kLook);
      if ((watched.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const Reading state = reader.poll(socket_.get());
      if (state == Reading::Closed) return std::nullopt;
      if (state == Reading::Complete) return reader.take();
    }
    return std::nullopt;
  }

  // Lets it end, and has what it wrote; nothing: it did not end in its time.
  std::optional<std::string> end() {
    socket_.close();
    while (child_.pid() > 0 && !stop_.stop_requested() && Clock::now() < end_)
      if (child_.wait_until(std::min(end_, Clock::now() + std::chrono::milliseconds(kLook)))) {
        std::string out;
        constexpr std::size_t kMost = 256 << 20;
        if (!process::read_all(written_.get(), out, kMost)) return std::nullopt;
        return out;
      }
    return std::nullopt;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kLook = 50;  // milliseconds between two looks at the stop token
  std::stop_token stop_;
  Clock::time_point end_;
  process::Fd written_, socket_;
  process::Child child_;
};

}  // namespace

std::expected<Samples, std::string> sampled_by_ncu(const NcuOrder& order, const Job& job, const std::stop_token& stop) {
  Job own = job;  // the verifying rounds alone
  own.samples = false;
  own.repeats = own.warmups = 0;
  own.rivals.clear();
  own.marked.clear();
  std::vector<std::string> symbols;
  for (const JobLaunch& launch : own.launches) symbols.push_back(launch.symbol);
  const std::vector<Contents> results = results_for(own);
  NcuProcess ncu(order, own.launches.size(), stop);
  if (!ncu.started()) return std::unexpected(order.program.string() + " cannot be started");
  const Message message = encode(own, results);
  const bool answered = ncu.ask({{"op", "open"},
                                 {"library", order.library},
                                 {"management", order.management},
                                 {"profilers", ""},
                                 {"device", std::to_string(order.device)}},
                                {}) &&
                        ncu.ask(message.record, message.descriptors);
  const std::optional<std::string> written = ncu.end();
  if (!written) return std::unexpected(order.program.string() + " was ended: it took too long, or could not be read");
  auto samples = samples_of_ncu(*written, symbols);
  if (samples && !answered) return std::unexpected("under " + order.program.string() + " the kernel did not end");
  return samples;
}

std::expected<Samples, std::string> samples_of_ncu(std::string_view written, std::span<const std::string> symbols) {
  return Reading(symbols).read(written);
}

}  // namespace tilewright::run
