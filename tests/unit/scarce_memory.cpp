// What has to be done although an allocation fails: this program's fail when a test says so.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "compiler/threads/memory_wait.h"
#include "server/transport/asio_connection.h"
#include "tests/unit/catch.h"

namespace {
// How many of this thread's next allocations fail, of those that Boost.Asio makes for what it is asked to do.
thread_local int scarce = 0;
}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (scarce > 0) {
    --scarce;
    return nullptr;
  }
  void* p = nullptr;
  return ::posix_memalign(&p, std::max(alignment, sizeof p), size) == 0 ? p : nullptr;
}

namespace tilewright::transport {
namespace {

using Pipe = asio::posix::stream_descriptor;

// A connection whose other side is the test.
class Piped {
 public:
  Piped() {
    REQUIRE(::pipe(in_) == 0);
    REQUIRE(::pipe(out_) == 0);
    auto io = std::make_unique<asio::io_context>(1);
    Pipe in(*io, in_[0]), out(*io, out_[1]);
    connection_ = std::make_unique<AsioConnection<Pipe, Pipe>>(std::move(io), std::move(in), std::move(out));
    connection_->start({[](std::string_view) {}, [] {}});
  }
  ~Piped() {
    connection_ = nullptr;
    ::close(in_[1]);
    ::close(out_[0]);
  }
  Connection& connection() { return *connection_; }
  std::string read(std::size_t bytes) {
    std::string all(bytes, '\0');
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t n = ::read(out_[0], all.data() + done, bytes - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    return all.substr(0, done);
  }

 private:
  int in_[2] = {}, out_[2] = {};
  std::unique_ptr<Connection> connection_;
};

TEST_CASE("a message leaves although there was no memory to wake the thread that writes") {
  Piped piped;
  std::string one = "one, longer than what a string holds in itself", two = "two";
  scarce = 3;
  piped.connection().send(std::move(one));
  CHECK(scarce == 0);
  piped.connection().send(std::move(two));
  ::alarm(20);  // a message that never leaves ends the test
  CHECK(piped.read(49) == "one, longer than what a string holds in itselftwo");
  ::alarm(0);
}

TEST_CASE("after a second without memory the next message takes the one before along") {
  Piped piped;
  std::string one = "one", two = "two";
  scarce = 1'000'000;
  piped.connection().send(std::move(one));
  scarce = 0;
  piped.connection().send(std::move(two));
  ::alarm(20);
  CHECK(piped.read(6) == "onetwo");
  ::alarm(0);
}

TEST_CASE("work is done again until there is memory for it, for as long as was said") {
  int tries = 0;
  CHECK(threads::when_there_is_memory(std::chrono::seconds(10), [&] {
    if (++tries < 4) throw std::bad_alloc();
  }));
  CHECK(tries == 4);
  CHECK(!threads::when_there_is_memory(std::chrono::milliseconds(30), [] { throw std::bad_alloc(); }));
}

}  // namespace
}  // namespace tilewright::transport
