// Documents are named by URIs outside and by paths inside.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::lsp {

// The path of a file: URI; any other URI (untitled:Untitled-1) stands for itself.
std::string path_of(std::string_view uri);
bool is_file(std::string_view path_or_uri);  // an absolute path, not some other URI
std::string uri_of(std::string_view path);

}  // namespace tilewright::lsp
