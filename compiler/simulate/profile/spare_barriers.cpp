#include "compiler/simulate/profile/spare_barriers.h"

#include <algorithm>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void SpareBarriers::arrive(const Thread& t, std::uint64_t place, bool) {
  if (place > kOffsetMask) touch(t, place, kBarrier, false);  // an mbarrier
}

void SpareBarriers::touch(const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes) {
  if (gave_up_ || bytes <= 0 || (!machine_.window_address(pointer) && !machine_.is_global(pointer))) return;
  const std::uint64_t at = machine_.generic(pointer);
  const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
  for (std::uint64_t word = at / kWord; word * kWord < end; ++word) touch_word(t, word, writes);
}

// An access of this warp after one of `other`, in an earlier segment: the barriers between them have a site alone.
void SpareBarriers::meets(const Last& other, std::uint32_t segment, std::uint32_t thread, const Thread& t) {
  if (segment == 0 || segment >= segment_ || segment < since_) return;
  Site& site = sites_[site_];
  if (other.warp != t.linear / 32) {
    site.needed = true;
  } else if (thread != t.linear) {
    site.barrier.of_warps = true;
  }
}

void SpareBarriers::touch_word(const Thread& t, std::uint64_t word, bool writes) {
  if (words_.size() >= kMostWords && !words_.contains(word)) {
    gave_up_ = true;
    return;
  }
  std::vector<Last>& lasts = words_[word];
  Last* own = nullptr;
  for (Last& last : lasts) {
    meets(last, last.write, last.writer, t);
    if (writes) meets(last, last.read, last.reader, t);
    if (last.warp == t.linear / 32) own = &last;
  }
  if (!own) own = &lasts.emplace_back(Last{.warp = t.linear / 32});
  std::uint32_t &segment = writes ? own->write : own->read, &thread = writes ? own->writer : own->reader;
  thread = segment == segment_ && thread != t.linear ? kMany : t.linear;
  segment = segment_;
}

void SpareBarriers::pass(std::span<const Thread* const> threads, std::uint64_t, std::string_view) {
  if (gave_up_ || threads.empty() || machine_.site_of(*threads.front()).kind != simulate::Site::Kind::CtaSync) return;
  const std::uint32_t number = machine_.origin_number_at(threads.front()->pc);
  const auto [at, fresh] = sites_.try_emplace(number);
  if (fresh) at->second.barrier.origin = machine_.origin_numbered(number);
  ++at->second.barrier.times;
  at->second.barrier.rounds = std::max(at->second.barrier.rounds, ++at->second.rounds);
  if (site_ != kMany) at->second.before.insert(site_);
  if (number != site_) since_ = segment_;
  site_ = number;
  ++segment_;
}

void SpareBarriers::end_cta(std::span<const Thread>, std::uint64_t, std::size_t) {
  words_.clear();
  segment_ = since_ = 1;
  site_ = kMany;
  for (auto& [number, site] : sites_) site.rounds = 0;
  list();
}

// Of barriers that follow each other one alone is named: without it the next one may be needed.
void SpareBarriers::list() {
  out_.barriers.clear();
  if (gave_up_) return;
  std::set<std::uint32_t> named;
  for (const auto& [number, site] : sites_) {
    if (site.needed) continue;
    const bool beside = std::ranges::any_of(named, [&, at = number](std::uint32_t other) {
      return sites_[at].before.contains(other) || sites_[other].before.contains(at);
    });
    if (beside) continue;
    named.insert(number);
    out_.barriers.push_back(site.barrier);
  }
}

}  // namespace tilewright::simulate
