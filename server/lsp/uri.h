// Documents are named by URIs outside and by paths inside.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "protocol/uri.h"
#include "server/project/files.h"

namespace tilewright::lsp {

using project::is_file;
using protocol::path_of;
using protocol::uri_of;

// A URI may be spelled in several ways (`%40` or `@`), and clients compare them as text: an open document keeps the one
// that it was opened by.
class Uris {
 public:
  std::string of(const std::string& path) const;
  void open(const std::string& path, std::string uri);
  void close(const std::string& path);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> open_;
};

}  // namespace tilewright::lsp
