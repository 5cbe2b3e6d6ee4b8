#include "server/render/tune.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/contest.h"

namespace tilewright::render {
namespace {

using work::Candidate;
using Fate = Candidate::Fate;

constexpr std::size_t kMostReasons = 10;

std::string outcome_text(const Candidate& c) {
  switch (c.fate) {
    case Fate::Best: return "best";
    case Fate::Level: return "no difference seen from the best";
    case Fate::Slower:
      if (c.behind) return text::formatted("%.1f", (c.behind->ratio - 1) * 100) + " % slower than the best";
      return "left behind after " + text::counted(c.rounds, "round");
    case Fate::Open: return "not measured to the end";
    default: return std::string(work::fate_name(c.fate));
  }
}

}  // namespace

std::string tune_text(const work::TuneAnswer& answer, const Colours& c) {
  if (answer.candidates.empty()) return {};
  std::string out = std::string(c.bold) + text::counted(answer.candidates.size(), "candidate") + std::string(c.plain) +
                    " on " + text::visible(answer.device.name) + " (" + answer.arch + ")" +
                    (answer.where.empty() ? "" : " at " + text::visible(answer.where)) + ", " +
                    std::to_string(answer.launches) + (answer.launches == 1 ? " timed launch" : " timed launches") +
                    "\n";
  std::size_t width = 0;
  for (const Candidate& one : answer.candidates) width = std::max(width, text::columns_of(one.entry));
  std::map<std::string, std::size_t> hidden;
  std::size_t shown = 0;
  for (const Candidate& one : answer.candidates) {
    const bool out_early =
        one.fate == Fate::Refused || one.fate == Fate::Hazard || one.fate == Fate::Wrong || one.fate == Fate::Broke;
    if (out_early && ++shown > kMostReasons) {
      ++hidden[std::string(work::fate_name(one.fate))];
      continue;
    }
    std::string line = "  " + text::visible(one.entry) + std::string(width - text::columns_of(one.entry) + 2, ' ');
    if (one.cold && !out_early) {
      const std::string time = text::formatted("%.2f", one.cold->median) + " us";
      line += std::string(time.size() < 12 ? 12 - time.size() : 0, ' ') + time + "  ";
    }
    const std::string_view colour = one.fate == Fate::Best ? c.green : out_early ? c.red : c.plain;
    line += std::string(colour) + outcome_text(one) + std::string(c.plain);
    if (!one.reason.empty()) line += ": " + text::visible(one.reason);
    out += line + "\n";
  }
  for (const auto& [fate, count] : hidden) out += "  and " + std::to_string(count) + " more " + fate + "\n";
  std::size_t partly = 0;
  for (const Candidate& one : answer.candidates) partly += !one.notes.empty();
  if (!answer.searched) {
    out += "  note     no candidate was searched for races\n";
  } else if (partly) {
    out += "  note     of " + text::counted(partly, "candidate") +
           " a part only was searched for races (--json says what "
           "was not; --small names a size that can be searched whole)\n";
  }
  return out;
}

Json tune_json(const work::TuneAnswer& answer, std::string_view file) {
  Json candidates = Json::array(), axes = Json::array();
  for (const inputs::Space::Axis& axis : answer.axes) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  for (const Candidate& one : answer.candidates) {
    Json j{{"entry", one.entry},   {"fate", work::fate_name(one.fate)}, {"reason", one.reason},
           {"notes", one.notes},   {"registers", one.registers},        {"rounds", one.rounds},
           {"median_us", nullptr}, {"samples_us", one.samples},         {"behind_best", contest_json(one.behind)}};
    if (one.cold) j["median_us"] = one.cold->median;
    Json settings = Json::object();
    for (std::size_t i = 0; i < one.values.size(); ++i) settings[answer.axes[i].name] = one.values[i];
    j["settings"] = std::move(settings);
    candidates.push_back(std::move(j));
  }
  Json out{{"file", file},
           {"script_sha256", answer.script_digest},
           {"tilewright", TILEWRIGHT_VERSION},
           {"arch", answer.arch},
           {"device",
            {{"name", answer.device.name},
             {"driver_version", answer.device.driver_version},
             {"multiprocessors", answer.device.multiprocessors}}},
           {"where", answer.where},
           {"searched_for_races", answer.searched},
           {"seeds", answer.seeds},
           {"timed_launches", answer.launches},
           {"space", std::move(axes)},
           {"candidates", std::move(candidates)},
           {"best", nullptr},
           {"stopped", answer.stopped},
           {"failure", nullptr}};
  if (const Candidate* best = answer.best()) out["best"] = best->entry;
  if (answer.failure) out["failure"] = {{"message", answer.failure->message}, {"hint", answer.failure->hint}};
  return out;
}

int tune_status(const work::TuneAnswer& answer) {
  if (answer.failure) return 2;
  if (answer.stopped) return 130;
  return answer.best() ? 0 : 1;
}

}  // namespace tilewright::render
