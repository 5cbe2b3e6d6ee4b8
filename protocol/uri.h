// Files are named by URIs outside and by paths inside.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::protocol {

// The path of a file: URI; any other URI (untitled:Untitled-1) stands for itself.
std::string path_of(std::string_view uri);
// The file: URI of an absolute path; anything else stands for itself.
std::string uri_of(std::string_view path);

}  // namespace tilewright::protocol
