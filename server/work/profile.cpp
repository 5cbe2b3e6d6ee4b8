#include "server/work/profile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "compiler/run/report.h"
#include "compiler/simulate/profile/details.h"
#include "compiler/text/amounts.h"
#include "server/project/codes.h"
#include "server/project/time_codes.h"
#include "server/work/tile_call.h"
#include "server/work/width_reason.h"

namespace tilewright::work {
namespace {

using simulate::ProfiledPlace;
using simulate::Traffic;

// An excess below this share of what would do, or below so many units, is no advice.
constexpr double kExcess = 0.25;
constexpr std::uint64_t kFewest = 8;
constexpr std::uint64_t kNarrow = 2, kWide = 16;  // bytes of a lane
constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint64_t kFewRequests = 64;
constexpr std::uint64_t kManyTurns = 4;     // of a request of atomic accesses, on average
constexpr std::uint64_t kSmallCopy = 1024;  // bytes; a copy of less costs about as much as one of these
constexpr std::uint64_t kCopyCost = 32;     // wavefronts that a copy costs, whatever its size

// The script's own line of a place, and the calls from there, the innermost last; nothing: it leads to no text.
struct Way {
  text::Anchors::Place at;
  text::Span span;
  std::vector<text::Span> chain;
  std::uint32_t line() const { return at.source->position(at.begin).line; }
};
std::optional<Way> way_of(const ir::Origin& origin, const script::Evaluation& evaluation) {
  const text::Source* script = evaluation.tree->source().get();
  Way out{evaluation.anchors.resolve(origin.span), origin.span, {}};
  for (const ir::CallSite* site = origin.chain; site && out.at.source != script; site = site->outer) {
    out.chain.insert(out.chain.begin(), out.span);
    out.span = site->span;
    out.at = evaluation.anchors.resolve(site->span);
  }
  if (!out.at.source) return std::nullopt;
  return out;
}

struct Advised {
  std::uint64_t gain = 0;
  text::Diagnostic diagnostic;
};

class Advice {
 public:
  Advice(const session::Compiled& compiled, const std::vector<LaidOut>& buffers,
         const simulate::DetailsByKernel& details, std::vector<Advised>& out)
      : compiled_(compiled), buffers_(buffers), details_(details), out_(out) {}

  void look_at(const ProfiledPlace& place) {
    conflicts(place, place.shared_read, place.conflicted_read, "reads of");
    conflicts(place, place.shared_write, place.conflicted_write, "writes to");
    scattered(place, place.global_read, "reads of");
    scattered(place, place.global_write, "writes to");
    narrow(place, place.global_read, "reads of");
    narrow(place, place.global_write, "writes to");
    small(place);
    collisions(place);
  }

  // Of a run that came to its end. A barrier that a CTA passes once costs little.
  void look_at(const simulate::SpareBarrier& barrier) {
    if (barrier.rounds < 2 || !is_written(barrier.origin)) return;
    tell(barrier.origin, barrier.times, project::kSpareBarrierCode,
         "this barrier orders nothing between the warps of a CTA in this run: what one of them accesses before it, no "
         "other one accesses between it and the next barrier, unless both read; CTAs passed it " +
             text::counted(barrier.times, "time"),
         barrier.of_warps ? "lanes of one warp alone exchange data here: a barrier of the warp would do"
                          : "leave it out, and let `tilewright run --on sim` look for races; other inputs may need it");
  }

  // `all`: requests of the kernel. `reads_global`: its copies access global memory.
  void look_at(const simulate::OddRequests& odd, std::uint64_t all, bool reads_global) {
    // A store of a lane to another CTA (st.async) has up to 16 bytes.
    if (odd.sent > 16 * odd.copies && !reads_global)
      small(odd.origin, odd.copies, odd.sent,
            "a bulk copy takes all bytes that follow each other in both CTAs, so let rows follow each other without a "
            "gap, or have the same swizzle on both sides");
    if (!is_written(odd.origin)) return;
    repeated(odd);
    const std::uint64_t fewer = (odd.lanes + 31) / 32;
    if (odd.scattered < kFewRequests || 10 * odd.scattered < all || odd.lanes > 16 * odd.scattered) return;
    tell(odd.origin, odd.scattered - fewer, project::kScatteredLanesCode,
         text::formatted("%.1f", static_cast<double>(odd.lanes) / static_cast<double>(odd.scattered)) +
             " of a warp's 32 lanes access memory here, with idle lanes between them: " + grouped(odd.scattered) +
             " requests of warps where " + grouped(fewer) + " of whole warps would do",
         "let the threads that work be neighbours, `t < n` instead of `t % step == 0`: whole warps then work, and the "
         "others skip the branch");
  }

 private:
  // The script's author can change it: no tile primitive emits it, and no function of a library.
  bool is_written(const ir::Origin& origin) const {
    const auto way = way_of(origin, *compiled_.evaluation);
    return way && way->chain.empty() && !tile_call(origin);
  }

  static bool much(const Traffic& t) {
    return t.units >= t.ideal + kFewest && static_cast<double>(t.units) >= (1 + kExcess) * static_cast<double>(t.ideal);
  }

  // Most of its excess is of requests that begin in the middle of a sector.
  static bool is_shifted(const Traffic& t) { return 2 * t.shifted >= t.units - t.ideal; }

  void conflicts(const ProfiledPlace& place, const Traffic& t, const ir::Buffer* buffer, const char* what) {
    if (!much(t)) return;
    tell(place.origin, t.units - t.ideal, project::kConflictsCode,
         std::string(what) + " shared memory take " + grouped(t.units) + " wavefronts here, without bank conflicts " +
             grouped(t.ideal) + " would do; one request takes up to " + grouped(t.worst),
         better_layout(buffer, t));
  }

  void scattered(const ProfiledPlace& place, const Traffic& t, const char* what) {
    // What begins in the middle of a sector shares its ends with other requests, and finds them in a cache most often.
    if (!much(t) || (is_shifted(t) && 4 * t.units <= 5 * t.ideal)) return;
    tell(place.origin, 2 * (t.units - t.ideal), project::kScatteredCode,
         std::string(what) + " global memory touch " + grouped(t.units) + " sectors of 32 bytes here, and " +
             grouped(t.ideal) + " hold the bytes that are asked for",
         gathered(place, t));
  }

  // What brings the bytes of a request together.
  std::string gathered(const ProfiledPlace& place, const Traffic& t) const {
    if (is_shifted(t))
      return "the bytes of each request follow each other, and begin at multiples of " +
             text::counted(t.aligned(kSectorBytes), "byte") +
             " where a sector begins at multiples of 32: let rows be " +
             "multiples of 32 bytes long, and begin at the start of a sector, where they can";
    if (tile_call(place.origin))
      return "the layout of the tile decides which lane accesses what: let neighbouring lanes hold neighbouring "
             "elements, or go through shared memory";
    if (is_gather(place, t))
      return "the lanes' addresses follow no pattern (indices from memory): sort or group the indices, so that "
             "neighbouring lanes access one sector, or gather from shared memory";
    const std::uint64_t touched = std::bit_ceil(t.units * kSectorBytes / t.lanes);
    return "let neighbouring lanes access neighbouring elements: the lane's number belongs into the last index, or go "
           "through shared memory" +
           (touched <= kWide ? "; where the bytes in between are wanted, too, let each lane access " +
                                   text::counted(touched, "byte") + " at once"
                             : std::string());
  }

  bool is_gather(const ProfiledPlace& place, const Traffic& t) const {
    std::uint64_t irregular = 0;
    for (const auto& [kernel, found] : details_)
      for (const auto& [number, odd] : found.odd)
        if (ir::same_origin(odd.origin, place.origin)) irregular += odd.irregular;
    return 4 * irregular >= t.requests;
  }

  void narrow(const ProfiledPlace& place, const Traffic& t, const char* what) {
    if (t.requests < kFewest * kWide || (much(t) && !is_shifted(t))) return;
    const std::uint64_t of_lane = t.bytes / t.lanes;
    if (of_lane == 0 || of_lane > kNarrow || 64 * t.ideal < t.bytes) return;  // the last: lanes share their bytes
    const dispatch::CallReport* call = tile_call(place.origin);
    const std::string why = call ? width_reason(*call) : std::string();
    // Where a copy says what has to change, that makes room for the widest; else the accesses stay where they are.
    const std::uint64_t wide = why.empty() ? t.aligned(kWide) : kWide;
    if (wide <= of_lane) return;
    const std::uint64_t fewer = t.requests * of_lane / wide;
    tell(place.origin, t.requests - fewer, project::kNarrowCode,
         std::string(what) + " global memory move " + text::counted(of_lane, "byte") +
             " a lane and instruction here: " + grouped(t.requests) + " requests of warps where " + grouped(fewer) +
             " of " + text::counted(wide, "byte") + " a lane would do",
         !why.empty() ? "the copy moves " + why
         : call ? "the layout of the tile decides how many elements a lane moves at once: let each lane hold neighbours"
                : "each lane accesses one element at a time: let it access " + text::counted(wide, "byte") +
                      " of neighbouring elements at once, by a copy (Tx.copy) or a vectorized loop");
  }

  // Bulk and tensor copies: a thread issues each, and the engine takes them one after the other.
  void small(const ProfiledPlace& place) {
    if (place.copied_global)
      small(place.origin, place.operations, place.copied_global,
            "a box of a tensor map has up to 256 elements along each of up to five dimensions, a bulk copy takes all "
            "bytes that follow each other");
  }
  void small(const ir::Origin& origin, std::uint64_t copies, std::uint64_t bytes, const char* how) {
    if (copies < kFewest) return;
    const std::uint64_t each = bytes / copies;
    if (each >= kSmallCopy) return;
    const std::uint64_t fewer = (bytes + kSmallCopy - 1) / kSmallCopy;
    tell(origin, kCopyCost * (copies - fewer), project::kSmallCopiesCode,
         grouped(copies) + " copies of " + text::counted(each, "byte") + " each start here, where " + grouped(fewer) +
             " of " + grouped(kSmallCopy) + " bytes would do",
         std::string("copy more at once: ") + how);
  }

  // Lanes that change one address again and again.
  void repeated(const simulate::OddRequests& odd) {
    if (odd.repeated < kFewRequests) return;
    tell(odd.origin, odd.repeated, project::kRepeatedCode,
         "lanes change by atomic accesses here what they have changed just before: " + grouped(odd.repeated) +
             " requests of warps go to the same addresses as the one before",
         "add up in a register, and access memory once, after the loop");
  }

  // Lanes of a warp that change one address.
  void collisions(const ProfiledPlace& place) {
    const Traffic& t = place.combined;
    if (t.units < kManyTurns * t.requests || t.units < t.requests + kFewest) return;
    tell(place.origin, t.units - t.requests, project::kCollisionsCode,
         "up to " + grouped(t.worst) + " lanes of one warp reach one address by atomic accesses here: " +
             grouped(t.requests) + " requests of warps take " + grouped(t.units) + " turns",
         "let the lanes of a warp combine their values first (warp shuffles) and one of them access memory, or give "
         "them addresses of their own; NVIDIA's compiler does the first by itself for some of them");
  }

  void tell(const ir::Origin& origin, std::uint64_t gain, std::string_view code, std::string message,
            std::string hint) {
    simulate::Finding found;
    found.code = code;
    found.message = std::move(message);
    found.hint = std::move(hint);
    found.origin = origin;
    text::Diagnostic d = run::diagnostic_of(found, compiled_.evaluation->anchors);
    d.message = found.message;  // it is of all CTAs
    d.severity = text::Severity::Hint;
    out_.push_back({gain, std::move(d)});
  }

  // Null: the place came from none.
  const dispatch::CallReport* tile_call(const ir::Origin& origin) const {
    for (const session::CompiledKernel& k : compiled_.kernels)
      if (const dispatch::CallReport* call = tile_call_at(k, origin)) return call;
    return nullptr;
  }

  // What to write instead, where one way was counted to be better.
  std::string better_layout(const ir::Buffer* buffer, const Traffic& t) const {
    const auto found = std::ranges::find(buffers_, buffer, &LaidOut::buffer);
    if (!buffer || found == buffers_.end()) {
      constexpr std::uint64_t kWord = 4;
      const std::uint64_t each = t.bytes / t.lanes;
      const std::string near =
          "lanes of a warp want different words of one bank: let neighbouring lanes access "
          "neighbouring words, or ";
      // Accesses that are wider begin at multiples of their own width.
      if (each > kWord)
        return near + "leave " + text::counted(std::bit_ceil(each), "byte") +
               " free after every 128; rows of a tile can be 128 bytes and as many more long, or have a swizzled "
               "layout (`tilewright layout` counts the conflicts of one)";
      return near +
             "leave a word free after every 32 (index i + i // 32); rows of a tile can have an odd number of "
             "4-byte words, or a swizzled layout (`tilewright layout` counts the conflicts of one)";
    }
    if (!found->better)
      return "lanes of a warp want different words of one bank, and none of the layouts that fit " +
             std::string(ir::spoken_name(*buffer)) + " (" +
             (found->counted.is_copied ? "" : "rows longer by 4 to 64 bytes, ") +
             "swizzles of 32 to 128 bytes) takes fewer wavefronts on the same accesses: let the lanes access other "
             "elements together";
    return "lay " + std::string(ir::spoken_name(*buffer)) + " out with " +
           layout_words(found->counted, simulate::kOtherRows[*found->better]) +
           ": counted on the same accesses, all its " + "requests then take " + grouped(found->wavefronts()) +
           " wavefronts instead of " + grouped(found->counted.wavefronts);
  }

  const session::Compiled& compiled_;
  const std::vector<LaidOut>& buffers_;
  const simulate::DetailsByKernel& details_;
  std::vector<Advised>& out_;
};

// Longer rows before a swizzle, the least first; where operations use the buffer, whose rows have to follow each other,
// a swizzle alone.
std::vector<LaidOut> laid_out(const CountedRun& run) {
  std::vector<LaidOut> out;
  for (const auto& [buffer, rows] : run.rows) {
    if (rows.wavefronts <= rows.ideal) continue;
    LaidOut& one = out.emplace_back(LaidOut{buffer, rows, std::nullopt});
    std::uint64_t best = rows.wavefronts;
    for (std::size_t i = 0; i < std::size(simulate::kOtherRows); ++i) {
      const simulate::OtherRows& other = simulate::kOtherRows[i];
      const bool longer = other.kind == simulate::OtherRows::Kind::Longer;
      if (longer ? rows.is_copied ||
                       other.bytes % std::max(rows.element_bytes, std::min<std::int64_t>(rows.widest, 16)) != 0
                 : rows.row_bytes * rows.rows % (8 * other.bytes) != 0)
        continue;
      if (rows.others[i] >= best) continue;
      best = rows.others[i];
      one.better = i;
    }
  }
  std::ranges::stable_sort(out, std::greater{},
                           [](const LaidOut& o) { return o.counted.wavefronts - o.counted.ideal; });
  return out;
}

std::vector<MadeAccesses> made_of(const simulate::DetailsByKernel& details, const script::Evaluation& evaluation) {
  std::map<std::pair<std::uint32_t, simulate::AccessKind>, MadeAccesses> by;
  for (const auto& [kernel, found] : details) {
    if (!found.accesses) continue;
    for (const auto& [origin, place] : found.accesses->places) {
      const auto way = way_of(origin, evaluation);
      for (std::size_t i = 0; way && i < simulate::kAccessKinds; ++i) {
        if (place.kinds[i].written == 0) continue;
        const auto kind = static_cast<simulate::AccessKind>(i);
        MadeAccesses& sum = by[{way->line(), kind}];
        sum.line = way->line();
        sum.kind = kind;
        sum.written += place.kinds[i].written;
        sum.made += place.kinds[i].made;
      }
    }
  }
  std::vector<MadeAccesses> out;
  for (const auto& [key, one] : by)
    if (one.made != one.written) out.push_back(one);
  return out;
}

// One place for what stands at one statement, reached by one chain of calls: of all kernels and copies of its code.
std::vector<ProfiledPlace> places_of(const CountedRun& run) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, const ir::CallSite*>, ProfiledPlace> by;
  for (const ProfiledPlace& place : run.places) {
    const text::Span at = place.origin.span;
    ProfiledPlace& sum = by[{at.anchor, at.begin, at.end, place.origin.chain}];
    sum.origin = place.origin;
    sum.add(place);
  }
  std::vector<ProfiledPlace> out;
  for (const auto& [key, place] : by) out.push_back(place);
  return out;
}

}  // namespace

std::string layout_words(const simulate::ProfiledRows& rows, const simulate::OtherRows& other) {
  if (other.kind == simulate::OtherRows::Kind::Swizzled)
    return "a swizzle of " + std::to_string(other.bytes) + " bytes";
  const std::int64_t now = rows.row_bytes / rows.element_bytes,
                     then = (rows.row_bytes + other.bytes) / rows.element_bytes;
  return "rows of " + std::to_string(then) + " elements instead of " + std::to_string(now) + " (" +
         std::to_string(other.bytes * rows.rows) + " bytes more)";
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::uint64_t global_bytes(const ProfiledPlace& p) {
  return 32 * (p.global_read.units + p.global_write.units + p.copied_sectors);
}

double cost_of(const ProfiledPlace& p) {
  // Those within a cluster, and to tensor memory, access shared memory alone.
  const bool copying = p.copied_global > 0 || (p.multiplied == 0 && p.copied_shared > 32 * p.operations);
  const double copies = copying ? static_cast<double>(kCopyCost * p.operations) : 0;
  return copies + static_cast<double>(p.global_read.requests + p.global_write.requests) +
         static_cast<double>(p.shared_read.units + p.shared_write.units + p.atomics) +
         static_cast<double>(global_bytes(p)) / 16 + static_cast<double>(p.multiplied) / 4096;
}

EngineWavefronts engine_wavefronts(const ProfiledPlace& p) {
  EngineWavefronts out;
  if (p.unfigured != 0) {
    out.why = "operations that move less than 32 bytes, or combine: how shared memory serves them is not published";
  } else if (p.engine.requests != 0) {
    out.needed = {static_cast<double>(p.engine.units), From::Modelled};
    out.ideal = {static_cast<double>(p.engine.ideal), From::Modelled};
  }
  return out;
}

double ProfileAnswer::intensity() const {
  const std::uint64_t bytes = global_bytes(total);
  return bytes ? static_cast<double>(total.multiplied) / static_cast<double>(bytes) : 0;
}

std::string_view access_words(simulate::AccessKind kind) {
  switch (kind) {
    case simulate::AccessKind::GlobalRead: return "reads of global memory";
    case simulate::AccessKind::GlobalWrite: return "writes to global memory";
    case simulate::AccessKind::SharedRead: return "reads of shared memory";
    case simulate::AccessKind::SharedWrite: break;
  }
  return "writes to shared memory";
}

namespace {

std::uint64_t requests_of(const ProfiledPlace& p) {
  return p.global_read.requests + p.global_write.requests + p.shared_read.requests + p.shared_write.requests;
}

ProfileAnswer profiled(const CountedRun& counted, const session::Compiled& compiled,
                       const simulate::DetailsByKernel& details) {
  ProfileAnswer out;
  const script::Evaluation& evaluation = *compiled.evaluation;
  out.buffers = laid_out(counted);
  std::vector<Advised> advised;
  std::map<std::pair<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>, ProfiledLine> lines;
  for (const ProfiledPlace& place : places_of(counted)) {
    out.total.add(place);
    Advice(compiled, out.buffers, details, advised).look_at(place);
    auto way = way_of(place.origin, evaluation);
    if (!way) continue;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> calls;
    for (text::Span s : way->chain) calls.emplace_back(s.anchor, s.begin);
    ProfiledLine& line = lines[{way->line(), std::move(calls)}];
    if (line.text.empty()) {
      line.path = way->at.source->path();
      line.line = way->line();
      line.span = way->span;
      line.text = way->at.source->line(line.line);
      line.chain = std::move(way->chain);
    }
    line.counted.add(place);
  }
  for (auto& [key, line] : lines) {
    line.cost = cost_of(line.counted);
    out.lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(out.lines, std::greater{}, &ProfiledLine::cost);
  std::ranges::stable_sort(advised, std::greater{}, &Advised::gain);
  for (Advised& a : advised) out.advice.push_back(std::move(a.diagnostic));
  return out;
}

// What is advised of a run beyond its counts.
void look_beside(const simulate::DetailsByKernel& details, const CountedRun& counted, const session::Compiled& compiled,
                 ProfileAnswer& out) {
  const auto reads_global = [&](const ir::Origin& origin) {
    return std::ranges::any_of(counted.places, [&](const ProfiledPlace& place) {
      return place.copied_global > 0 && ir::same_origin(place.origin, origin);
    });
  };
  std::vector<Advised> advised;
  Advice advice(compiled, out.buffers, details, advised);
  for (const auto& [kernel, found] : details) {
    if (out.complete)
      for (const simulate::SpareBarrier& barrier : found.barriers) advice.look_at(barrier);
    for (const auto& [number, odd] : found.odd)
      advice.look_at(odd, requests_of(out.total), odd.copies > 0 && reads_global(odd.origin));
  }
  std::ranges::stable_sort(advised, std::greater{}, &Advised::gain);
  for (Advised& a : advised) out.advice.push_back(std::move(a.diagnostic));
}

}  // namespace

ProfileAnswer profile_of(const RunAnswer& answer) {
  const run::Outcome& outcome = answer.report.outcome;
  ProfileAnswer out = profile_of({outcome.profile, outcome.profiled_rows}, answer.compiled,
                                 answer.details ? *answer.details : simulate::DetailsByKernel(),
                                 outcome.status == run::Status::Done && outcome.part.empty());
  out.why = answer.accesses_missing;
  if (answer.details) out.advice.insert(out.advice.end(), answer.notes.begin(), answer.notes.end());
  return out;
}

ProfileAnswer profile_of(const CountedRun& counted, const session::Compiled& compiled,
                         const simulate::DetailsByKernel& details, bool complete) {
  ProfileAnswer out = profiled(counted, compiled, details);
  out.complete = complete;
  out.as_compiled = std::ranges::any_of(details, [](const auto& one) { return one.second.accesses.has_value(); });
  out.made = made_of(details, *compiled.evaluation);
  look_beside(details, counted, compiled, out);
  return out;
}

}  // namespace tilewright::work
