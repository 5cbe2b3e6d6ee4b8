#include "server/remote/secret.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tilewright::remote {
namespace {

using run::Failure;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Looks at the file that was opened, not at what has its name by then. Without waiting: a FIFO would never open.
std::expected<void, Failure> look(const Descriptor& file, const std::filesystem::path& path, const std::string& what,
                                  bool secret = true) {
  struct stat s{};
  if (file.get() < 0 || ::fstat(file.get(), &s) != 0)
    return std::unexpected(Failure{"cannot read " + what + " " + path.string() + ": " + std::strerror(errno), {}});
  if (!S_ISREG(s.st_mode)) return std::unexpected(Failure{what + " " + path.string() + " is no plain file", {}});
  if (secret && (s.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return std::unexpected(Failure{what + " " + path.string() + " can be read or changed by other users",
                                   "chmod 600 " + path.string() + ", and renew it if others may have seen it"});
  }
  return {};
}

}  // namespace

std::expected<void, Failure> check_private(const std::filesystem::path& file, const std::string& what) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return look(opened, file, what);
}

std::expected<void, Failure> check_plain(const std::filesystem::path& file, const std::string& what) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return look(opened, file, what, false);
}

std::expected<std::string, Failure> read_token(const std::filesystem::path& file) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (auto fine = look(opened, file, "the token file"); !fine) return std::unexpected(fine.error());
  std::string text(kMost + 2, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(opened.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(Failure{"cannot read the token file " + file.string(), std::strerror(errno)});
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool printable = std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (text.size() < kLeast || text.size() > kMost || !printable) {
    return std::unexpected(Failure{"the token file " + file.string() + " holds no token",
                                   "a token is one line of 16 to 4096 printable letters: openssl rand -hex 32"});
  }
  return text;
}

}  // namespace tilewright::remote
