#include "server/ide/artifacts.h"

#include <algorithm>
#include <new>

namespace tilewright::ide {
namespace {

constexpr const char* kNoMemory = "this machine has no memory left to compile it";

text::Digest key_of(const cuda::CudaSource& cuda, const std::string& architecture) {
  text::Digest key;
  key.add(cuda.digest);
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
  backlog_.stop_running();
}

Made made_from(std::expected<toolchain::Artifacts, toolchain::Error> answer, bool sass) {
  Made made;
  made.sass_tried = sass;
  if (answer) {
    made.ptx = std::move(answer->ptx);
    made.sass = std::move(answer->sass);
    made.sass_missing = std::move(answer->sass_missing);
    made.entries = std::move(answer->entries);
    made.kernels = std::move(answer->kernels);
    made.ptx_lines = toolchain::read_ptx_lines(made.ptx);
    if (!made.sass.empty()) made.sass_lines = toolchain::read_sass_lines(made.sass);
  } else {
    made.error = answer.error().message;
    made.no_tools = answer.error().kind == toolchain::Error::Kind::NoCuda;
    if (!answer.error().log.empty()) made.error += "\n" + answer.error().log;
    made.entries = std::move(answer.error().entries);
    made.sass_tried = true;
  }
  return made;
}

std::shared_ptr<const Made> Artifacts::find(const cuda::CudaSource& cuda, const std::string& architecture) const {
  std::lock_guard lock(mutex_);
  if (by_key_.empty()) return nullptr;
  auto it = by_key_.find(key_of(cuda, architecture));
  return it == by_key_.end() ? nullptr : it->second->second;
}

void Artifacts::want(std::vector<Wish> wishes, For whom, std::chrono::milliseconds delay) {
  std::vector<Keyed> missing;
  for (Wish& wish : wishes) {
    text::Digest key = key_of(*wish.cuda, wish.architecture);
    std::lock_guard lock(mutex_);
    auto known = by_key_.find(key);
    if (known != by_key_.end() && (!wish.sass || known->second->second->sass_tried)) continue;
    missing.push_back({std::move(wish), key});
  }
  backlog_.want(std::move(missing), whom, delay);
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
  backlog_.work_through(end, [&](Backlog<Keyed>::Job job) {
    if (!tools) tools = std::make_unique<toolchain::Toolchain>(options_);
    toolchain::Request request;
    request.cuda_source = job.wish.cuda->text;
    request.arch = job.wish.architecture;
    request.want_sass = job.wish.sass;
    request.stop = job.stop;
    // Who waits for it is told that there was no memory: what is not kept stays pending.
    auto compiled = [&]() -> std::expected<toolchain::Artifacts, toolchain::Error> {
      try {
        return tools->compile(request);
      } catch (const std::bad_alloc&) {
        return std::unexpected(toolchain::Error{toolchain::Error::Kind::Memory, kNoMemory, {}, {}});
      }
    };
    auto answer = compiled();
    bool broke = !answer && answer.error().kind == toolchain::Error::Kind::Crash;
    if (broke && health_) health_(answer.error().message);
    if (broken && answer && health_) health_({});
    if (broke || answer) broken = broke;
    if (broke && !job.again) {
      // Another kernel may have caused it. A kernel that breaks them twice is told so.
      backlog_.again(std::move(job));
      return;
    }
    if (!answer && answer.error().kind == toolchain::Error::Kind::Stopped) return;
    keep(job.wish.key, std::make_shared<Made>(made_from(std::move(answer), job.wish.sass)));
    made_(job.wish.document);
  });
}

}  // namespace tilewright::ide
