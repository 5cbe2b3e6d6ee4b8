// The answer of `tilewright run --entry all`: of each run what is said about it, and of all of them a table, one JSON
// object, or JUnit XML. A run's own report is large (its tensors and trees are in it), so what is said is made at once
// and the report is let go.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/render/json.h"
#include "server/render/junit.h"
#include "server/render/terminal.h"
#include "server/work/batch.h"

namespace tilewright::render {

enum class RunFormat { Text, Json, Junit };

// What is kept of one run.
struct RunRow {
  std::string path{}, entry{}, where{};
  std::string verdict{};      // of the report; else "errors", "no device", "refused", "skipped", "not run"
  int status = 0;             // as run_status()
  bool wants_a_look = false;  // it failed, or something about it is to be reviewed
  std::string why{};          // of one that is skipped, instead of a report
  std::optional<double> median_us{}, fraction{}, difference{};
  // In the format asked for.
  std::string text{}, messages{};  // the report, and what is said beside it
  Json json{};
  TestCase test{};
};
RunRow run_row(const work::BatchRun& run, RunFormat format, const Colours& out, const Colours& errors);
// Of an entry, or a script, that was not reached, and why.
RunRow unrun_row(const work::Batch::Left& left, const std::string& why, RunFormat format);

// "copy.py  make(64): failed", "copy.py  make(64): skipped: needs sm_100a; the device has sm_90a"; above what is said
// about a run.
std::string run_heading(const RunRow& row, const Colours& colours);
// One line a run, aligned, below the name of its script where there are several; at most 100 columns. `verbose`: no
// entry is cut short.
std::string run_table(const std::vector<RunRow>& rows, bool verbose, const Colours& colours);
// "3 entries: 1 failed, 2 verified".
std::string run_counts(const std::vector<RunRow>& rows);

// JSON as it comes: the object's beginning, each run behind `comma`, and its end.
inline constexpr const char* kRunsBegin = "{\n \"runs\": [";
std::string run_element(const RunRow& row, bool first);
// `stopped`: why some were not run ("interrupted", "fail_fast", "no_device"); empty: all were.
std::string runs_end(const std::vector<RunRow>& rows, const std::string& stopped);
// A suite a script.
std::string runs_junit(const std::vector<RunRow>& rows);

}  // namespace tilewright::render
