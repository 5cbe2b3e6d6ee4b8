// What each release of the dialect changed in the names of the one before.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::script {

// `was` and `is` are whole paths, "T.ptx.elect_sync".
struct Change {
  enum class Kind : std::uint8_t {
    Added,     // `is`; there was nothing like it
    Dropped,   // `was`; there is nothing like it
    Renamed,   // the same thing, its operands included, is `is`
    Replaced,  // what `was` did is done with `is`, whose operands differ
    Beside,    // `is` is new and does what `was` does, which stays
  };
  text::Dialect release;
  Kind kind;
  std::string_view was, is;
};

// In the order of the releases.
std::span<const Change> changes();
// Those of them that no table of instructions or primitives says: all that concerns names outside of these tables. They
// cost nothing, while changes() builds the tables, which small commands do without.
std::span<const Change> written_changes();

}  // namespace tilewright::script
