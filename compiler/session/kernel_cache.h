// The kernels of one document that were evaluated before (compiler/script/memo.h), with what later stages made of them.
//
// A record that the last analysis used is always kept: the snapshot holds it anyway. Of the others the youngest are
// kept, so that undoing an edit, or closing a bracket again, finds its kernels; how many is bounded in number and
// bytes.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/script/last_run.h"
#include "compiler/script/memo.h"
#include "compiler/session/stages.h"

namespace tilewright::session {

struct KernelEntry final : script::KernelRecord {
  KernelStages stages;
  std::size_t bytes_held() const;
};

struct CacheLimits {
  std::size_t stale_records = 64;
  std::size_t stale_bytes = 8u << 20;
};

class KernelCache {
 public:
  explicit KernelCache(CacheLimits limits = {}) : limits_(limits) {}

  // The memo of one analysis. Several may be open at once, on several threads; `finish` says that this one's records
  // are those in use.
  class Use final : public script::KernelMemo {
   public:
    explicit Use(KernelCache& cache) : cache_(cache) {}
    std::shared_ptr<script::KernelRecord> make() override { return std::make_shared<KernelEntry>(); }
    std::vector<std::shared_ptr<script::KernelRecord>> find(const text::Digest& key) override;
    void keep(std::shared_ptr<script::KernelRecord> record) override;
    void use(const std::shared_ptr<script::KernelRecord>& record) override;
    bool remembers() const override { return true; }
    std::unique_ptr<script::LastRun> take_last_run(const text::Digest& surroundings) override;
    void keep_last_run(const text::Digest& surroundings, std::unique_ptr<script::LastRun> run) override;
    void finish();
    // Called with each record as it is kept, which does not change from then on.
    void when_kept(std::function<void(const std::shared_ptr<KernelEntry>&)> told) { told_ = std::move(told); }
    std::size_t reused() const { return reused_; }
    std::size_t made() const { return made_; }

   private:
    KernelCache& cache_;
    std::vector<std::shared_ptr<KernelEntry>> used_;
    std::function<void(const std::shared_ptr<KernelEntry>&)> told_;
    std::size_t reused_ = 0, made_ = 0;
  };

  struct Report {
    std::size_t records = 0, stale = 0, bytes = 0;
  };
  Report report() const;
  void drop_stale();  // what no snapshot uses
  void clear();

 private:
  using Entries = std::list<std::shared_ptr<KernelEntry>>;  // most recently used first
  Entries::iterator erase(Entries::iterator entry);

  CacheLimits limits_;
  mutable std::mutex mutex_;
  // By the surroundings of the runs, the youngest last. One that is under way has taken its own.
  std::vector<std::pair<text::Digest, std::unique_ptr<script::LastRun>>> last_runs_;
  Entries entries_;
  std::unordered_multimap<text::Digest, Entries::iterator, text::DigestHash> by_key_;
};

}  // namespace tilewright::session
