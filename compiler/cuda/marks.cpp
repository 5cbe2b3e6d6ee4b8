#include "compiler/cuda/marks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "compiler/ir/origin.h"

namespace tilewright::cuda {
namespace {

constexpr std::uint32_t kMostCtas = 16, kRing = 4096, kMostWords = 1 << 21, kMostMarks = 1 << 14;
// Of more CTAs than this, those that do not record have the kernel's own statements, without marks.
constexpr std::uint64_t kManyCtas = 1024;

// Helpers whose call waits for others, by a part of their names.
constexpr std::string_view kWaits[] = {"mbarrier_try_wait", "mbarrier_wait", "wait_group",   "__syncthreads",
                                       "warpgroup_sync",    "cta_sync",      "bar_sync",     "cluster_sync",
                                       "cluster_wait",      "grid_sync",     "tcgen05_wait", "griddepcontrol_wait"};

std::string_view trimmed(std::string_view s) {
  s.remove_prefix(std::min(s.find_first_not_of(" \t"), s.size()));
  return s;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// "// copy -> ldstmatrix: ...": what the emitter writes above a tile primitive.
std::string_view announced(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("// ")) return {};
  line.remove_prefix(3);
  const std::string_view head = line.substr(0, line.find(':'));
  return head.size() < line.size() && head.find(" -> ") != head.npos ? head : std::string_view();
}

// How far the braces of a line open and close, without those of comments and strings.
struct Braces {
  int least = 0, after = 0;  // relative to the line's begin
};
Braces braces_of(std::string_view line) {
  Braces out;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '/' && line.substr(i).starts_with("//")) {
      break;
    } else if (c == '{') {
      ++out.after;
    } else if (c == '}') {
      out.least = std::min(out.least, --out.after);
    }
  }
  return out;
}

// The call of a helper that is a whole statement in its line: its name and its arguments.
struct Called {
  std::string_view name, arguments;
};
std::optional<Called> call_in(std::string_view line) {
  line = trimmed(line);
  const std::size_t open = line.find('(');
  if (open == line.npos || !line.ends_with(");")) return std::nullopt;
  const std::string_view name = line.substr(0, open);
  const bool plain = !name.empty() &&
                     std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; });
  if (!plain || name == "if" || name == "for" || name == "while" || name == "switch") return std::nullopt;
  return Called{name, line.substr(open + 1, line.size() - open - 3)};
}

// "&ring_full_buf[stage], phase": the name and the index of its first argument.
struct Element {
  std::string_view name, index;
};
std::optional<Element> element_in(std::string_view arguments) {
  if (!arguments.starts_with('&')) return std::nullopt;
  const std::size_t open = arguments.find('[');
  if (open == arguments.npos) return std::nullopt;
  const std::string_view name = arguments.substr(1, open - 1);
  if (!std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; })) return std::nullopt;
  int depth = 0;
  for (std::size_t i = open; i < arguments.size(); ++i) {
    depth += arguments[i] == '[' ? 1 : arguments[i] == ']' ? -1 : 0;
    if (depth == 0) return Element{name, arguments.substr(open + 1, i - open - 1)};
  }
  return std::nullopt;
}

class Marker {
 public:
  Marker(const CudaSource& source, const lower::LoweredKernel& kernel, std::int64_t threads, std::uint64_t ctas)
      : source_(source), lines_(lines_of(source.text)), symbol_(kernel.symbol), many_(ctas > kManyCtas) {
    out_.warps = static_cast<std::uint32_t>((threads + 31) / 32);
  }

  std::optional<MarkedSource> run() {
    const std::size_t open = opening();
    if (open == lines_.size()) return std::nullopt;
    int depth = braces_of(lines_[open]).after;
    std::size_t close = open + 1;
    for (; close < lines_.size() && depth + braces_of(lines_[close]).after > 0; ++close)
      depth += braces_of(lines_[close]).after;
    if (close >= lines_.size()) return std::nullopt;
    add(lines_[open]);
    add("  unsigned tilewright_on, tilewright_at = 0;");
    add("  unsigned long long* tilewright_to = tilewright_marks_begin(tilewright_on);");
    const std::size_t begin = many_ ? apart(open + 1, close) : close;
    if (begin < close) add("  if (tilewright_place() < " + std::to_string(kMostCtas) + "u) {");
    for (std::size_t i = begin < close ? begin : open + 1; i < close;) i = statement(i, close);
    if (begin < close) {
      add("  } else {");
      for (std::size_t i = begin; i < close; ++i) unmarked(lines_[i]);
      add("  }");
    }
    add("  tilewright_marks_end(tilewright_to, tilewright_at, tilewright_on);");
    for (std::size_t i = close; i < lines_.size(); ++i) add(lines_[i]);
    if (!make_room()) return std::nullopt;
    const std::string body = std::exchange(out_.text, {});
    for (std::size_t i = 0; i < open; ++i) add(lines_[i]);
    out_.text += preamble() + body;
    return std::move(out_);
  }

 private:
  // As many CTAs as there is room for: each warp has its events, and behind them what comes before it looks whether the
  // ring is full, at most one pass over all marks.
  bool make_room() {
    out_.events = kRing + 2 * static_cast<std::uint32_t>(out_.marks.size());
    out_.ctas = 1;
    out_.ctas = std::min(kMostCtas, kMostWords / out_.words());
    return out_.ctas > 0;
  }

  void add(std::string_view line) { out_.text.append(line).push_back('\n'); }

  // Declarations of shared memory, which both copies of the body use, and the first line behind them. `close`: there
  // are more of them further on, and the body stays one.
  std::size_t apart(std::size_t from, std::size_t close) {
    std::size_t begin = from;
    for (std::size_t i = from; i < close; ++i)
      if (lines_[i].find("__shared__") != std::string_view::npos) begin = i + 1;
    int depth = 0;
    for (std::size_t i = from; i < begin; ++i) depth += braces_of(lines_[i]).after;
    if (depth != 0) return close;
    for (std::size_t i = from; i < begin; ++i) add(lines_[i]);
    return begin;
  }

  void unmarked(std::string_view line) {
    if (trimmed(line) == "return;") add("  tilewright_marks_end(tilewright_to, tilewright_at, tilewright_on);");
    add(line);
  }

  // The line that opens the kernel's body.
  std::size_t opening() const {
    const std::string head = symbol_ + "(";
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].find("__global__") != std::string_view::npos && lines_[i].find(head) != std::string_view::npos &&
          lines_[i].ends_with('{'))
        return i;
    return lines_.size();
  }

  const LineOrigin* origin_at(std::size_t i) const {
    const auto line = static_cast<std::uint32_t>(i + 1);
    const auto it = std::ranges::lower_bound(source_.lines, line, {}, &LineOrigin::line);
    return it != source_.lines.end() && it->line == line ? &*it : nullptr;
  }

  // The statement at `i`, with marks where it wants them; the line behind it.
  std::size_t statement(std::size_t i, std::size_t close) {
    const std::string_view line = lines_[i];
    const bool room = out_.marks.size() < kMostMarks;
    if (const auto stretch = room ? stretch_at(i, close) : std::nullopt) {
      around(i, stretch->end, {stretch->name, false, false, stretch->origin}, {});
      return stretch->end;
    }
    if (const std::string_view what = announced(line); !what.empty()) {
      const std::size_t end = end_of_primitive(i, close);
      if (end == i + 1 || !room) {
        ++out_.left_out;
        add(line);
        return i + 1;
      }
      around(i, end, {std::string(what), false, false, origin_of(i)}, {});
      return end;
    }
    if (const auto call = wait_in(line); call && room) {
      around(i, i + 1, wait_of(*call, i), stage_of(*call));
      return i + 1;
    }
    unmarked(line);
    if (opens_loop(line)) return loop(i, close);
    return i + 1;
  }

  static std::optional<Called> wait_in(std::string_view line) {
    auto call = call_in(line);
    if (!call || braces_of(line).after != 0) return std::nullopt;
    const bool waits =
        std::ranges::any_of(kWaits, [&](std::string_view w) { return call->name.find(w) != call->name.npos; });
    return waits ? call : std::nullopt;
  }

  // Of primitives that work in registers, "max -> local", a thread's instructions are mixed by the compiler; a mark
  // between two of them would keep them apart, and the kernel would no longer be the one that is measured.
  static bool in_registers(std::string_view what) { return what.ends_with("-> reg") || what.ends_with("-> local"); }

  // Such primitives that follow each other, with what is between them, as one stretch.
  struct Stretch {
    std::size_t end = 0;
    std::string name;
    ir::Origin origin;
  };
  std::optional<Stretch> stretch_at(std::size_t i, std::size_t close) const {
    const bool loop = opens_loop(lines_[i]) ||
                      (trimmed(lines_[i]).starts_with("#pragma") && i + 1 < close && opens_loop(lines_[i + 1]));
    if (!loop && !in_registers(announced(lines_[i]))) return std::nullopt;
    std::size_t end = i;
    std::vector<std::size_t> found;
    for (std::size_t k = i; k < close;) {
      const std::string_view what = announced(lines_[k]);
      if (braces_of(lines_[k]).least < 0 || (!what.empty() && !in_registers(what))) break;
      const std::size_t next = what.empty() ? balanced_end(k, close) : end_of_primitive(k, close);
      const std::size_t before = found.size();
      if (!collect(k, next, found)) break;
      // The first statement has to be one of them, or a loop over them.
      if (found.empty() && !trimmed(lines_[k]).starts_with("#pragma")) break;
      if (found.size() > before && (what.empty() || next > k + 1)) end = next;
      k = next;
    }
    if (end == i) return std::nullopt;
    while (!found.empty() && found.back() >= end) found.pop_back();
    Stretch out{end, {}, origin_of(found.front())};
    std::vector<std::string_view> names;
    for (const std::size_t k : found) {
      std::string_view name = announced(lines_[k]);
      name = name.substr(0, name.find(" -> "));
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (names.size() == 1) out.name = announced(lines_[found.front()]);
    for (std::size_t k = 0; names.size() > 1 && k < names.size(); ++k) out.name.append(k ? ", " : "").append(names[k]);
    return out;
  }

  // The line behind the block that line `k` opens; behind `k`, if it opens none.
  std::size_t balanced_end(std::size_t k, std::size_t close) const {
    int depth = braces_of(lines_[k]).after;
    while (depth > 0 && ++k < close) depth += braces_of(lines_[k]).after;
    return std::min(k + 1, close);
  }

  // The primitives in registers of these lines. False: something else is done there, or they are left from within.
  bool collect(std::size_t from, std::size_t to, std::vector<std::size_t>& found) const {
    for (std::size_t k = from; k < to; ++k) {
      const std::string_view what = announced(lines_[k]), line = trimmed(lines_[k]);
      if (!what.empty() && !in_registers(what)) return false;
      if (!what.empty()) found.push_back(k);
      if (wait_in(line) || line == "return;" || line == "break;" || line == "continue;") return false;
    }
    return true;
  }

  static bool opens_loop(std::string_view line) {
    line = trimmed(line);
    return line.ends_with('{') &&
           (line.starts_with("for (") || line.starts_with("while (") || line.starts_with("do {"));
  }

  // A loop with marks looks at the begin of each round whether the ring is full. The line that closes the loop.
  std::size_t loop(std::size_t i, std::size_t close) {
    const std::size_t at = out_.text.size(), before = out_.marks.size();
    add("tilewright_marks_wrap(tilewright_to, tilewright_at, tilewright_on);");
    const std::size_t behind = out_.text.size();
    int depth = 1;
    std::size_t k = i + 1;
    while (k < close && depth + braces_of(lines_[k]).least > 0) {
      const std::size_t next = statement(k, close);
      for (; k < next; ++k) depth += braces_of(lines_[k]).after;
    }
    if (out_.marks.size() == before) out_.text.erase(at, behind - at);
    return k;
  }

  ir::Origin origin_of(std::size_t i) const {
    const LineOrigin* at = origin_at(i);
    return at ? at->origin : ir::Origin{};
  }

  // The lines of the primitive that line `i` announces end before the next announcement, the next statement of the
  // script, and the end of the block they are in.
  std::size_t end_of_primitive(std::size_t i, std::size_t close) const {
    const LineOrigin* own = origin_at(i);
    std::size_t end = i + 1;
    int depth = 0;
    for (std::size_t k = i + 1; k < close; ++k) {
      if (depth == 0) {
        const LineOrigin* at = origin_at(k);
        if (!announced(lines_[k]).empty() || (own && at && !ir::same_origin(own->origin, at->origin))) break;
      }
      const Braces braces = braces_of(lines_[k]);
      if (depth + braces.least < 0) break;
      depth += braces.after;
      if (depth == 0) end = k + 1;
    }
    return end;
  }

  static Mark wait_of(const Called& call, const ir::Origin& origin) {
    std::string name = "wait ";
    if (const auto element = element_in(call.arguments)) {
      name += element->name.ends_with("_buf") ? element->name.substr(0, element->name.size() - 4) : element->name;
      return {name, true, true, origin};
    }
    std::string_view helper = call.name == "__syncthreads" ? "cta_sync" : call.name;
    for (const std::string_view begin : {"tvm_builtin_", "ptx_", "cuda_"})
      if (helper.starts_with(begin)) helper.remove_prefix(begin.size());
    return {name.append(helper), true, false, origin};
  }
  Mark wait_of(const Called& call, std::size_t i) const { return wait_of(call, origin_of(i)); }

  static std::string_view stage_of(const Called& call) {
    const auto element = element_in(call.arguments);
    return element ? element->index : std::string_view();
  }

  // An end right before a begin is one mark, the begin's, which closes what is open.
  void around(std::size_t begin, std::size_t end, Mark mark, std::string_view stage) {
    const std::string indent(lines_[begin].substr(0, lines_[begin].find_first_not_of(" \t")));
    const std::size_t word = 2 * out_.marks.size();
    out_.marks.push_back(std::move(mark));
    auto put = [&](std::size_t what) {
      out_.text +=
          indent + "tilewright_mark(tilewright_to, tilewright_at, tilewright_on, " + std::to_string(what) + "u";
      if (!stage.empty()) out_.text += " | (unsigned)(" + std::string(stage) + ") << 16";
      out_.text += ");\n";
    };
    const bool closes = out_.text.size() == ended_.behind;
    if (closes) out_.text.resize(ended_.at);
    put(word | (closes ? kMarkCloses : 0));
    for (std::size_t i = begin; i < end; ++i) add(lines_[i]);
    ended_.at = out_.text.size();
    put(word + 1);
    ended_.behind = out_.text.size();
  }

  // The recording CTAs pay for their marks, the others for a test, or in a large grid for nothing. Of a grid that fits
  // on the device at once the last record: they have the least work where tiles are dealt out in turn, so that the run
  // takes as long as without marks. When the first CTA began and the last one ended is said by the first warp of the
  // CTAs that begin first, and by the warps of the two rounds that begin last: all of a large grid would wait for one
  // address.
  std::string preamble() const {
    std::string out = R"(__device__ unsigned long long tilewright_marks[@ALL@];
__forceinline__ __device__ unsigned long long tilewright_timer() {
  unsigned long long timer;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  return timer;
}
__forceinline__ __device__ unsigned long long tilewright_clock() {
  unsigned long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock) :: "memory");
  return clock;
}
__forceinline__ __device__ unsigned tilewright_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__forceinline__ __device__ unsigned tilewright_cta() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__forceinline__ __device__ unsigned tilewright_ctas() { return gridDim.x * gridDim.y * gridDim.z; }
__forceinline__ __device__ unsigned tilewright_sms() {
  unsigned sms;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
  return sms;
}
// The CTA's place among those that record.
__forceinline__ __device__ unsigned tilewright_place() {
  unsigned cta = tilewright_cta(), all = tilewright_ctas();
  return all <= tilewright_sms() ? all - 1 - cta : cta;
}
// Where this lane writes its marks, and whether it does: the first one of each warp of a CTA that records.
__forceinline__ __device__ unsigned long long* tilewright_marks_begin(unsigned& on) {
  on = 0;
  unsigned thread = tilewright_thread();
  if ((thread & 31u) != 0) return nullptr;
  unsigned cta = tilewright_cta(), place = tilewright_place(), sm;
  if (thread == 0 && cta < tilewright_sms()) atomicMax(&tilewright_marks[6], ~tilewright_timer());
  if (place >= @CTAS@u) return nullptr;
  unsigned long long* to = tilewright_marks + (place * @WARPS@u + (thread >> 5)) * @WORDS@u;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  to[5] = (unsigned long long)cta << 32 | (sm + 1);
  to[0] = tilewright_timer();
  to[1] = tilewright_clock();
  on = 1;
  return to + @HEADER@u;
}
__forceinline__ __device__ void tilewright_mark(unsigned long long*& to, unsigned& at, unsigned on, unsigned word) {
  if (on) *to = (unsigned long long)word << 32 | (unsigned)tilewright_clock();
  to += 1;
  at += 1;
}
// Begins the ring again where it is full, and keeps how far it went.
__forceinline__ __device__ void tilewright_marks_wrap(unsigned long long*& to, unsigned& at, unsigned on) {
  if (at < @RING@u) return;
  to -= at;
  if (on) {
    unsigned long long* count = to - @HEADER@u + 4;
    *count = (((*count >> 32) + at) << 32) | (at << 16);
  }
  at = 0;
}
__forceinline__ __device__ void tilewright_marks_end(unsigned long long* to, unsigned at, unsigned on) {
  if ((tilewright_thread() & 31u) == 0 && tilewright_ctas() - tilewright_cta() <= 2 * tilewright_sms())
    atomicMax(&tilewright_marks[7], tilewright_timer());
  if (on) {
    to -= at + @HEADER@u;
    to[2] = tilewright_timer();
    to[3] = tilewright_clock();
    to[4] |= at;
  }
}
)";
    const std::pair<std::string_view, std::uint32_t> numbers[] = {
        {"@ALL@", out_.words()},   {"@CTAS@", out_.ctas},
        {"@WARPS@", out_.warps},   {"@WORDS@", kMarkHeader + out_.events},
        {"@HEADER@", kMarkHeader}, {"@RING@", kRing}};
    for (const auto& [name, number] : numbers)
      for (std::size_t at; (at = out.find(name)) != out.npos;) out.replace(at, name.size(), std::to_string(number));
    return out;
  }

  const CudaSource& source_;
  std::vector<std::string_view> lines_;
  std::string symbol_;
  bool many_ = false;  // CTAs: see kManyCtas
  MarkedSource out_;
  // Where the text of the last end begins and ends.
  struct {
    std::size_t at = 0, behind = 0;
  } ended_;
};

}  // namespace

std::optional<MarkedSource> with_marks(const CudaSource& source, const lower::LoweredKernel& kernel,
                                       std::uint64_t ctas) {
  const std::optional<std::int64_t> threads = kernel.plan.launch.threads();
  if (!threads || *threads < 1 || *threads > 1024) return std::nullopt;
  return Marker(source, kernel, *threads, ctas).run();
}

}  // namespace tilewright::cuda
