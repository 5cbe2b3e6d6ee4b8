// Unix sockets: connecting, and whose process is at the other end. Only the files of this folder include it.
#pragma once
#include <expected>
#include <string>
#include <system_error>

namespace tilewright::transport {

// The error says whose it is: neither this user's nor root's.
std::expected<void, std::string> check_peer(int socket);

// Connects a socket to a socket file, never waiting: resource_unavailable_try_again where too many clients stand before
// a listener that does not take them in. The path fits into an address.
std::error_code connect_now(int socket, const std::string& path);

}  // namespace tilewright::transport
