// Whose process is at the other end of a Unix socket. Only the files of this folder include it.
#pragma once
#include <expected>
#include <string>

namespace tilewright::transport {

// The error says whose it is: neither this user's nor root's.
std::expected<void, std::string> check_peer(int socket);

}  // namespace tilewright::transport
