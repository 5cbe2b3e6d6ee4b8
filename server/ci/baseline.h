// What kernels cost, held against an earlier build: registers, spills, shared memory, instructions of the machine,
// times.
//
// Counts are the compiler's, and the same script gives the same ones: any growth beyond the noise that was allowed
// (none by default) is a regression. Times scatter, so a kernel is slower only where its median lies beyond the noise
// (5 %) and four fifths of its launches took longer than four fifths of the earlier ones; the caller
// measures such an entry again before it believes that, and the fastest measurement counts. Times are held against
// times of the same device alone.
#pragma once
#include <array>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/bsp_data.h"

namespace tilewright::ci {

enum class Cost { Registers, Spills, Shared, Instructions, Time };
inline constexpr std::array<std::string_view, 5> kCosts = {"registers", "spills", "shared", "instructions", "time"};

struct Noise {
  std::array<double, kCosts.size()> percent = {0, 0, 0, 0, 5};
};
// "time=10" or "time=10%". The error says what is wrong with it.
std::expected<void, std::string> read_noise(std::string_view text, Noise& into);

// In microseconds; `p20` and `p80`: a fifth of the launches was faster than the one, and slower than the other.
struct Times {
  double median = 0, p20 = 0, p80 = 0;
  std::int64_t launches = 0;
};
struct Measured {
  std::string script, entry, kernel, arch;     // which; `kernel` is empty of a run's times
  std::map<std::string, std::int64_t> counts;  // by name of a cost
  std::string device;                          // of the times
  std::optional<Times> cold, hot;              // with the L2 cache emptied before each launch, and right after another
};
struct Baseline {
  std::string made_by;  // version of the tool
  std::vector<Measured> kernels, runs;
  std::string tuned_script{};  // of a record of tune: the file as it was named there; the scripts' names are empty
  std::string tuned_sha256{};  // and of its text
};

// Paths become relative to `root`.
Baseline measured(const std::vector<protocol::bsp::CompiledScript>& scripts,
                  const std::vector<protocol::bsp::TestRun>& tests, const std::string& root);
std::string write_baseline(const Baseline& baseline);
// Also of a record of `tilewright tune`: what it says of the best candidate. The error says where it is none.
std::expected<Baseline, std::string> read_baseline(std::string_view text);

struct Change {
  enum class Kind { Worse, Better, New, Gone, NotCompared } kind = Kind::Worse;
  Measured what;     // script, entry, kernel, arch
  std::string cost;  // of Worse and Better
  double before = 0, now = 0;
  std::string words;  // "registers 32 → 40 (+25 %)", or why it is not compared
};
// In the order of the scripts. `tested`: runs were asked for; else their times are not missed.
std::vector<Change> compare(const Baseline& before, const Baseline& now, const Noise& noise, bool tested);
// As `--entry` names what was measured.
std::string entry_of(const Measured& run);
// Of two measurements of the same runs each time the faster one.
void take_faster(Baseline& into, const Baseline& again);

}  // namespace tilewright::ci
