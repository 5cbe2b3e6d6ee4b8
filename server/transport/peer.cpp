#include "server/transport/peer.h"

#include <sys/socket.h>
#include <unistd.h>

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

}  // namespace tilewright::transport
