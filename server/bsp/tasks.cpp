#include "server/bsp/tasks.h"

#include <chrono>

namespace tilewright::bsp {
namespace {

namespace wire = protocol::bsp;

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string fresh_id() {
  static std::atomic<std::uint64_t> next{1};
  return std::to_string(next++);
}

}  // namespace

Task::Task(endpoint::Endpoint& endpoint, std::string origin, const std::string& text, const std::string& kind,
           const protocol::Json& data, const Task* parent)
    : endpoint_(endpoint), origin_(std::move(origin)), id_{fresh_id(), {}}, begun_(now()) {
  if (parent) id_.parents = {parent->id_.id};
  wire::Task start = message(text);
  start.data_kind = kind;
  start.data = data;
  endpoint_.notify("build/taskStart", start);
}

Task::~Task() { finish(wire::Status::Cancelled, "cancelled", {}, nullptr); }

wire::Task Task::message(const std::string& text) const {
  wire::Task out;
  out.task = id_;
  out.origin = origin_;
  out.message = text;
  out.time = now();
  return out;
}

void Task::progress(const std::string& text, std::int64_t done, std::int64_t total, const std::string& unit) {
  wire::Task out = message(text);
  out.progress = done;
  out.total = total;
  out.unit = unit;
  endpoint_.notify("build/taskProgress", out);
}

void Task::finish(wire::Status status, const std::string& text, const std::string& kind, const protocol::Json& data) {
  if (finished_.exchange(true)) return;
  wire::Task out = message(text);
  out.status = status;
  out.data_kind = kind;
  out.data = data;
  endpoint_.notify("build/taskFinish", out);
}

std::int64_t Task::milliseconds() const { return now() - begun_; }

}  // namespace tilewright::bsp
