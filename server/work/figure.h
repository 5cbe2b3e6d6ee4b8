// A number of a report, and where it comes from.
#pragma once
#include <cstdint>
#include <string_view>

namespace tilewright::work {

// Counted: by the simulator, or from the kernel's text. CountedAsWritten: the same, where NVIDIA's compiler may make
// another number of instructions of what the script writes (it joins accesses, and shares values). Modelled: with
// constants of a device. Measured: on a device.
enum class From : std::uint8_t { Counted, CountedAsWritten, Modelled, Measured, NotAvailable };
std::string_view from_words(From from);  // "counted", "counted as written", "modelled", "measured", "not available"

struct Figure {
  double value = 0;  // 0 where it is not available
  From from = From::NotAvailable;
};

}  // namespace tilewright::work
