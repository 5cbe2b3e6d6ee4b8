#include "server/render/timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "compiler/text/amounts.h"
#include "compiler/text/words.h"
#include "server/render/json.h"
#include "server/work/marks.h"
#include "server/work/profile.h"

namespace tilewright::render {
namespace {

using simulate::TimelineEvent;
using Kind = TimelineEvent::Kind;

// Finds the places of events, each once.
class Places {
 public:
  explicit Places(const script::Evaluation& evaluation)
      : anchors_(evaluation.anchors), script_(evaluation.tree->source().get()) {}

  // In the script itself: of what stands elsewhere the call that led there.
  const text::Anchors::Place& operator()(const ir::Origin& origin) {
    auto [at, fresh] = known_.try_emplace({origin.span.anchor, origin.span.begin, origin.chain});
    if (!fresh || !origin.span) return at->second;
    at->second = anchors_.resolve(origin.span);
    for (const ir::CallSite* site = origin.chain; site && at->second.source != script_; site = site->outer)
      if (const auto outer = anchors_.resolve(site->span); outer.source == script_) at->second = outer;
    return at->second;
  }
  bool in_script(const text::Anchors::Place& place) const { return place.source == script_; }

 private:
  const text::Anchors& anchors_;
  const text::Source* script_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, const ir::CallSite*>, text::Anchors::Place> known_;
};

std::vector<const TimelineEvent*> in_order(const simulate::TimelineRecord& record) {
  std::vector<const TimelineEvent*> events;
  for (const TimelineEvent& e : record.events) events.push_back(&e);
  std::ranges::stable_sort(events, {}, &TimelineEvent::time);
  return events;
}

// The CTAs that come first, as many as have at most so many events, and of the very first no more than those.
simulate::TimelineRecord first_ctas(const simulate::TimelineRecord& all, std::size_t most) {
  std::map<std::uint32_t, std::size_t> events;
  for (const TimelineEvent& e : all.events) ++events[e.process];
  std::set<std::uint32_t> kept;
  std::size_t room = most;
  for (const auto& [process, count] : events) {
    if (!kept.empty() && count > room) break;
    kept.insert(process);
    room -= std::min(room, count);
  }
  simulate::TimelineRecord out;
  for (const auto& n : all.names)
    if (kept.contains(n.process)) out.names.push_back(n);
  std::size_t dropped = 0;
  for (const TimelineEvent* e : in_order(all)) {
    const bool fits = kept.contains(e->process) && out.events.size() < most;
    if (fits) out.events.push_back(*e);
    dropped += fits ? 0 : 1;
  }
  out.left_out = all.left_out + dropped / 2;
  return out;
}

class Writer {
 public:
  // `measured`: times are nanoseconds of a GPU, else steps of the simulator.
  Writer(const script::Evaluation& evaluation, bool measured) : places_(evaluation), measured_(measured) {}

  std::string write(const simulate::TimelineRecord& record) {
    for (const auto& n : record.names) {
      Json j{{"name", n.track < 0 ? "process_name" : "thread_name"}, {"ph", "M"}, {"pid", n.process}};
      if (n.track >= 0) j["tid"] = n.track;
      j["args"] = {{"name", n.name}};
      add(j);
    }
    for (const TimelineEvent* e : in_order(record)) event(*e);
    const char* unit = measured_ ? "measured on a GPU" : "steps of the simulator";
    return out_ + "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": " +
           Json{{"time", unit}, {"left_out", record.left_out}}.dump() + "}\n";
  }

 private:
  void add(const Json& j) {
    out_ += (first_ ? "" : ",\n") + j.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  void event(const TimelineEvent& e) {
    static constexpr auto kPhases = text::words_of<Kind>({"B", "E", "s", "f"});
    Json j{{"ph", kPhases[e.kind]}, {"ts", e.time}, {"pid", e.process}, {"tid", e.track}};
    if (measured_) j["ts"] = static_cast<double>(e.time) / 1000;  // microseconds
    if (e.kind == Kind::FlowBegin || e.kind == Kind::FlowEnd) {
      j["name"] = e.name;
      j["cat"] = "order";
      j["id"] = e.flow;
      if (e.kind == Kind::FlowEnd) j["bp"] = "e";
    }
    if (e.kind == Kind::Begin) {
      j["name"] = e.name;
      j["cat"] = e.track < kOperations ? "warp" : "operation";
      Json args = Json::object();
      if (const std::string line = line_of(e.origin); !line.empty()) args["line"] = line;
      if (!e.detail.empty()) args["detail"] = e.detail;
      j["args"] = args;
    }
    add(j);
  }

  std::string line_of(const ir::Origin& origin) {
    const text::Anchors::Place& place = places_(origin);
    if (!place.source) return {};
    return place.source->path() + ":" + std::to_string(place.source->position(place.begin).line + 1);
  }

  static constexpr std::uint32_t kOperations = 1000;
  Places places_;
  std::string out_ = "{\"traceEvents\": [\n";
  bool first_ = true, measured_;
};

}  // namespace

Json timeline_tracks(const work::RunAnswer& answer, std::size_t most) {
  const simulate::TimelineRecord& all = answer.report.outcome.timeline;
  if (all.names.empty() || !answer.compiled.evaluation) return nullptr;
  const bool measured = !answer.marked.empty();
  const simulate::TimelineRecord first = measured ? first_ctas(all, most) : simulate::TimelineRecord();
  const simulate::TimelineRecord& record = measured ? first : all;
  Places places(*answer.compiled.evaluation);
  Json processes = Json::array(), tracks = Json::array(), spans = Json::array(), arrows = Json::array();
  for (const auto& n : record.names) {
    if (n.track < 0) {
      processes.push_back({{"id", n.process}, {"name", n.name}});
    } else {
      tracks.push_back({{"process", n.process}, {"id", n.track}, {"name", n.name}});
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> open;  // by track: its stretch
  std::map<std::uint32_t, Json> begun;                                  // by arrow: where it begins
  std::uint64_t last = 0;
  for (const TimelineEvent* e : in_order(record)) {
    last = e->time;
    const Json here{{"process", e->process}, {"track", e->track}, {"time", e->time}};
    switch (e->kind) {
      case Kind::Begin: {
        open[{e->process, e->track}] = spans.size();
        Json span{
            {"process", e->process}, {"track", e->track}, {"begin", e->time}, {"end", nullptr}, {"name", e->name}};
        if (!e->detail.empty()) span["detail"] = e->detail;
        if (const auto& at = places(e->origin); at.source && places.in_script(at))
          span["line"] = at.source->position(at.begin).line;
        spans.push_back(std::move(span));
        break;
      }
      case Kind::End:
        if (auto it = open.find({e->process, e->track}); it != open.end()) {
          spans[it->second]["end"] = e->time;
          open.erase(it);
        }
        break;
      case Kind::FlowBegin: begun[e->flow] = here; break;
      case Kind::FlowEnd:
        if (auto from = begun.find(e->flow); from != begun.end())
          arrows.push_back({{"name", e->name}, {"from", from->second}, {"to", here}});
        break;
    }
  }
  // What had not ended when there was no more room, or when the run stopped.
  for (const auto& [track, span] : open) spans[span]["end"] = last;
  return {{"unit", measured ? "ns" : "step"}, {"processes", std::move(processes)}, {"tracks", std::move(tracks)},
          {"spans", std::move(spans)},        {"arrows", std::move(arrows)},       {"left_out", record.left_out}};
}

std::string marks_text(const work::RunAnswer& answer) {
  const work::MarksAnswer marks = work::marks_of(answer);
  std::string out = "  timeline " + work::grouped(marks.marks) + " marks of " +
                    text::counted(static_cast<std::uint64_t>(marks.ctas), "CTA") + ", measured in a build of its own";
  if (marks.plain > 0) {
    out += ": " + text::formatted("%.2f", marks.marked) + " us with marks, " + text::formatted("%.2f", marks.plain) +
           " us without (" + text::formatted("%+.1f", 100 * (marks.marked / marks.plain - 1)) + " %)";
  }
  return out + "\n";
}

Json marks_json(const work::RunAnswer& answer) {
  const work::MarksAnswer marks = work::marks_of(answer);
  return {{"marks", marks.marks},      {"ctas", marks.ctas},          {"plain_us", marks.plain},
          {"marked_us", marks.marked}, {"spanned_us", marks.spanned}, {"left_out", marks.timeline.left_out}};
}

std::string timeline_json(const work::RunAnswer& answer) {
  return Writer(*answer.compiled.evaluation, !answer.marked.empty()).write(answer.report.outcome.timeline);
}

}  // namespace tilewright::render
