#include "compiler/run/report.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

#include "compiler/ir/origin.h"
#include "compiler/simulate/codes.h"
#include "compiler/text/amounts.h"

namespace tilewright::run {
namespace {

std::string comparison_text(const Report& r, std::size_t i, const Comparison& c, std::string_view when = {}) {
  return std::string(when) + std::to_string(c.mismatches) + " of " + std::to_string(c.elements) + " elements of " +
         r.bound.tensors[i].name + " are not as expected (" + r.tensors[i].expected_from + "); the first, " +
         coordinate(r.bound.tensors[i], c.first) + ", is " + text::formatted("%g", c.got) + " instead of " +
         text::formatted("%g", c.expected);
}

}  // namespace

std::vector<std::int64_t> index_of(const BoundTensor& tensor, std::int64_t number) {
  const std::size_t rank = tensor.shape.size();
  std::vector<std::int64_t> index(rank);
  if (tensor.compact) {
    for (std::size_t i = rank; i-- > 0;) {
      const std::int64_t extent = std::max<std::int64_t>(tensor.shape[i], 1);
      index[i] = number % extent;
      number /= extent;
    }
    return index;
  }
  if (tensor.strides.size() != rank || number < tensor.first) return {};
  // The widest first: what is left over lies in the next.
  std::vector<std::size_t> widest(rank);
  std::iota(widest.begin(), widest.end(), 0u);
  std::ranges::stable_sort(widest, std::greater(), [&](std::size_t i) { return tensor.strides[i]; });
  std::int64_t rest = number - tensor.first;
  for (std::size_t i : widest) {
    if (tensor.strides[i] == 0) continue;
    index[i] = std::min(rest / tensor.strides[i], tensor.shape[i] - 1);
    rest -= index[i] * tensor.strides[i];
  }
  return rest == 0 ? index : std::vector<std::int64_t>();
}

std::string coordinate(const BoundTensor& tensor, std::int64_t number) {
  const std::vector<std::int64_t> index = index_of(tensor, number);
  if (tensor.shape.empty()) return "[0]";
  if (index.empty()) return "element " + std::to_string(number) + " of its storage";
  std::string out;
  for (std::int64_t i : index) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return "[" + out + "]";
}

bool Report::verified() const {
  bool any = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (bound.tensors[i].role == Role::Input) continue;
    if (!tensors[i].comparison) return false;
    any = true;
  }
  return any && problems.empty();
}

bool Report::only_zeros() const {
  bool read = false, compared = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const JobBuffer& buffer = bound.job.buffers[i];
    if (buffer.role != Role::Input && !tensors[i].zeros) return false;
    compared = compared || buffer.role != Role::Input;
    if (buffer.role == Role::Output || buffer.contents.empty()) continue;
    read = true;
    const std::string_view found(buffer.contents.data(), buffer.contents.size());
    if (!std::ranges::all_of(found, [](char byte) { return byte == 0; })) return false;
  }
  return read && compared;
}

std::string_view Report::verdict() const {
  if (!problems.empty()) return "failed";
  if (outcome.status == Status::Incomplete) return "incomplete";
  if (!outcome.findings.empty()) return "review";
  if (!silenced.empty()) return "silenced";
  if (!verified()) return "unverified";
  return outcome.part.empty() ? "verified" : "partial";
}

namespace {

// The place, or of what the prelude does, the innermost call that led there from elsewhere.
ir::Origin outside_of_prelude(ir::Origin origin, const text::Anchors& anchors) {
  auto in_prelude = [&](text::Span span) {
    const text::Anchors::Place place = anchors.resolve(span);
    return place.source && place.source->path().starts_with("prelude/");
  };
  while (origin.chain && in_prelude(origin.span)) origin = {origin.chain->span, origin.chain->outer};
  return origin;
}

}  // namespace

text::Diagnostic diagnostic_of(const simulate::Finding& f, const text::Anchors& anchors) {
  text::Diagnostic d;
  d.code = f.code;
  d.severity = f.severity == simulate::Severity::Error ? text::Severity::Error : text::Severity::Warning;
  d.message = f.message;
  auto three = [](const std::array<std::int64_t, 3>& at) {
    return std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]);
  };
  if (f.code == simulate::code::kStepLimit) d.hint = "a loop may not end; more steps are allowed with --steps N";
  // Who showed it is no hint: it stands behind the message.
  if (f.severity != simulate::Severity::Incomplete) {
    d.message += f.thread >= 0 ? " (thread " + std::to_string(f.thread) + " of CTA (" + three(f.cta) + ")"
                               : " (CTA (" + three(f.cta) + ")";
    d.message += f.times > 1 ? "; " + std::to_string(f.times) + " times)" : ")";
    d.hint = f.hint;
  }
  for (const simulate::Finding::Related& r : simulate::related_as_told(f))
    d.related.push_back({outside_of_prelude(r.origin, anchors).span, r.message});
  const ir::Origin origin = outside_of_prelude(f.origin, anchors);
  d.span = origin.span;
  d.chain = ir::call_chain(origin.chain);
  return d;
}

// A cold launch has to fetch its inputs from memory; of what it writes the cache may keep as much as it holds.
Timing timing_of(const Report& r) {
  Timing t;
  const Measured& m = r.outcome.measured;
  t.cold = spread_of(m.cold);
  t.hot = spread_of(m.hot);
  std::int64_t read = 0, written = 0;
  for (std::size_t i = 0; i < r.bound.job.buffers.size(); ++i) {
    const JobBuffer& b = r.bound.job.buffers[i];
    if (b.role == Role::Input) read += b.bytes;
    if (b.role == Role::Output) written += b.bytes - r.outcome.buffers[i].unwritten;
  }
  t.bytes = read + written;
  if (r.device.bandwidth > 0) {
    double moved = static_cast<double>(read + std::max<std::int64_t>(0, written - r.device.l2_bytes));
    t.floor = moved / r.device.bandwidth * 1e6;
    t.suspect = t.cold.median < t.floor;
  }
  if (!m.copy.empty()) {
    t.copy = spread_of(m.copy);
    const double copied = 2 * static_cast<double>(r.bound.job.copy_bytes);
    if (t.cold.median > 0 && copied > 0)
      t.fraction = static_cast<double>(t.bytes) / t.cold.median / (copied / t.copy->median);
  }
  if (!m.rival_cold.empty()) {
    t.rival = {spread_of(m.rival_cold), spread_of(m.rival_hot), contest(m.cold, m.rival_cold),
               contest(m.hot, m.rival_hot)};
  }
  return t;
}

namespace {

// What makes times worth less than they look.
void judge_timing(Report& r) {
  const Measured& m = r.outcome.measured;
  if (!r.timing->cold.stable && m.cold.size() >= 5)
    r.notes.push_back("the times scatter or drift: a fifth is below " + text::formatted("%.2f", r.timing->cold.p20) +
                      " us, and a fifth above " + text::formatted("%.2f", r.timing->cold.p80));
  if (is_throttled(m.conditions.reasons)) {
    std::string why;
    for (const std::string& word : throttle_words(m.conditions.reasons)) why += (why.empty() ? "" : ", ") + word;
    r.notes.push_back("the device was slowed down while it was measured: " + why);
  }
  if (m.persisting)
    r.notes.push_back(std::to_string(m.persisting) +
                      " bytes of L2 are set aside for accesses that persist: what a launch left there was released "
                      "before each measurement");
  if (m.rival_differs)
    r.notes.push_back(std::to_string(m.rival_differs) + " bytes are not what " + r.rival +
                      " leaves of the same inputs");
}

// Of a timed launch: what it left is not what the same kernels leave that have not run before.
void judge_timed_results(Report& r) {
  auto problem = [&](bool of_rival, std::string what) {
    if (of_rival) r.rival_problems.push_back(r.rival + ": " + what);
    r.problems.push_back(of_rival ? r.rival_problems.back() : std::move(what));
  };
  for (std::size_t i = 0; i < r.outcome.buffers.size(); ++i) {
    const std::optional<Comparison>& c = r.tensors[i].alone;
    if (!c || !c->mismatches) continue;
    problem(r.outcome.buffers[i].of_rival,
            "a timed launch left " + std::to_string(c->mismatches) + " of " + std::to_string(c->elements) +
                " elements of " + r.bound.tensors[i].name +
                " otherwise than the same kernel loaded again; the first, " + coordinate(r.bound.tensors[i], c->first) +
                ", is " + text::formatted("%g", c->got) + " instead of " + text::formatted("%g", c->expected) +
                ": a launch has to compute its results from its own inputs, whatever ran before");
  }
  // Atomics may add in another order each time. What differs in most launches, and never between two that are first,
  // is another computation.
  constexpr int kEnough = 6;
  const Measured& m = r.outcome.measured;
  const int each = (m.checked - 1) / (r.bound.job.rivals.empty() ? 1 : 2);
  for (const bool of_rival : {false, true}) {
    const int otherwise = of_rival ? m.rival_otherwise : m.otherwise;
    if (otherwise < kEnough || 2 * otherwise < each) continue;
    problem(of_rival, std::to_string(otherwise) + " of " + std::to_string(each) +
                          " timed launches left other bytes than the same kernel loaded again, which always leaves "
                          "the same: it computes something else once it has run");
  }
  // Where a result is one of a million elements, another one is close to it: few of them differ by more than a
  // tolerance, so bytes count.
  const int told = std::max(2, (3 * m.mixed + 7) / 8);
  for (const bool of_rival : {false, true}) {
    const int mixed = of_rival ? m.rival_mixed_otherwise : m.mixed_otherwise;
    if (mixed < told) continue;
    problem(of_rival,
            std::to_string(mixed) + " of " + std::to_string(m.mixed) +
                " launches with some elements of the inputs in the place of others left other bytes than the same "
                "kernel loaded again, which always leaves the same: a launch has to compute its results from "
                "its own inputs, whatever ran before");
  }
}

// The end of the last launch has to be the end of all work.
void judge_work_beyond(Report& r) {
  constexpr double kLeast = 50, kPart = 0.1;  // microseconds; of the time
  const double beyond = r.outcome.measured.beyond;
  if (beyond < kLeast || beyond < kPart * r.timing->cold.median) return;
  r.problems.push_back("the device worked for " + text::formatted("%.0f", beyond) +
                       " us after the end of a launch, which is not in the times");
}

}  // namespace

void judge(Report& r) {
  if (r.outcome.status != Status::Done) {
    (r.outcome.status == Status::Incomplete ? r.notes : r.problems).push_back(r.outcome.message);
    if (r.outcome.status == Status::Timeout && r.bound.job.repeats > 0)
      r.notes.push_back(
          "all launches together have this time: more of it with --deadline SECONDS, fewer of them with --repeat" +
          (r.bound.job.rivals.empty() ? std::string() : "; " + r.rival + " is launched as often"));
    return;
  }
  for (const simulate::Finding& f : r.outcome.findings) {
    if (f.severity != simulate::Severity::Error) continue;
    r.problems.push_back(f.message);
    break;
  }
  for (const Report::Silenced& s : r.silenced)
    r.notes.push_back("silenced: " + std::string(s.finding.code) + ": " + s.finding.message + " (" + s.reason + ")");
  if (!r.outcome.part.empty())
    r.notes.push_back("only " + r.outcome.part + " ran; what others would write is not checked");
  for (std::size_t i = 0; i < r.outcome.buffers.size(); ++i) {
    const BufferOutcome& b = r.outcome.buffers[i];
    const JobBuffer& buffer = r.bound.job.buffers[i];
    if (b.guard_damage) {
      std::string where = b.guard_first < 0 ? std::to_string(-b.guard_first) + " bytes before its start"
                                            : std::to_string(b.guard_first - buffer.bytes) + " bytes after its end";
      r.problems.push_back(std::to_string(b.guard_damage) + " bytes were written outside of " + buffer.name +
                           ", the first " + where);
    }
    if (b.changed)
      r.problems.push_back(std::to_string(b.changed) + " bytes of " + buffer.name + " changed, which is only read");
    if (r.tensors[i].comparison && r.tensors[i].comparison->mismatches)
      r.problems.push_back(comparison_text(r, i, *r.tensors[i].comparison));
    if (r.tensors[i].later && r.tensors[i].later->mismatches && !r.tensors[i].comparison->mismatches)
      r.problems.push_back(comparison_text(r, i, *r.tensors[i].later, "after timed launches "));
    if (r.tensors[i].schedule && r.tensors[i].schedule->mismatches && !r.tensors[i].comparison->mismatches)
      r.problems.push_back(comparison_text(r, i, *r.tensors[i].schedule, "in another schedule ") +
                           "; where any order of the elements is right, the run comment says expected=unordered(" +
                           buffer.name + ")");
    if (b.unwritten)
      r.notes.push_back(std::to_string(b.unwritten) + " of " + std::to_string(buffer.bytes) + " bytes of " +
                        buffer.name + " were never written");
    if (b.unstable)
      r.notes.push_back(buffer.name + " is not the same after each launch (" + std::to_string(b.unstable) +
                        " bytes differ)");
  }
  if (r.only_zeros())
    r.notes.emplace_back(
        "all inputs are zeros, and so is all that is expected: a kernel that writes zeros passes as well; without "
        "--input random numbers are drawn");
  if (r.timing && r.timing->suspect)
    r.notes.push_back("suspect: " + text::formatted("%.2f", r.timing->cold.median) + " us is less than the " +
                      text::formatted("%.2f", r.timing->floor) +
                      " us that memory needs for these bytes; does the kernel read all of its inputs?");
  if (!r.timing) return;
  judge_timed_results(r);
  judge_work_beyond(r);
  judge_timing(r);
}

}  // namespace tilewright::run
