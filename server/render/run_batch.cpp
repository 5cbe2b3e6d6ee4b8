#include "server/render/run_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/run_report.h"

namespace tilewright::render {
namespace {

using End = work::RunAnswer::End;

std::string verdict_of(const work::RunAnswer& answer) {
  switch (answer.end) {
    case End::Reported: return std::string(answer.report.verdict());
    case End::Errors: return "errors";
    case End::NoDevice: return "no device";
    case End::Unusable: return "refused";
    case End::Skipped: return "skipped";
    case End::Stopped: break;
  }
  return "not run";
}

// The largest difference that a comparison found, however small.
std::optional<double> worst_difference(const run::Report& report) {
  std::optional<double> worst;
  for (const run::TensorReport& t : report.tensors)
    if (t.comparison) worst = std::max(worst.value_or(0), t.comparison->max_absolute);
  return worst;
}

// True if the kernel is wrong; false if that could not be found out.
bool kernel_is_wrong(const run::Report& report) {
  using enum run::Status;
  const run::Status status = report.outcome.status;
  return status == Done || status == Fault || status == Timeout;
}

// Readers of JUnit tell a test that found something wrong (failure) from one that could not be made (error); what ran
// and is held against nothing has tested nothing.
TestCase test_of(const work::BatchRun& run, const RunRow& row) {
  using enum TestCase::Outcome;
  const work::RunAnswer& answer = run.answer;
  TestCase test{.name = run.entry.empty() ? run.path : run.entry, .classname = run.path, .seconds = run.seconds};
  const std::string said = run_messages(answer, {});
  test.type = row.verdict;
  if (answer.end == End::Reported) {
    const run::Report& report = answer.report;
    test.out = report.outcome.printed;
    const std::string place = run_place(answer);
    const std::string what = !report.problems.empty()          ? report.problems.front()
                             : !report.outcome.message.empty() ? report.outcome.message
                                                               : row.verdict;
    if (row.status != 0) {
      test.outcome = kernel_is_wrong(report) && row.verdict != "incomplete" ? Failed : Error;
      test.message = (place.empty() ? "" : place + ": ") + what;
      test.text = said + run_text(answer, {});
    } else if (row.verdict == "unverified") {
      test.outcome = Skipped;
      test.message = "it ran, but nothing says what the outputs should be";
    } else if (row.verdict != "verified") {
      test.out += said + run_text(answer, {});  // a pass with something to read
    }
    return test;
  }
  if (answer.end == End::Skipped) {
    test.outcome = Skipped;
    test.message = answer.failure.message;
    return test;
  }
  test.outcome = Error;
  test.text = said;
  const std::string place = run_place(answer);
  test.message = answer.end == End::Errors ? (place.empty() ? "" : place + ": ") + "the script has errors"
                                           : answer.failure.message;
  return test;
}

// The first `most` characters, the last of them "…" where some are left out.
std::string cut(const std::string& text, std::size_t most) {
  if (text::columns_of(text) <= most) return text;
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && ++seen == most) break;
  return text.substr(0, at) + "…";
}

constexpr std::size_t kColumns = 6, kWidest = 100;
using Cells = std::array<std::string, kColumns>;
const Cells& heads() {
  static const Cells all = {"entry", "where", "verdict", "time", "of copy", "difference"};
  return all;
}

Cells cells_of(const RunRow& row) {
  return {row.entry.empty() ? "(the script)" : text::visible(row.entry),
          row.where.empty() ? "-" : text::visible(row.where),
          row.verdict,
          row.median_us ? text::formatted("%.2f us", *row.median_us) : "",
          row.fraction ? text::formatted("%.1f %%", *row.fraction * 100) : "",
          row.difference ? text::formatted("%.3g", *row.difference) : ""};
}

std::string_view colour_of(const RunRow& row, const Colours& c) {
  if (row.status != 0) return c.red;
  return row.verdict == "verified" ? c.green : c.yellow;
}

}  // namespace

RunRow run_row(const work::BatchRun& run, RunFormat format, const Colours& out, const Colours& errors) {
  const work::RunAnswer& answer = run.answer;
  const bool reported = answer.end == End::Reported;
  RunRow row{.path = run.path, .entry = run.entry, .where = run.where, .verdict = verdict_of(answer)};
  row.status = run_status(answer);
  row.wants_a_look = row.status != 0 || row.verdict == "review";
  if (answer.end == End::Skipped) row.why = answer.failure.message;
  if (reported) {
    row.difference = worst_difference(answer.report);
    if (answer.report.timing) {
      row.median_us = answer.report.timing->cold.median;
      if (answer.report.timing->fraction > 0) row.fraction = answer.report.timing->fraction;
    }
  }
  if (format == RunFormat::Text) {
    if (row.why.empty()) row.messages = run_messages(answer, errors);
    if (reported) row.text = run_text(answer, out);
  } else if (format == RunFormat::Json) {
    row.json = run_json(answer);
    row.json["file"] = run.path;
    row.json["entry"] = run.entry;
    row.json["where"] = run.where;
    row.json["attempt"] = run.attempts;
    row.json["seconds"] = run.seconds;
  } else {
    row.test = test_of(run, row);
  }
  return row;
}

RunRow unrun_row(const work::Batch::Left& left, const std::string& why, RunFormat format) {
  RunRow row{.path = left.path, .entry = left.entry, .where = {}, .verdict = "not run"};
  if (format == RunFormat::Json) row.json = {{"file", left.path}, {"entry", left.entry}};
  if (format == RunFormat::Junit) {
    row.test = {.name = left.entry.empty() ? left.path : left.entry,
                .classname = left.path,
                .outcome = TestCase::Outcome::Skipped,
                .message = "not run: " + why};
  }
  return row;
}

std::string run_heading(const RunRow& row, const Colours& c) {
  return std::string(c.bold) + text::visible(row.path) + (row.entry.empty() ? "" : "  " + text::visible(row.entry)) +
         std::string(c.plain) + ": " + std::string(colour_of(row, c)) + row.verdict + std::string(c.plain) +
         (row.why.empty() ? "" : ": " + text::visible(row.why)) + "\n";
}

std::string run_table(const std::vector<RunRow>& rows, bool verbose, const Colours& c) {
  std::vector<Cells> table;
  std::array<std::size_t, kColumns> widths{};
  for (const RunRow& row : rows) {
    table.push_back(cells_of(row));
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], text::columns_of(table.back()[i]));
  }
  // An empty column is left out.
  for (std::size_t i = 0; i < kColumns; ++i)
    if (widths[i] > 0) widths[i] = std::max(widths[i], text::columns_of(heads()[i]));
  std::set<std::string_view> scripts;
  for (const RunRow& row : rows) scripts.insert(row.path);
  const bool several = scripts.size() > 1;
  std::size_t others = several ? 2 : 0;
  for (std::size_t i = 1; i < kColumns; ++i) others += widths[i] ? widths[i] + 2 : 0;
  if (!verbose) widths[0] = std::min(widths[0], others + 10 < kWidest ? kWidest - others : 10);

  auto line = [&](const Cells& cells, std::string_view verdict_colour) {
    std::string out = several ? "  " : "";
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (!widths[i]) continue;
      std::string cell = text::padded(i == 0 && !verbose ? cut(cells[i], widths[i]) : cells[i], widths[i], i > 2);
      if (i == 2 && !verdict_colour.empty()) cell = std::string(verdict_colour) + cell + std::string(c.plain);
      out += (i ? "  " : "") + cell;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = std::string(c.bold) + line(heads(), {}) + std::string(c.plain);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (several && (i == 0 || rows[i].path != rows[i - 1].path)) out += text::visible(rows[i].path) + "\n";
    out += line(table[i], colour_of(rows[i], c));
  }
  return out;
}

std::string run_counts(const std::vector<RunRow>& rows) {
  std::map<std::string, int> verdicts;
  for (const RunRow& row : rows) ++verdicts[row.verdict];
  std::string out = std::to_string(rows.size()) + (rows.size() == 1 ? " entry:" : " entries:");
  for (const auto& [verdict, times] : verdicts)
    out += (out.ends_with(':') ? " " : ", ") + std::to_string(times) + " " + verdict;
  return out;
}

std::string run_element(const RunRow& row, bool first) { return (first ? "\n" : ",\n") + dump(row.json); }

std::string runs_end(const std::vector<RunRow>& rows, const std::string& stopped) {
  Json unrun = Json::array(), counts = Json::object();
  for (const RunRow& row : rows) {
    if (row.verdict == "not run") unrun.push_back(row.json);
    counts[row.verdict] = counts.value(row.verdict, 0) + 1;
  }
  std::string out = "\n ],\n \"summary\": " + counts.dump();
  if (!stopped.empty()) out += ",\n \"stopped\": " + dump(Json(stopped), -1) + ",\n \"not_run\": " + dump(unrun);
  return out + "\n}\n";
}

std::string runs_junit(const std::vector<RunRow>& rows) {
  TestCounts all;
  std::string body;
  for (std::size_t i = 0; i < rows.size();) {
    TestCounts counts;
    std::string cases;
    const std::string& path = rows[i].path;
    for (; i < rows.size() && rows[i].path == path; ++i) {
      counts.add(rows[i].test);
      cases += test_case(rows[i].test);
    }
    body += test_suite(path, counts, cases);
    all.add(counts);
  }
  return test_document_head("tilewright run", all) + body + test_document_end();
}

}  // namespace tilewright::render
