#include "server/transport/peer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

namespace tilewright::transport {

std::expected<void, std::string> check_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return std::unexpected("the system does not tell whose process is at the other end");
  if (peer.uid == 0 || peer.uid == ::geteuid()) return {};
  return std::unexpected("user " + std::to_string(peer.uid) + " is at the other end, not user " +
                         std::to_string(::geteuid()) + " or root");
}

std::error_code connect_now(int socket, const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return {};
  return {errno, std::generic_category()};
}

}  // namespace tilewright::transport
