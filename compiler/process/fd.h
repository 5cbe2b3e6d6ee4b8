// File descriptors with an owner.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace tilewright::process {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }
  int get() const { return fd_; }
  // The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Two ends that no program inherits by accident.
struct Pipe {
  Fd read, write;

  // nullopt, and errno: there are no descriptors left.
  static std::optional<Pipe> make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Fd(ends[0]), Fd(ends[1])};
  }
};

}  // namespace tilewright::process
