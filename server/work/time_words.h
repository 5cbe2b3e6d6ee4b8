// The model of a kernel's time in words, for all speakers: each is a line or a part of one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/work/time.h"

namespace tilewright::work {

struct TimePart {
  std::string_view name, words;  // "l2", "bytes between an SM and the L2 cache"
  double us = 0;
};
std::vector<TimePart> time_parts(const run::TimeModel& model);

// "time     modelled 3.00 us, ...", then grid, occupancy, path, roofline and bounds, as far as they are known.
std::vector<std::string> head_words(const KernelTime& kernel);
// "line 50 is 68 % of the path", "the copy of line 37 (copy_async, tma) is 52 % of the path; line 47 waits for it in
// steps 0 to 7". Empty: there is no model.
std::string path_words(const TimeAnswer& answer);
// "85.3 operations of tensor cores per byte of the L2 cache, counted; ..."
std::string roofline_words(const Roofline& roofline);
// "line 47 waits for the copy of line 37: 4 times, 552 cycles each, 552 at most; in steps 0 to 3".
std::string wait_words(const TimedWait& wait);
// What is known of a line of the script, from 0: its share of the path, what it waits for, who waits for it, and what
// it asks of the memories. A line of text each; empty: nothing is.
std::vector<std::string> line_words(const KernelTime& kernel, std::uint32_t line);

// "the copy of line 57", "the arrival in line 61".
std::string blamed_words(const TimedWait& wait);
// Visits in which warps waited a tenth of the longest wait or more: "0 to 3, 7".
std::string starved_words(const TimedWait& wait);

}  // namespace tilewright::work
