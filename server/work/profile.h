// What a simulated run asks of the hardware, by line of the script, and what could be asked less.
//
// Sectors, wavefronts, bytes and operations are counted by the simulator (compiler/simulate/profile/profile.h says what
// they are). Wavefronts of operations beside the threads and the order of the lines, by `cost`, are modelled, and
// nothing is measured.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/simulate/profile/record.h"
#include "server/work/figure.h"
#include "server/work/run.h"

namespace tilewright::simulate {
enum class AccessKind : std::uint8_t;
}  // namespace tilewright::simulate

namespace tilewright::work {

// RunAnswer::report.outcome.profile is empty where nothing was counted: it ran elsewhere, or was not asked to.
struct ProfiledLine {
  std::string path;
  std::uint32_t line = 0;           // from 0
  text::Span span{};                // that stands there
  std::string text;                 // of the script, without blanks around it
  std::vector<text::Span> chain;    // calls from the script to where it is done, the innermost last; empty: it is here
  simulate::ProfiledPlace counted;  // of all places of the line that the chain leads to
  double cost = 0;                  // cost_of(counted)
};

// A buffer of rows in shared memory whose requests have conflicts, and the way to lay it out that has fewest, counted
// with the same requests.
struct LaidOut {
  const ir::Buffer* buffer = nullptr;
  simulate::ProfiledRows counted;
  std::optional<std::size_t> better;  // of simulate::kOtherRows; nothing: none of them is better
  std::uint64_t wavefronts() const { return better ? counted.others[*better] : counted.wavefronts; }
};
// "rows of 33 elements instead of 32 (4 bytes more)", "a swizzle of 128 bytes".
std::string layout_words(const simulate::ProfiledRows& rows, const simulate::OtherRows& other);

// A line whose accesses NVIDIA's compiler joins into wider ones, or leaves out.
struct MadeAccesses {
  std::uint32_t line = 0;  // from 0
  simulate::AccessKind kind{};
  std::uint64_t written = 0, made = 0;  // requests of warps, in the script and in the machine code
};
// "reads of shared memory".
std::string_view access_words(simulate::AccessKind kind);

struct ProfileAnswer {
  std::vector<ProfiledLine> lines;  // the most costly first
  simulate::ProfiledPlace total;
  bool complete = false;         // all CTAs ran to their end
  std::vector<LaidOut> buffers;  // with bank conflicts, the worst first
  // Findings of severity Hint, codes TW70xx: most to gain first.
  std::vector<text::Diagnostic> advice;
  // Accesses count as NVIDIA's compiler makes them; else as the script writes them, `why` they do.
  bool as_compiled = false;
  std::string why{};
  From from() const { return as_compiled ? From::Counted : From::CountedAsWritten; }  // what accesses add up to
  std::vector<MadeAccesses> made{};  // of lines where that differs, in their order

  // Operations of tensor cores for each byte of the sectors of global memory; 0: there are none of either.
  double intensity() const;
};

// Wavefronts of shared memory that the bulk and tensor copies and the operands of tensor cores of a place need at
// least, and with layouts without conflicts. Not available: it has none, or there is no rule for all of their bytes.
struct EngineWavefronts {
  Figure needed, ideal;
  std::string_view why;  // it is not available; empty: it is, or the place has none
};
EngineWavefronts engine_wavefronts(const simulate::ProfiledPlace& place);

ProfileAnswer profile_of(const RunAnswer& answer);
// The same of what was counted elsewhere: of all places, and rows by buffer.
struct CountedRun {
  std::vector<simulate::ProfiledPlace> places;
  std::map<const ir::Buffer*, simulate::ProfiledRows> rows;
};
// `complete`: all CTAs were, to their end.
ProfileAnswer profile_of(const CountedRun& counted, const session::Compiled& compiled,
                         const simulate::DetailsByKernel& details, bool complete);

// Clocks of one SM of an H100, roughly, if nothing overlapped: a wavefront takes one, a request to global memory one
// and each of its sectors 2 (3.35 TB/s for 132 SMs at 1.7 GHz), 4096 operations of tensor cores one, an atomic access
// one, a bulk or tensor copy 32.
double cost_of(const simulate::ProfiledPlace& place);
// Bytes of the sectors of global memory that it touches.
std::uint64_t global_bytes(const simulate::ProfiledPlace& place);

// "1,234,567".
std::string grouped(std::uint64_t n);

}  // namespace tilewright::work
