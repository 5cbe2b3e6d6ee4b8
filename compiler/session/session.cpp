#include "compiler/session/session.h"

#include <algorithm>

#include "compiler/session/statement_symbols.h"

namespace tilewright::session {

std::shared_ptr<const Snapshot> Session::make(Document& document, std::shared_ptr<const syntax::Tree> tree,
                                              std::int64_t version, std::shared_ptr<const Settings> settings) {
  document.touched = ++clock_;
  auto loader = loaders_ ? loaders_(tree->source()->path()) : nullptr;
  document.snapshot =
      std::make_shared<Snapshot>(std::move(tree), version, std::move(settings), std::move(loader), document.cache,
                                 document.names, assumes_orders_ ? document.orders : nullptr);
  return document.snapshot;
}

std::shared_ptr<const Snapshot> Session::open(const std::string& path, std::string text, std::int64_t version,
                                              std::shared_ptr<const Settings> settings) {
  Document& document = documents_[path];
  if (!document.cache) {
    document.cache = std::make_shared<KernelCache>();
    document.names = std::make_shared<KnownStatements>();
  }
  auto source = std::make_shared<text::Source>(path, std::move(text));
  auto tree =
      document.snapshot ? syntax::Tree::reparse(*document.snapshot->tree(), source) : syntax::Tree::parse(source);
  return make(document, std::move(tree), version, std::move(settings));
}

std::shared_ptr<const Snapshot> Session::change(const std::string& path, std::string text, std::int64_t version) {
  auto it = documents_.find(path);
  if (it == documents_.end()) return nullptr;
  const text::Edit edit = text::difference(it->second.snapshot->source().text(), text);
  return change(path, std::make_shared<text::Source>(path, std::move(text)), edit, version);
}

std::shared_ptr<const Snapshot> Session::change(const std::string& path, std::shared_ptr<const text::Source> source,
                                                const text::Edit& edit, std::int64_t version) {
  auto it = documents_.find(path);
  if (it == documents_.end()) return nullptr;
  const Snapshot& before = *it->second.snapshot;
  auto tree = syntax::Tree::reparse(*before.tree(), std::move(source), edit);
  return make(it->second, std::move(tree), version, before.settings());
}

std::shared_ptr<const Snapshot> Session::refresh(const std::string& path, std::shared_ptr<const Settings> settings) {
  auto it = documents_.find(path);
  if (it == documents_.end()) return nullptr;
  auto before = it->second.snapshot;
  return make(it->second, before->tree(), before->version(), std::move(settings));
}

void Session::close(const std::string& path) { documents_.erase(path); }

std::shared_ptr<const Snapshot> Session::find(const std::string& path) const {
  auto it = documents_.find(path);
  return it == documents_.end() ? nullptr : it->second.snapshot;
}

std::vector<std::shared_ptr<const Snapshot>> Session::all() const {
  std::vector<std::shared_ptr<const Snapshot>> out;
  for (auto& [path, document] : documents_) out.push_back(document.snapshot);
  return out;
}

void Session::trim() {
  auto total = [&] {
    std::size_t sum = 0;
    for (auto& [path, document] : documents_) sum += document.cache->report().bytes;
    return sum;
  };
  if (total() <= cache_limit_) return;
  for (auto& [path, document] : documents_) document.cache->drop_stale();
  std::vector<Document*> oldest;
  for (auto& [path, document] : documents_) oldest.push_back(&document);
  std::ranges::sort(oldest, {}, &Document::touched);
  for (Document* document : oldest) {
    if (total() <= cache_limit_) return;
    // The snapshot holds its analysis; one that was not asked yet stands for the same text and holds nothing.
    document->cache = std::make_shared<KernelCache>();
    make(*document, document->snapshot->tree(), document->snapshot->version(), document->snapshot->settings());
  }
}

MemoryReport Session::memory() const {
  MemoryReport report;
  report.cache_limit = cache_limit_;
  for (auto& [path, document] : documents_) {
    report.documents.push_back({path, document.snapshot->source().size(), document.cache->report()});
    report.cache_bytes += report.documents.back().kernels.bytes;
  }
  return report;
}

}  // namespace tilewright::session
