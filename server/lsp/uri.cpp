#include "server/lsp/uri.h"

namespace tilewright::lsp {

std::string Uris::of(const std::string& path) const {
  {
    std::lock_guard lock(mutex_);
    if (auto it = open_.find(path); it != open_.end()) return it->second;
  }
  return uri_of(path);
}

void Uris::open(const std::string& path, std::string uri) {
  std::lock_guard lock(mutex_);
  open_.insert_or_assign(path, std::move(uri));
}

void Uris::close(const std::string& path) {
  std::lock_guard lock(mutex_);
  open_.erase(path);
}

}  // namespace tilewright::lsp
