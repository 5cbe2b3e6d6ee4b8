#include "server/render/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "server/render/json.h"

namespace tilewright::render {
namespace {

using simulate::TimelineEvent;
using Kind = TimelineEvent::Kind;

class Writer {
 public:
  explicit Writer(const script::Evaluation& evaluation)
      : anchors_(evaluation.anchors), script_(evaluation.tree->source().get()) {}

  std::string write(const simulate::TimelineRecord& record) {
    for (const auto& n : record.names) {
      Json j{{"name", n.track < 0 ? "process_name" : "thread_name"}, {"ph", "M"}, {"pid", n.process}};
      if (n.track >= 0) j["tid"] = n.track;
      j["args"] = {{"name", n.name}};
      add(j);
    }
    std::vector<const TimelineEvent*> events;
    for (const TimelineEvent& e : record.events) events.push_back(&e);
    std::ranges::stable_sort(events, {}, &TimelineEvent::time);
    for (const TimelineEvent* e : events) event(*e);
    return out_ + "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": " +
           Json{{"time", "steps of the simulator"}, {"left_out", record.left_out}}.dump() + "}\n";
  }

 private:
  void add(const Json& j) {
    out_ += (first_ ? "" : ",\n") + j.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  void event(const TimelineEvent& e) {
    static constexpr const char* kPhases[] = {"B", "E", "s", "f"};
    Json j{{"ph", kPhases[static_cast<int>(e.kind)]}, {"ts", e.time}, {"pid", e.process}, {"tid", e.track}};
    if (e.kind == Kind::FlowBegin || e.kind == Kind::FlowEnd) {
      j["name"] = e.name, j["cat"] = "order", j["id"] = e.flow;
      if (e.kind == Kind::FlowEnd) j["bp"] = "e";
    }
    if (e.kind == Kind::Begin) {
      j["name"] = e.name, j["cat"] = e.track < kOperations ? "warp" : "operation";
      Json args = Json::object();
      if (const std::string& line = line_of(e.origin); !line.empty()) args["line"] = line;
      if (!e.detail.empty()) args["detail"] = e.detail;
      j["args"] = args;
    }
    add(j);
  }

  // In the script itself: of what stands elsewhere the call that led there.
  const std::string& line_of(const ir::Origin& origin) {
    auto [at, fresh] = lines_.try_emplace({origin.span.anchor, origin.span.begin, origin.chain});
    if (!fresh || !origin.span) return at->second;
    text::Anchors::Place place = anchors_.resolve(origin.span);
    for (const ir::CallSite* site = origin.chain; site && place.source != script_; site = site->outer)
      if (const auto outer = anchors_.resolve(site->span); outer.source == script_) place = outer;
    if (place.source)
      at->second = place.source->path() + ":" + std::to_string(place.source->position(place.begin).line + 1);
    return at->second;
  }

  static constexpr std::uint32_t kOperations = 1000;
  const text::Anchors& anchors_;
  const text::Source* script_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, const ir::CallSite*>, std::string> lines_;
  std::string out_ = "{\"traceEvents\": [\n";
  bool first_ = true;
};

}  // namespace

std::string timeline_json(const ide::RunAnswer& answer) {
  return Writer(*answer.compiled.evaluation).write(answer.report.outcome.timeline);
}

}  // namespace tilewright::render
