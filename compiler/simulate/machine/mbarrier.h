// An mbarrier: arrivals and transferred bytes counted phase after phase (PTX, "mbarrier"; copy_async.md 7, 8.4).
//
// A phase ends when no arrival is missing and the bytes expected are those that came. Bytes may come before they are
// announced, so the balance may be negative within a phase.
#pragma once
#include <cstdint>
#include <string>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

struct Mbarrier {
  static constexpr std::int64_t kMost = (1 << 20) - 1;          // arrivals, and bytes to either side of 0
  static constexpr std::int64_t kMostReporting = (1 << 9) - 1;  // arrivals of one in layout v1

  std::int64_t arrivals = 0;  // of every phase from the next one on
  std::int64_t missing = 0;   // arrivals of the current phase
  std::int64_t bytes = 0;     // expected and not yet come
  std::int64_t expected = 0;  // of them all in the current phase
  std::uint64_t phase = 0;    // the number of the current one, from 0
  ir::Origin origin{};        // where it was initialised
  std::string name{};         // as the script has it, quoted: `full[1]`
  bool overwritten = false;   // told once
  bool reporting = false;     // in layout v1, which has room for a report of copies

  void init(std::int64_t count) {
    arrivals = missing = count;
    bytes = expected = 0;
    phase = 0;
  }

  // Each says what is wrong, or nothing; afterwards settle() ends the phase if it is complete.
  std::string arrive(std::int64_t count);
  std::string expect(std::int64_t more);
  std::string complete(std::int64_t done);
  // Later phases expect that many arrivals less, and this one gets them.
  std::string drop(std::int64_t count);
  // One more arrival is expected in the current phase only.
  std::string defer();
  bool settle();

  // The phase of this parity is over: it is not the current one.
  bool over(std::uint64_t parity) const { return (phase & 1) != (parity & 1); }

  // Tokens name a phase; below it are the arrivals that it still missed.
  static std::uint64_t token(std::uint64_t phase, std::int64_t missing) {
    return phase << 20 | static_cast<std::uint64_t>(missing);
  }
  static std::uint64_t phase_of(std::uint64_t token) { return token >> 20; }
  static std::int64_t missing_of(std::uint64_t token) { return static_cast<std::int64_t>(token & kMost); }

  std::string state() const;  // what keeps the phase from ending: "lacks 1 of 128 arrivals and 512 of 4096 bytes"
};

}  // namespace tilewright::simulate
