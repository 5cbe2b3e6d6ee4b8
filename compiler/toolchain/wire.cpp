#include "compiler/toolchain/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "compiler/toolchain/file.h"

namespace tilewright::toolchain {
namespace {

// A socket whose other end is gone must be an error here, not a SIGPIPE.
bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == ENOTSOCK) return write_all(fd, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool read_exactly(int fd, char* to, std::size_t size) {
  while (size > 0) {
    ssize_t got = ::read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool send_record(int fd, const Record& record) {
  std::string body = encode(record);
  std::uint64_t size = body.size();
  return send_all(fd, {reinterpret_cast<const char*>(&size), sizeof(size)}) && send_all(fd, body);
}

std::optional<Record> receive_record(int fd) {
  std::uint64_t size = 0;
  if (!read_exactly(fd, reinterpret_cast<char*>(&size), sizeof(size)) || size > kMessageLimit) return std::nullopt;
  std::string body(size, '\0');
  if (!read_exactly(fd, body.data(), body.size())) return std::nullopt;
  return decode(body);
}

RecordReader::State RecordReader::poll(int fd) {
  for (;;) {
    std::uint64_t size = 0;
    std::size_t want = sizeof(size);
    if (bytes_.size() >= sizeof(size)) {
      std::memcpy(&size, bytes_.data(), sizeof(size));
      if (size > kMessageLimit) return State::Closed;
      want += size;
      if (bytes_.size() == want) return State::Complete;
    }
    std::size_t have = bytes_.size();
    bytes_.resize(want);
    ssize_t got = ::recv(fd, bytes_.data() + have, want - have, MSG_DONTWAIT);
    bytes_.resize(have + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return State::Incomplete;
    if (got <= 0) return State::Closed;
  }
}

std::optional<Record> RecordReader::take() {
  auto record = decode(std::string_view(bytes_).substr(sizeof(std::uint64_t)));
  bytes_.clear();
  return record;
}

}  // namespace tilewright::toolchain
