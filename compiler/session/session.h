// The open documents. One thread owns a Session and changes it; the snapshots that it hands out belong to all threads.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/session/snapshot.h"

namespace tilewright::session {

struct MemoryReport {
  struct Document {
    std::string path;
    std::size_t text_bytes = 0;
    KernelCache::Report kernels;
  };
  std::vector<Document> documents;
  std::size_t cache_bytes = 0, cache_limit = 0;
};

class Session {
 public:
  // Makes the loader of a document's imports. It is used by analyses on any thread, by one at a time a snapshot.
  using LoaderFactory = std::function<std::shared_ptr<script::Loader>(const std::string& path)>;

  explicit Session(LoaderFactory loaders, std::size_t cache_limit = 256u << 20)
      : loaders_(std::move(loaders)), cache_limit_(cache_limit) {}

  // Opening a document that is open replaces its text.
  std::shared_ptr<const Snapshot> open(const std::string& path, std::string text, std::int64_t version,
                                       std::shared_ptr<const Settings> settings);
  // The document's text after an edit; what stayed as it was is found by comparing. Null: no such document.
  std::shared_ptr<const Snapshot> change(const std::string& path, std::string text, std::int64_t version);
  // The same of an edit whose place is known. It takes in all that differs.
  std::shared_ptr<const Snapshot> change(const std::string& path, std::shared_ptr<const text::Source> source,
                                         const text::Edit& edit, std::int64_t version);
  // The same text under other settings, or because something that it imports changed.
  std::shared_ptr<const Snapshot> refresh(const std::string& path, std::shared_ptr<const Settings> settings);
  void close(const std::string& path);

  std::shared_ptr<const Snapshot> find(const std::string& path) const;  // null: not open
  std::vector<std::shared_ptr<const Snapshot>> all() const;             // by path

  // While a document is edited, what was found out of the orders of its sets stands until Snapshot::judge_orders() is
  // called. Else each analysis finds out.
  void assume_orders(bool on) { assumes_orders_ = on; }

  // Keeps the caches below their limit: stale kernels go first, then those of the documents that were edited longest
  // ago (a document that is analysed again fills its cache again).
  void trim();
  MemoryReport memory() const;

 private:
  struct Document {
    std::shared_ptr<const Snapshot> snapshot;
    std::shared_ptr<KernelCache> cache;
    std::shared_ptr<KnownStatements> names;
    std::shared_ptr<OrderVerdicts> orders = std::make_shared<OrderVerdicts>();
    std::uint64_t touched = 0;
  };
  std::shared_ptr<const Snapshot> make(Document& document, std::shared_ptr<const syntax::Tree> tree,
                                       std::int64_t version, std::shared_ptr<const Settings> settings);

  LoaderFactory loaders_;
  std::size_t cache_limit_;
  std::map<std::string, Document, std::less<>> documents_;
  std::uint64_t clock_ = 0;
  bool assumes_orders_ = false;
};

}  // namespace tilewright::session
