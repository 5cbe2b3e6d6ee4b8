#include "compiler/toolchain/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"

namespace tilewright::toolchain {
namespace {

// A socket whose other end is gone must be an error here, not a SIGPIPE.
bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == ENOTSOCK) return process::write_all(fd, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// The kernel takes up to 253 in a message.
constexpr std::size_t kDescriptorsAtOnce = 128;

// As read, and keeps the descriptors that come with the bytes. Works on other files than sockets, too.
ssize_t read_some(int fd, char* to, std::size_t size, std::vector<process::Fd>& descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsAtOnce * sizeof(int))];
  iovec bytes{to, size};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == ENOTSOCK) return ::read(fd, to, size);
  if (got < 0) return got;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int given = -1;
      std::memcpy(&given, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(given);
    }
  }
  return got;
}

bool read_exactly(int fd, char* to, std::size_t size, std::vector<process::Fd>& descriptors) {
  while (size > 0) {
    ssize_t got = read_some(fd, to, size, descriptors);
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

std::optional<Record> receive_record(int fd, std::vector<process::Fd>& descriptors) {
  std::uint64_t size = 0;
  if (!read_exactly(fd, reinterpret_cast<char*>(&size), sizeof(size), descriptors) || size > kMessageLimit)
    return std::nullopt;
  std::string body(size, '\0');
  if (!read_exactly(fd, body.data(), body.size(), descriptors)) return std::nullopt;
  return decode(body);
}

RecordWriter::RecordWriter(const Record& record, std::span<const int> descriptors)
    : frame_(encode(record)), descriptors_(descriptors.begin(), descriptors.end()) {
  std::uint64_t size = frame_.size();
  frame_.insert(0, reinterpret_cast<const char*>(&size), sizeof(size));
}

RecordWriter::State RecordWriter::poll(int fd) {
  while (sent_ < frame_.size()) {
    // Descriptors go with the first bytes, a batch with each.
    std::size_t batch = std::min(descriptors_.size() - given_, kDescriptorsAtOnce);
    iovec bytes{frame_.data() + sent_, batch ? 1 : frame_.size() - sent_};
    alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsAtOnce * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (batch) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(batch * sizeof(int));
      cmsghdr* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(batch * sizeof(int));
      std::memcpy(CMSG_DATA(c), descriptors_.data() + given_, batch * sizeof(int));
    }
    ssize_t put = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno == EAGAIN ? State::Incomplete : State::Closed;
    sent_ += static_cast<std::size_t>(put);
    given_ += batch;
  }
  return State::Complete;
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
