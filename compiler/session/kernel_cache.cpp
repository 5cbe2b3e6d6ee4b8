#include "compiler/session/kernel_cache.h"

#include <algorithm>
#include <unordered_set>

namespace tilewright::session {

namespace {
constexpr std::size_t kLastRuns = 4;  // a document is rarely looked at for more architectures
}

std::size_t KernelEntry::bytes_held() const {
  std::size_t sum = sizeof *this + stages.bytes() + (kernel.arena ? kernel.arena->bytes() : 0);
  for (const text::Diagnostic& d : diagnostics)
    sum += sizeof d + d.message.size() + d.hint.size() + d.fix.title.size() + d.fix.text.size();
  return sum + statements.size() * sizeof(void*);
}

std::vector<std::shared_ptr<script::KernelRecord>> KernelCache::Use::find(const text::Digest& key) {
  std::lock_guard lock(cache_.mutex_);
  std::vector<std::shared_ptr<script::KernelRecord>> found;
  auto [from, to] = cache_.by_key_.equal_range(key);
  for (auto it = from; it != to; ++it) {
    found.push_back(*it->second);
    used_.push_back(*it->second);
    cache_.entries_.splice(cache_.entries_.begin(), cache_.entries_, it->second);
  }
  if (!found.empty()) ++reused_;
  return found;
}

void KernelCache::Use::keep(std::shared_ptr<script::KernelRecord> record) {
  auto entry = std::static_pointer_cast<KernelEntry>(std::move(record));
  used_.push_back(entry);
  ++made_;
  if (told_) told_(entry);
  std::lock_guard lock(cache_.mutex_);
  cache_.entries_.push_front(entry);
  cache_.by_key_.emplace(entry->key, cache_.entries_.begin());
}

void KernelCache::Use::use(const std::shared_ptr<script::KernelRecord>& record) {
  used_.push_back(std::static_pointer_cast<KernelEntry>(record));
  ++reused_;
}

std::unique_ptr<script::LastRun> KernelCache::Use::take_last_run(const text::Digest& surroundings) {
  std::lock_guard lock(cache_.mutex_);
  auto it = std::ranges::find(cache_.last_runs_, surroundings, &decltype(cache_.last_runs_)::value_type::first);
  if (it == cache_.last_runs_.end()) return nullptr;
  auto run = std::move(it->second);
  cache_.last_runs_.erase(it);
  return run;
}

void KernelCache::Use::keep_last_run(const text::Digest& surroundings, std::unique_ptr<script::LastRun> run) {
  std::lock_guard lock(cache_.mutex_);
  auto& all = cache_.last_runs_;
  std::erase_if(all, [&](const auto& known) { return known.first == surroundings; });
  all.emplace_back(surroundings, std::move(run));
  if (all.size() > kLastRuns) all.erase(all.begin());
}

void KernelCache::Use::finish() {
  std::lock_guard lock(cache_.mutex_);
  std::size_t in_use = 0, bytes = 0;
  std::unordered_set<const KernelEntry*> used;
  for (const auto& e : used_) used.insert(e.get());
  // What this analysis used goes to the front; what lies behind is stale.
  for (auto it = cache_.entries_.begin(); it != cache_.entries_.end();) {
    auto next = std::next(it);
    if (used.contains(it->get())) {
      cache_.entries_.splice(cache_.entries_.begin(), cache_.entries_, it);
      ++in_use;
    }
    it = next;
  }
  used_.clear();
  std::size_t stale = 0;
  auto it = std::next(cache_.entries_.begin(), static_cast<std::ptrdiff_t>(in_use));
  while (it != cache_.entries_.end()) {
    bytes += (*it)->bytes_held();
    if (++stale > cache_.limits_.stale_records || bytes > cache_.limits_.stale_bytes) break;
    ++it;
  }
  while (it != cache_.entries_.end()) it = cache_.erase(it);
}

KernelCache::Entries::iterator KernelCache::erase(Entries::iterator entry) {
  auto [from, to] = by_key_.equal_range((*entry)->key);
  for (auto it = from; it != to; ++it) {
    if (it->second != entry) continue;
    by_key_.erase(it);
    break;
  }
  return entries_.erase(entry);
}

KernelCache::Report KernelCache::report() const {
  std::lock_guard lock(mutex_);
  Report r;
  for (const auto& e : entries_) {
    ++r.records;
    r.stale += e.use_count() == 1;
    r.bytes += e->bytes_held();
  }
  return r;
}

void KernelCache::drop_stale() {
  std::lock_guard lock(mutex_);
  last_runs_.clear();  // they hold the kernels of texts that may be gone
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->use_count() > 1) {
      ++it;
      continue;
    }
    it = erase(it);
  }
}

void KernelCache::clear() {
  std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
  last_runs_.clear();
}

}  // namespace tilewright::session
