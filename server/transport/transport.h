// A connection to one client: bytes in, bytes out, on a thread of its own (Boost.Asio behind a plain header).
#pragma once
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright::transport {

// Called on the I/O thread, one at a time.
struct Handler {
  // While this blocks, nothing more is read: that is how a server makes a client wait that sends faster than it works.
  std::function<void(std::string_view bytes)> received;
  std::function<void()> closed;  // once: the other side is gone, or writing failed. Nothing is called after it
};

class Connection {
 public:
  virtual ~Connection() = default;  // stops and joins the thread
  // Starts reading. Once.
  virtual void start(Handler handler) = 0;
  // Ends the thread: nothing of the handler is called any more. What is sent from now on is lost.
  virtual void stop() = 0;
  // Queues bytes; they leave in order. Safe from any thread. A reader who stays away for too long, so that more than
  // 256 MB wait for him, is cut off.
  virtual void send(std::string bytes) = 0;
  // Waits until everything queued has left, at most `milliseconds`.
  virtual void drain(int milliseconds) = 0;
  // Calls `gone` on the I/O thread when the process ends. False: there is no such process now.
  virtual bool watch_process(int pid, std::function<void()> gone) = 0;
};

std::unique_ptr<Connection> stdio();

// A place where clients come.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual const std::string& address() const = 0;  // with the true port
  // Waits for the next client. Null after stop().
  virtual std::unique_ptr<Connection> accept() = 0;
  virtual void stop() = 0;  // from any thread
};

// `address`: HOST:PORT on the loopback interface (port 0: any free one), or unix:PATH. The error says what is wrong
// with it.
std::expected<std::unique_ptr<Listener>, std::string> listen(const std::string& address);

}  // namespace tilewright::transport
