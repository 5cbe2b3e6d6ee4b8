#include "server/ide/artifacts.h"

#include <algorithm>

namespace tilewright::ide {
namespace {

text::Digest key_of(const cuda::CudaSource& cuda, const std::string& architecture) {
  text::Digest key;
  key.add(std::string_view(cuda.text));
  key.add(std::string_view(architecture));
  return key;
}

}  // namespace

std::size_t Made::bytes() const {
  std::size_t sum = sizeof *this + ptx.size() + sass.size() + error.size();
  for (const toolchain::LogEntry& e : entries) sum += sizeof e + e.message.size();
  for (const toolchain::LineMap* map : {&ptx_lines, &sass_lines}) {
    sum += map->rows.size() * sizeof(toolchain::LineRow) + map->chains.size() * 48;
  }
  return sum;
}

Artifacts::Artifacts(toolchain::Options options, std::function<void(const std::string&)> made,
                     std::function<void(const std::string&)> health, std::size_t limit)
    : options_(std::move(options)),
      made_(std::move(made)),
      health_(std::move(health)),
      limit_(limit),
      thread_([this](const std::stop_token& end) { work(end); }) {
  options_.helpers = 1;
}

Artifacts::~Artifacts() {
  thread_.request_stop();
  std::lock_guard lock(mutex_);
  stop_running_.request_stop();
}

std::shared_ptr<const Made> Artifacts::find(const cuda::CudaSource& cuda, const std::string& architecture) const {
  std::lock_guard lock(mutex_);
  auto it = by_key_.find(key_of(cuda, architecture));
  return it == by_key_.end() ? nullptr : it->second->second;
}

void Artifacts::want(std::vector<Wish> wishes, For whom, std::chrono::milliseconds delay) {
  std::lock_guard lock(mutex_);
  if (whom == For::Background && !wishes.empty()) {
    std::erase_if(
        jobs_, [&](const Job& j) { return j.whom == For::Background && j.wish.document == wishes.front().document; });
  }
  for (Wish& wish : wishes) {
    text::Digest key = key_of(*wish.cuda, wish.architecture);
    auto known = by_key_.find(key);
    if (known != by_key_.end() && (!wish.sass || known->second->second->sass_tried)) continue;
    Clock::time_point due = Clock::now() + delay;
    auto same = std::ranges::find_if(jobs_, [&](const Job& j) { return j.key == key; });
    if (same != jobs_.end()) {
      same->wish.sass |= wish.sass;
      same->due = std::min(same->due, due);
      if (whom == For::Person) same->whom = whom;
      continue;
    }
    jobs_.push_back({std::move(wish), key, whom, due});
  }
  wake_.notify_one();
}

void Artifacts::typed(const std::string& document) {
  std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [&](const Job& j) { return j.wish.document == document; });
  if (running_ == document) stop_running_.request_stop();
}

std::size_t Artifacts::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void Artifacts::keep(const text::Digest& key, std::shared_ptr<const Made> made) {
  std::lock_guard lock(mutex_);
  if (auto it = by_key_.find(key); it != by_key_.end()) {
    bytes_ -= it->second->second->bytes();
    kept_.erase(it->second);
    by_key_.erase(it);
  }
  bytes_ += made->bytes();
  kept_.emplace_front(key, std::move(made));
  by_key_[key] = kept_.begin();
  while (bytes_ > limit_ && kept_.size() > 1) {
    bytes_ -= kept_.back().second->bytes();
    by_key_.erase(kept_.back().first);
    kept_.pop_back();
  }
}

void Artifacts::work(const std::stop_token& end) {
  std::unique_ptr<toolchain::Toolchain> tools;
  bool broken = false;
  while (!end.stop_requested()) {
    Job job;
    std::stop_source stop;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, end, [&] { return !jobs_.empty(); });
      if (end.stop_requested()) return;
      auto first = std::ranges::min_element(jobs_, {}, &Job::due);
      if (Clock::time_point due = first->due; due > Clock::now()) {
        // Until then, or until something comes that is wanted earlier.
        wake_.wait_until(lock, end, due,
                         [&] { return std::ranges::any_of(jobs_, [&](const Job& j) { return j.due < due; }); });
        continue;
      }
      job = std::move(*first);
      jobs_.erase(first);
      running_ = job.wish.document;
      stop_running_ = stop;
    }
    if (!tools) tools = std::make_unique<toolchain::Toolchain>(options_);
    toolchain::Request request;
    request.cuda_source = job.wish.cuda->text;
    request.arch = job.wish.architecture;
    request.want_sass = job.wish.sass;
    request.stop = stop.get_token();
    auto answer = tools->compile(request);
    {
      std::lock_guard lock(mutex_);
      running_.clear();
    }
    bool broke = !answer && answer.error().kind == toolchain::Error::Kind::Crash;
    if (broke && health_) health_(answer.error().message);
    if (broken && answer && health_) health_({});
    if (broke || answer) broken = broke;
    if (broke && !job.again) {
      // It may have been somebody else's doing. A kernel that breaks them twice is told so.
      std::lock_guard lock(mutex_);
      job.again = true;
      job.due = Clock::now();
      jobs_.push_back(std::move(job));
      continue;
    }
    auto made = std::make_shared<Made>();
    made->sass_tried = job.wish.sass;
    if (answer) {
      made->ptx = std::move(answer->ptx);
      made->sass = std::move(answer->sass);
      made->sass_missing = std::move(answer->sass_missing);
      made->entries = std::move(answer->entries);
      made->kernels = std::move(answer->kernels);
      made->ptx_lines = toolchain::read_ptx_lines(made->ptx);
      if (!made->sass.empty()) made->sass_lines = toolchain::read_sass_lines(made->sass);
    } else {
      if (answer.error().kind == toolchain::Error::Kind::Stopped) continue;
      made->error = answer.error().message;
      if (!answer.error().log.empty()) made->error += "\n" + answer.error().log;
      made->entries = std::move(answer.error().entries);
      made->sass_tried = true;
    }
    keep(job.key, std::move(made));
    made_(job.wish.document);
  }
}

}  // namespace tilewright::ide
