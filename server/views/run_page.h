// What a run left, as one HTML page (frame.h): its timeline, of the simulator or of a GPU, where its time goes by line,
// and its report.
#pragma once
#include <string>

#include "server/work/run.h"

namespace tilewright::views {

std::string html_run(const work::RunAnswer& answer);

}  // namespace tilewright::views
