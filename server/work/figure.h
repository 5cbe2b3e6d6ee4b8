// A number of a report, and where it comes from.
#pragma once
#include <cstdint>
#include <string_view>

namespace tilewright::work {

// Counted: by the simulator, or from the kernel's text. Modelled: with constants of a device. Measured: on a device.
enum class From : std::uint8_t { Counted, Modelled, Measured, NotAvailable };
std::string_view from_words(From from);  // "counted", "modelled", "measured", "not available"

struct Figure {
  double value = 0;  // 0 where it is not available
  From from = From::NotAvailable;
};

}  // namespace tilewright::work
