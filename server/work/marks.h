// The marks that a run on a GPU left (compiler/cuda/marks.h), as the timeline of the CTAs that record.
#pragma once
#include "server/work/run.h"

namespace tilewright::work {

// Measured, of the run whose `marked` is not empty and which was done.
struct MarksAnswer {
  simulate::TimelineRecord timeline;  // in nanoseconds from the first warp's begin; one process a CTA, one track a warp
  double plain = 0, marked = 0;       // microseconds of a round, medians: without marks and with them
  double spanned = 0;                 // from the first CTA's begin to the last one's end, of all CTAs
  std::uint64_t marks = 0;            // that were read
  std::uint32_t ctas = 0;             // that left some
};
MarksAnswer marks_of(const RunAnswer& answer);

}  // namespace tilewright::work
