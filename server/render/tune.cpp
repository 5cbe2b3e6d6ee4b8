#include "server/render/tune.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "server/render/conditions.h"
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
      return "left after " + text::counted(c.rounds, "round");
    case Fate::Open: return "not measured to the end";
    default: return std::string(work::fate_name(c.fate));
  }
}

}  // namespace

std::string tune_text(const work::TuneAnswer& answer, bool changed, const Colours& c) {
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
  if (changed) out += "  note     the script was changed while it was tuned: the times are of its earlier text\n";
  return out;
}

Json tune_json(const work::TuneAnswer& answer, std::string_view file, bool changed) {
  Json candidates = Json::array(), axes = Json::array();
  for (const inputs::Space::Axis& axis : answer.axes) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  for (const Candidate& one : answer.candidates) {
    Json j{{"entry", one.entry},
           {"kernel", one.kernel},
           {"fate", work::fate_name(one.fate)},
           {"reason", one.reason},
           {"notes", one.notes},
           {"registers", one.registers},
           {"cubin_sha256", one.cubin_digest},
           {"rounds", one.rounds},
           {"turn", one.turn},
           {"modelled_us", nullptr},
           {"median_us", nullptr},
           {"samples_us", one.samples},
           {"conditions", nullptr},
           {"behind_best", contest_json(one.behind)}};
    if (one.modelled) j["modelled_us"] = *one.modelled;
    if (one.cold) j["median_us"] = one.cold->median;
    if (one.cold) j["conditions"] = conditions_json(one.conditions);
    Json settings = Json::object();
    for (std::size_t i = 0; i < one.values.size(); ++i) settings[answer.axes[i].name] = one.values[i];
    j["settings"] = std::move(settings);
    candidates.push_back(std::move(j));
  }
  Json out{{"file", file},
           {"entry", answer.entry},
           {"script_sha256", answer.script_digest},
           {"script_changed", changed},
           {"tilewright", TILEWRIGHT_VERSION},
           {"arch", answer.arch},
           {"device",
            {{"name", answer.device.name},
             {"driver_version", answer.device.driver_version},
             {"multiprocessors", answer.device.multiprocessors}}},
           {"where", answer.where},
           {"searched_for_races", answer.searched},
           {"seeds", answer.seeds},
           {"cuts", answer.cuts},
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

namespace {

Candidate::Fate fate_of(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Fate::Best); ++i)
    if (work::fate_name(static_cast<Fate>(i)) == name) return static_cast<Fate>(i);
  throw std::invalid_argument("no candidate ends as '" + text::visible(name) + "'");
}

run::Conditions conditions_of(const text::MessageJson& j) {
  run::Conditions out;
  if (j.contains("absent")) {
    out.absent = j.at("absent").get<std::string>();
    return out;
  }
  out.driver = j.at("driver").get<std::string>();
  out.sm_least = j.at("sm_mhz").at(0).get<int>();
  out.sm_most = j.at("sm_mhz").at(1).get<int>();
  out.sm_limit = j.at("sm_limit_mhz").get<int>();
  out.memory_clock = j.at("memory_mhz").get<int>();
  out.first_celsius = j.at("celsius").at(0).get<int>();
  out.last_celsius = j.at("celsius").at(1).get<int>();
  out.watts = j.at("watts").get<double>();
  out.samples = j.at("samples").get<int>();
  const auto words = j.at("reasons").get<std::vector<std::string>>();
  for (int bit = 0; bit < 64; ++bit) {
    const std::vector<std::string> of_bit = run::throttle_words(std::uint64_t{1} << bit);
    if (!of_bit.empty() && std::ranges::find(words, of_bit.front()) != words.end())
      out.reasons |= std::uint64_t{1} << bit;
  }
  return out;
}

Candidate candidate_of(const text::MessageJson& j, const std::vector<inputs::Space::Axis>& axes) {
  Candidate out;
  out.entry = j.at("entry").get<std::string>();
  out.kernel = j.at("kernel").get<std::string>();
  for (const inputs::Space::Axis& axis : axes) out.values.push_back(j.at("settings").at(axis.name).get<std::string>());
  out.fate = fate_of(j.at("fate").get<std::string>());
  out.reason = j.at("reason").get<std::string>();
  out.notes = j.at("notes").get<std::vector<std::string>>();
  out.registers = j.at("registers").get<int>();
  out.cubin_digest = j.at("cubin_sha256").get<std::string>();
  out.rounds = j.at("rounds").get<int>();
  if (j.contains("turn")) out.turn = j.at("turn").get<int>();
  if (j.contains("modelled_us") && !j.at("modelled_us").is_null()) out.modelled = j.at("modelled_us").get<double>();
  out.samples = j.at("samples_us").get<std::vector<double>>();
  for (const double sample : out.samples)
    if (!(sample >= 0 && sample < 1e15)) throw std::invalid_argument("a time is out of range");
  if (!out.samples.empty()) out.cold = run::spread_of(out.samples);
  if (const text::MessageJson& behind = j.at("behind_best"); !behind.is_null())
    out.behind = {.ratio = behind.at("ratio").get<double>(),
                  .least = behind.at("interval").at(0).get<double>(),
                  .most = behind.at("interval").at(1).get<double>(),
                  .probability = behind.at("probability").get<double>(),
                  .significant = behind.at("significant").get<bool>()};
  if (j.contains("conditions") && !j.at("conditions").is_null()) out.conditions = conditions_of(j.at("conditions"));
  return out;
}

// "[json.exception.out_of_range.403] key 'best' not found": what is wrong with a member.
std::string json_words(std::string_view what) {
  const std::size_t quote = what.find('\'');
  if (what.find("not found") != what.npos && quote != what.npos)
    return text::visible(what.substr(quote, what.find('\'', quote + 1) + 1 - quote)) + " is missing";
  const std::size_t must = what.find("type must be ");
  if (must == what.npos) return "a member is not what tune writes";
  return "a value is not what tune writes: its " + text::visible(what.substr(must));
}

}  // namespace

std::expected<work::TuneAnswer, std::string> read_tune(std::string_view record) {
  try {
    const text::MessageJson j = text::MessageJson::parse(record);
    work::TuneAnswer out;
    out.entry = j.at("entry").get<std::string>();
    out.script_digest = j.at("script_sha256").get<std::string>();
    out.arch = j.at("arch").get<std::string>();
    out.device.name = j.at("device").at("name").get<std::string>();
    out.device.driver_version = j.at("device").at("driver_version").get<int>();
    out.searched = j.at("searched_for_races").get<bool>();
    out.seeds = j.at("seeds").get<std::vector<std::uint64_t>>();
    out.cuts = std::min(j.at("cuts").get<std::size_t>(), out.seeds.size());
    out.launches = j.at("timed_launches").get<std::size_t>();
    out.where = j.at("where").get<std::string>();
    out.stopped = j.at("stopped").get<bool>();
    if (!j.at("failure").is_null()) out.failure.emplace();
    for (const text::MessageJson& axis : j.at("space"))
      out.axes.push_back({axis.at("name").get<std::string>(), axis.at("values").get<std::vector<std::string>>()});
    for (const text::MessageJson& one : j.at("candidates")) out.candidates.push_back(candidate_of(one, out.axes));
    return out;
  } catch (const text::MessageJson::parse_error& e) {
    const std::string_view read = record.substr(0, std::min(e.byte, record.size()));
    return std::unexpected("no record of tune: from line " + std::to_string(std::ranges::count(read, '\n') + 1) +
                           " on it is no JSON: it was cut off, or changed by hand");
  } catch (const text::MessageJson::exception& e) {
    return std::unexpected("no record of tune: " + json_words(e.what()));
  } catch (const std::exception& e) {
    return std::unexpected("no record of tune: " + text::visible(e.what()));
  }
}

int tune_status(const work::TuneAnswer& answer) {
  if (answer.failure) return 2;
  if (answer.stopped) return 130;
  return answer.best() ? 0 : 1;
}

}  // namespace tilewright::render
