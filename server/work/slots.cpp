#include "server/work/slots.h"

#include <algorithm>
#include <utility>

#include "compiler/threads/pause.h"

namespace tilewright::work {

bool SlotPool::Kind::is(const Kind& other) const {
  return cubins == other.cubins && device.name == other.device.name && device.major == other.device.major &&
         device.minor == other.device.minor;
}

SlotPool::SlotPool(std::vector<Slot> slots, std::chrono::milliseconds pause) : pause_(pause) {
  for (Slot& slot : slots) {
    places_.push_back(std::make_unique<Place>());
    places_.back()->slot = std::move(slot);
  }
}

std::optional<std::string> SlotPool::stranded() const {
  std::lock_guard lock(mutex_);
  if (std::ranges::any_of(places_, [](const auto& p) { return p->state != Place::State::Gone; })) return std::nullopt;
  return why_stranded();
}

std::vector<std::string> SlotPool::left_out() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& p : places_)
    if (p->state == Place::State::Gone) out.push_back(p->slot.name + ": " + p->reason);
  return out;
}

// All reasons where they differ; slots of one machine mostly have one.
std::string SlotPool::why_stranded() const {
  std::vector<std::string> reasons;
  for (const auto& p : places_)
    if (std::ranges::find(reasons, p->reason) == reasons.end()) reasons.push_back(p->reason);
  std::string out;
  for (const std::string& reason : reasons) out += (out.empty() ? "" : "; ") + reason;
  return out.empty() ? "there is nothing to run on" : out;
}

void SlotPool::ask(Place& place, std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  place.busy = true;
  const int times = place.kind ? kAttempts : 1;  // one that was there may come back
  lock.unlock();
  auto device = place.slot.executor->device(stop);
  for (int time = 1; !device && time < times && !stop.stop_requested(); ++time) {
    if (!threads::pause(pause_ * time, stop)) break;
    device = place.slot.executor->device(stop);
  }
  const bool cubins = place.slot.executor->runs_cubins();
  lock.lock();
  place.busy = false;
  if (device) {
    place.state = Place::State::Ready;
    place.kind = Kind{*device, cubins};
  } else if (!stop.stop_requested()) {
    place.state = Place::State::Gone;
    place.reason = device.error();
  }
  tell_change();
}

void SlotPool::tell_change() {
  ++changes_;
  changed_.notify_all();
}

void SlotPool::await_change(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  changed_.wait(lock, stop, [this, seen = changes_] { return changes_ != seen; });
}

// A slot that was never asked is asked when there are as many runs as slots that are there: it may take seconds to
// start. Then the kind with the fewest runs for each of its slots is chosen.
std::expected<SlotPool::Kind, std::string> SlotPool::choose(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop.stop_requested()) return std::unexpected("stopped");
    Place *best = nullptr, *fresh = nullptr;
    bool hope = false;
    std::size_t runs = 0, there = 0;
    for (const auto& p : places_) {
      hope = hope || p->state != Place::State::Gone;
      if (p->state == Place::State::Gone) continue;
      if (!p->kind) {
        if (!p->busy && !fresh) fresh = p.get();
        continue;
      }
      runs += p->bound;
      ++there;
      if (!best || p->bound < best->bound) best = p.get();
    }
    if (fresh && runs >= there) {
      ask(*fresh, lock, stop);
      continue;
    }
    if (best) {
      ++best->bound;
      return *best->kind;
    }
    if (!hope) return std::unexpected(why_stranded());
    await_change(lock, stop);
  }
}

// Null: none of the kind is left, or it was stopped.
SlotPool::Place* SlotPool::take(const Kind& kind, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop.stop_requested()) return nullptr;
    Place *free = nullptr, *lapsed = nullptr, *fresh = nullptr;
    bool hope = false;
    for (const auto& p : places_) {
      hope = hope || (p->busy && !p->kind);  // who knows what it is
      if (!fresh && !p->busy && !p->kind && p->state != Place::State::Gone) fresh = p.get();
      if (p->state == Place::State::Gone || !p->kind || !p->kind->is(kind)) continue;
      hope = true;
      if (p->busy) continue;
      Place*& found = p->state == Place::State::Ready ? free : lapsed;
      if (!found) found = p.get();
    }
    if (free) {
      free->busy = true;
      return free;
    }
    if (lapsed || (fresh && !hope)) {
      ask(lapsed ? *lapsed : *fresh, lock, stop);
      continue;
    }
    if (!hope) return nullptr;
    await_change(lock, stop);
  }
}

void SlotPool::give_back(Place& place, run::Status status, const std::string& message) {
  std::lock_guard lock(mutex_);
  place.busy = false;
  if (status == run::Status::Lost) place.state = Place::State::Unasked;
  if (status == run::Status::NoDriver) {
    place.state = Place::State::Gone;
    place.reason = message;
  }
  tell_change();
}

Borrower::~Borrower() {
  if (!kind_) return;
  std::lock_guard lock(pool_.mutex_);
  SlotPool::Place* most = nullptr;
  for (const auto& p : pool_.places_)
    if (p->kind && p->kind->is(*kind_) && (!most || p->bound > most->bound)) most = p.get();
  if (most && most->bound > 0) --most->bound;
}

std::expected<run::DeviceInfo, std::string> Borrower::device(const std::stop_token& stop) {
  if (kind_) return kind_->device;
  auto kind = pool_.choose(stop);
  if (!kind) return std::unexpected(kind.error());
  kind_ = std::move(*kind);
  return kind_->device;
}

std::expected<toolchain::Artifacts, toolchain::Error> Borrower::compile(const toolchain::Request& request) {
  std::vector<run::Executor*> able;
  {
    std::lock_guard lock(pool_.mutex_);
    for (const auto& place : pool_.places_)
      if (place->state == SlotPool::Place::State::Ready && kind_ && place->kind && place->kind->is(*kind_))
        able.push_back(place->slot.executor.get());
  }
  auto made = run::Executor::compile(request);
  for (run::Executor* executor : able) {
    made = executor->compile(request);
    if (made || made.error().kind != toolchain::Error::Kind::NoCuda) break;
  }
  return made;
}

run::Outcome Borrower::execute(const run::Bound& bound, const std::stop_token& stop) {
  run::Outcome out;
  if (auto there = device(stop); !there) {
    out.status = stop.stop_requested() ? run::Status::Stopped : run::Status::NoDriver;
    out.message = there.error();
    return out;
  }
  for (int attempt = 1;; ++attempt) {
    SlotPool::Place* place = pool_.take(*kind_, stop);
    if (!place) {
      out = {};
      out.status = stop.stop_requested() ? run::Status::Stopped : run::Status::NoDriver;
      out.message = pool_.stranded().value_or("nothing of its kind is left to run on");
      for (const std::string& lost : lost_) out.message += "; lost by " + lost;
      return out;
    }
    where_ = place->slot.name;
    place_ = place->slot.executor->place();
    attempts_ = std::max(attempts_, attempt);
    try {
      out = place->slot.executor->execute(bound, stop);
    } catch (...) {
      pool_.give_back(*place, run::Status::Lost, {});
      throw;
    }
    pool_.give_back(*place, out.status, out.message);
    const bool gone = out.status == run::Status::Lost || out.status == run::Status::NoDriver;
    if (!gone || stop.stop_requested()) return out;
    lost_.push_back(where_ + ": " + out.message);
    if (attempt == SlotPool::kAttempts) {
      out.message += " (tried " + std::to_string(attempt) + " times)";
      return out;
    }
  }
}

}  // namespace tilewright::work
