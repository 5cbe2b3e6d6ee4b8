// `tilewright run --entry all`: every entry of scripts and folders, several at once.
//
// The runs are made by threads (server/work/batch.h); this one hears of them and says what is to be said in the order
// of the scripts and of their entries, in whatever order they end.
#pragma once
#include "server/cli/run_options.h"

namespace tilewright::cli {

// The exit status: the worst of all runs; 130: interrupted. `stop` is the person's.
int run_batch(const RunOptions& options, work::RunRequest request, const std::stop_token& stop);

}  // namespace tilewright::cli
