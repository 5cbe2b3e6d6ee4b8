// File descriptors with an owner.
#pragma once
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace tilewright::toolchain {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Reads from the start of a file, at most `limit` bytes. False on a read error or when the file is larger.
bool read_all(int fd, std::string& bytes, std::size_t limit);
// Writes everything at the current position. False (and errno) when the device takes no more.
bool write_all(int fd, std::string_view bytes);

}  // namespace tilewright::toolchain
