// A connection over our own standard input and output, files and pipes alike.
#include <sys/stat.h>
#include <unistd.h>

#include "server/transport/asio_connection.h"

namespace tilewright::transport {
namespace {

// A file is always ready and cannot be waited for: reading it blocks, which for a file is short.
bool is_waitable(int fd) {
  struct stat s{};
  return ::fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode) && ::lseek(fd, 0, SEEK_CUR) < 0;
}

}  // namespace

std::unique_ptr<Connection> stdio() {
  auto io = std::make_unique<asio::io_context>(1);
  using End = asio::posix::stream_descriptor;
  int file = is_waitable(0) ? -1 : ::dup(0);
  End in(*io), out(*io);
  std::thread copier;
  boost::system::error_code ec;
  if (file < 0) in.assign(::dup(0), ec);
  if (!ec && is_waitable(1)) {
    out.assign(::dup(1), ec);
  } else {
    // A file takes everything at once: a pipe of our own is copied into it.
    int ends[2];
    if (::pipe(ends) == 0) {
      out.assign(ends[1], ec);
      copier = std::thread([from = ends[0]] {
        char buffer[1 << 16];
        bool whole = true;
        for (ssize_t n; (n = ::read(from, buffer, sizeof buffer)) > 0;) {
          for (ssize_t done = 0, w; whole && done < n; done += w) {
            w = ::write(1, buffer + done, static_cast<std::size_t>(n - done));
            whole = w > 0;
          }
        }
        ::close(from);
      });
    }
  }
  return std::make_unique<AsioConnection<End, End>>(std::move(io), std::move(in), std::move(out), file,
                                                    std::move(copier));
}

}  // namespace tilewright::transport
