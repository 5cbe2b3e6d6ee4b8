#include "server/render/migrate.h"

#include <algorithm>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/json.h"

namespace tilewright::render {
namespace {

using Result = work::MigrationCheck::Result;

std::string_view result_name(Result result) {
  switch (result) {
    case Result::Same: return "same";
    case Result::Differs: return "differs";
    case Result::NotRun: return "not_run";
  }
  return {};
}

text::LineColumn place_of(const work::MigratedFile& file, const migrate::Decision& d) {
  return text::Source(file.path, file.result.text).position(d.at);
}

}  // namespace

std::string migrated_text(const MigratedPart& part, migrate::Target to) {
  const work::MigratedFile& file = *part.file;
  const std::string path = text::visible(file.path);
  if (!file.wrong.empty()) return path + ": " + file.wrong + "\n";
  if (file.already) {
    const bool assumed = file.from.source == script::DialectSource::Assumed;
    return path + ": written in " + file.from.words() + "; nothing to do" +
           (assumed ? " (--dialect says that it is of an earlier one)" : "") + "\n";
  }
  std::string out = path + ": from " + file.from.words() + " to " + std::string(to.name()) + ", " +
                    text::counted(file.result.edits, "edit") + "\n";
  const bool proven = !part.checks.empty() && std::ranges::all_of(part.checks, [](const work::MigrationCheck& c) {
    return c.result == Result::Same;
  });
  for (const migrate::Decision& d : file.result.decisions) {
    if (d.note && proven) continue;  // the bytes say that it means the same
    const text::LineColumn at = place_of(file, d);
    out += path + ":" + std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1) + ": " +
           (d.note ? "look at" : "decide") + ": " + text::visible(d.what) + "\n  " + text::visible(d.why) + "\n";
  }
  for (const work::MigrationCheck& c : part.checks) {
    out += path + ": " + (c.entry.empty() ? "" : text::visible(c.entry) + ": ");
    if (c.result == Result::Same) out += "the same bytes on the simulator";
    if (c.result == Result::Differs)
      out += (c.entry.empty() ? "not the same: " : "not the same on the simulator: ") + text::visible_message(c.words);
    if (c.result == Result::NotRun) {
      out += (c.entry.empty() ? "not compared: " : "not compared, it did not run before: ") +
             text::visible_message(c.words);
    }
    out += "\n";
  }
  return out;
}

Json migrated_json(const MigratedPart& part, migrate::Target to) {
  const work::MigratedFile& file = *part.file;
  Json decisions = Json::array(), checks = Json::array();
  for (const migrate::Decision& d : file.result.decisions) {
    const text::LineColumn at = place_of(file, d);
    decisions.push_back({{"line", at.line + 1},
                         {"column", at.column + 1},
                         {"what", d.what},
                         {"why", d.why},
                         {"kind", d.note ? "note" : "decision"}});
  }
  for (const work::MigrationCheck& c : part.checks) {
    Json one{{"entry", c.entry}, {"result", result_name(c.result)}};
    if (!c.words.empty()) one["message"] = c.words;
    checks.push_back(std::move(one));
  }
  Json out{{"file", file.path},
           {"to", to.name()},
           {"edits", file.result.edits},
           {"decisions", std::move(decisions)},
           {"checks", std::move(checks)}};
  if (!file.wrong.empty()) {
    out["message"] = file.wrong;
    return out;
  }
  out["from"] = dialect_json(file.from);
  if (!file.already) out["text"] = file.result.text;
  return out;
}

}  // namespace tilewright::render
