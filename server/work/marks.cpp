#include "server/work/marks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace tilewright::work {
namespace {

using simulate::TimelineEvent;

double median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return times[times.size() / 2];
}

// A warp's memory (compiler/cuda/marks.h).
struct Warp {
  std::uint32_t place = 0, cta = 0, warp = 0, sm = 0;  // place: among the CTAs that record
  std::uint64_t timer = 0, clock = 0, end_timer = 0, end_clock = 0;
  std::uint64_t left_out = 0;
  std::vector<std::uint64_t> marks;  // in order
};

std::uint64_t word_at(const std::string& bytes, std::size_t word) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data() + word * sizeof out, sizeof out);
  return out;
}

std::vector<Warp> warps_of(const cuda::MarkedSource& source, const std::string& bytes) {
  std::vector<Warp> out;
  if (bytes.size() < static_cast<std::size_t>(source.words()) * sizeof(std::uint64_t)) return out;
  for (std::uint32_t i = 0; i < source.ctas * source.warps; ++i) {
    const std::size_t base = static_cast<std::size_t>(i) * (cuda::kMarkHeader + source.events);
    const std::uint64_t sm = word_at(bytes, base + 5), counts = word_at(bytes, base + 4), most = source.events;
    const std::uint64_t now = std::min(counts & 0xFFFF, most), before = std::min(counts >> 16 & 0xFFFF, most);
    if (sm == 0) continue;  // there was no such CTA
    Warp& w = out.emplace_back();
    w.place = i / source.warps;
    w.cta = static_cast<std::uint32_t>(sm >> 32);
    w.warp = i % source.warps;
    w.sm = static_cast<std::uint32_t>(sm) - 1;
    w.timer = word_at(bytes, base);
    w.clock = word_at(bytes, base + 1);
    w.end_timer = word_at(bytes, base + 2);
    w.end_clock = word_at(bytes, base + 3);
    w.left_out = (counts >> 32) - std::min(counts >> 32, before > now ? before - now : 0);
    for (std::uint64_t k = now; k < before; ++k) w.marks.push_back(word_at(bytes, base + cuda::kMarkHeader + k));
    for (std::uint64_t k = 0; k < now; ++k) w.marks.push_back(word_at(bytes, base + cuda::kMarkHeader + k));
  }
  return out;
}

// The primitives of "max, fma, exp2", or of "copy -> tma".
void add_names(std::set<std::string>& to, std::string_view marked) {
  marked = marked.substr(0, marked.find(" -> "));
  while (!marked.empty()) {
    const std::size_t end = std::min(marked.find(", "), marked.size());
    to.emplace(marked.substr(0, end));
    marked.remove_prefix(std::min(end + 2, marked.size()));
  }
}

class Reading {
 public:
  explicit Reading(const RunAnswer& answer) : answer_(answer) {}

  MarksAnswer run() {
    const run::MarkRecord& record = answer_.report.outcome.marks;
    out_.plain = median(record.plain);
    out_.marked = median(record.marked);
    const std::size_t launches = std::min(record.bytes.size(), answer_.marked.size());
    std::vector<std::vector<Warp>> all;
    for (std::size_t i = 0; i < launches; ++i) all.push_back(warps_of(answer_.marked[i], record.bytes[i]));
    for (const auto& warps : all) {
      for (const Warp& w : warps) {
        begin_ = std::min(begin_, w.timer);
        // The longest that a warp ran tells best how fast clocks are.
        if (w.end_timer > w.timer && w.end_timer - w.timer > longest_ && w.end_clock > w.clock) {
          longest_ = w.end_timer - w.timer;
          per_nanosecond_ = static_cast<double>(w.end_clock - w.clock) / static_cast<double>(longest_);
        }
      }
    }
    for (std::size_t i = 0; i < launches && per_nanosecond_ > 0; ++i) launch(i, all[i]);
    for (std::size_t i = 0; i < launches; ++i) {
      if (all[i].empty()) continue;
      const std::uint64_t began = ~word_at(record.bytes[i], 6), ended = word_at(record.bytes[i], 7);
      if (ended > began) out_.spanned += static_cast<double>(ended - began) / 1000;
    }
    return std::move(out_);
  }

 private:
  // The clocks of an SM are those of all its warps; the device's timer, which is coarser, tells SMs apart.
  struct Base {
    std::uint64_t timer, clock;
  };

  void launch(std::size_t launch, const std::vector<Warp>& warps) {
    std::map<std::uint32_t, Base> bases;
    for (const Warp& w : warps) {
      const auto [at, fresh] = bases.try_emplace(w.sm, Base{w.timer, w.clock});
      if (!fresh && w.clock < at->second.clock) at->second = {w.timer, w.clock};
    }
    std::set<std::uint32_t> named;
    for (const Warp& w : warps) {
      const std::uint32_t process = process_of(launch, w.place);
      if (named.insert(w.place).second) name(process, w, launch);
      track(launch, process, w, bases.at(w.sm));
    }
    out_.ctas += static_cast<std::uint32_t>(named.size());
    out_.timeline.processes += static_cast<std::uint32_t>(named.size());
  }

  static std::uint32_t process_of(std::size_t launch, std::uint32_t place) {
    constexpr std::uint32_t kCtas = 1000;
    return static_cast<std::uint32_t>(launch) * kCtas + place;
  }

  void name(std::uint32_t process, const Warp& w, std::size_t launch) {
    std::string words = "CTA " + std::to_string(w.cta) + " on SM " + std::to_string(w.sm);
    if (answer_.marked.size() > 1) words += " of " + answer_.report.bound.job.launches[launch].symbol;
    out_.timeline.names.push_back({process, -1, std::move(words)});
  }

  std::uint64_t time(const Base& base, std::uint64_t clock) const {
    const double since = static_cast<double>(static_cast<std::int64_t>(clock - base.clock)) / per_nanosecond_;
    const double all = static_cast<double>(base.timer - begin_) + since;
    return all > 0 ? static_cast<std::uint64_t>(all) : 0;
  }

  void track(std::size_t launch, std::uint32_t process, const Warp& w, const Base& base) {
    const std::vector<cuda::Mark>& marks = answer_.marked[launch].marks;
    std::set<std::string> does;
    std::uint64_t clock = w.clock;
    std::vector<std::uint32_t> open;
    for (const std::uint64_t v : w.marks) {
      clock += static_cast<std::uint32_t>(static_cast<std::uint32_t>(v) - static_cast<std::uint32_t>(clock));
      const auto word = static_cast<std::uint32_t>(v >> 32);
      const std::uint32_t which = (word & 0xFFFF & ~cuda::kMarkCloses) / 2;
      if (which >= marks.size()) continue;
      if ((word & cuda::kMarkCloses) && !open.empty()) {
        event(TimelineEvent::Kind::End, process, w, time(base, clock), {}, marks[open.back()]);
        open.pop_back();
      }
      const cuda::Mark& mark = marks[which];
      ++out_.marks;
      if (word % 2 == 0) {
        open.push_back(which);
        std::string text = mark.name;
        if (mark.staged) text += "[" + std::to_string(word >> 16) + "]";
        if (!mark.waits) add_names(does, mark.name);
        event(TimelineEvent::Kind::Begin, process, w, time(base, clock), text, mark);
      } else if (!open.empty() && open.back() == which) {
        open.pop_back();
        event(TimelineEvent::Kind::End, process, w, time(base, clock), {}, mark);
      }
    }
    const std::uint64_t end = time(base, w.end_clock > w.clock ? w.end_clock : clock);
    for (; !open.empty(); open.pop_back()) event(TimelineEvent::Kind::End, process, w, end, {}, marks[open.back()]);
    std::string words = "warp " + std::to_string(w.warp);
    for (const std::string& one : does) words += (&one == &*does.begin() ? ": " : ", ") + one;
    out_.timeline.names.push_back({process, static_cast<int>(w.warp), std::move(words)});
    out_.timeline.left_out += w.left_out / 2;
  }

  void event(TimelineEvent::Kind kind, std::uint32_t process, const Warp& w, std::uint64_t time, std::string name,
             const cuda::Mark& mark) {
    TimelineEvent& e = out_.timeline.events.emplace_back();
    e.kind = kind;
    e.process = process;
    e.track = w.warp;
    e.time = time;
    e.name = std::move(name);
    e.origin = mark.origin;
  }

  const RunAnswer& answer_;
  MarksAnswer out_;
  std::uint64_t begin_ = ~std::uint64_t{0}, longest_ = 0;
  double per_nanosecond_ = 0;
};

}  // namespace

MarksAnswer marks_of(const RunAnswer& answer) { return Reading(answer).run(); }

}  // namespace tilewright::work
