// Documents are named by URIs outside and by paths inside.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "server/project/files.h"

namespace tilewright::lsp {

// The path of a file: URI; any other URI (untitled:Untitled-1) stands for itself.
std::string path_of(std::string_view uri);
using project::is_file;
std::string uri_of(std::string_view path);

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
