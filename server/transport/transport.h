// A connection to one peer: bytes in, bytes out, on a thread of its own (Boost.Asio behind a plain header).
#pragma once
#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::transport {

// Called on the I/O thread, one at a time.
struct Handler {
  // While this blocks, nothing more is read: that is how a server makes a client wait that sends faster than it works.
  std::function<void(std::string_view bytes)> received;
  std::function<void()> closed;  // once: the other side is gone, or writing failed. Nothing is called after it
};

// Bytes that stay where they are until they have left: they are not copied.
struct Kept {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

class Connection {
 public:
  virtual ~Connection() = default;  // stops and joins the thread
  // Starts reading. Once.
  virtual void start(Handler handler) = 0;
  // Ends the thread: nothing of the handler is called any more. What is sent from now on is lost.
  virtual void stop() = 0;
  // Queues bytes; they leave in order. Safe from any thread. A reader who stays away for too long, so that more than
  // 256 MB wait, is cut off.
  virtual void send(std::string bytes) = 0;
  // The same, with `rest` right behind it.
  virtual void send(std::string bytes, Kept&& rest) { send(std::move(bytes.append(rest.bytes))); }
  // Waits until at most `most` bytes are queued: call it before each piece of much data. False: the connection is
  // lost, the other side has not read for so long, or `stop` was requested.
  virtual bool wait_for_room(std::size_t /*most*/, std::chrono::milliseconds /*patience*/,
                             const std::stop_token& /*stop*/) {
    return true;
  }
  // What is sent between the two leaves in one write, where it is not much. Some ways (a cluster's srun) hold every
  // write back that follows another one until the other side has confirmed that, for 40 ms. Calls nest.
  virtual void hold() {}
  virtual void release() {}
  // Waits until everything queued has left, at most `milliseconds`.
  virtual void drain(int milliseconds) = 0;
  // Calls `gone` on the I/O thread when the process ends. False: there is no such process now.
  virtual bool watch_process(int pid, std::function<void()> gone) = 0;
  // Is the other side one that found the way, and not a process that started us or was started by us? Then nothing that
  // it sends is guessed at (protocol/frame.h).
  virtual bool is_socket() const { return false; }
  // After `closed`: what broke the connection, in words; empty: the other side ended it, or nothing did.
  virtual std::string why_closed() { return {}; }
};

// Holds a connection while it lives.
class Together {
 public:
  explicit Together(Connection* connection) : connection_(connection) {
    if (connection_) connection_->hold();
  }
  ~Together() {
    if (connection_) connection_->release();
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

 private:
  Connection* connection_;  // null: there is nothing to hold
};

std::unique_ptr<Connection> stdio();

// The files of one side of TLS, PEM each.
struct Tls {
  std::filesystem::path certificate, key;  // one's own; a client may have none
  // Who signed the other side's certificate. Of a server: clients need one of these; empty: they need none. Of a
  // client: empty: those that the system trusts.
  std::filesystem::path authority;
  std::string server_name;  // of a client: whom the certificate has to name; empty: the host
};

// A place where clients come.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual const std::string& address() const = 0;  // with the true port
  // Waits for the next client that the door admits. Null after stop().
  virtual std::unique_ptr<Connection> accept() = 0;
  virtual void stop() = 0;  // from any thread
};

// Looks at the first bytes of one client, before anything is made for it.
class Judge {
 public:
  struct Verdict {
    enum class Is : std::uint8_t { Undecided, Admitted, Refused } is = Is::Undecided;
    std::string answer{};  // sent to the client, whatever the verdict
    std::string first{};   // of Admitted: what the connection receives before anything else
    std::string why{};     // of Refused: for the log, without what the client keeps secret
  };
  virtual ~Judge() = default;
  virtual Verdict judge(std::string_view bytes) = 0;
};

// What stands between a listener and those who come. A client that waits to be judged takes one of a few places; where
// all are taken, the client that came first gives its place up, of those from the address that has most. So a client
// that shows at once who it is never waits for those that do not.
struct Door {
  std::function<std::unique_ptr<Judge>()> judge;  // one for each client; nothing: every client is admitted
  std::size_t places = 16;
  std::size_t bytes = 64u << 10;                // that one client may send before it is admitted
  std::chrono::milliseconds patience{10'000};   // until it is admitted, TLS's handshake included
  std::function<void(const std::string&)> log;  // of those who were not admitted; at most a line a second
};

struct ListenOptions {
  std::optional<Tls> tls;
  bool everywhere = false;  // beyond this machine: only for a caller who knows whom it speaks with
  Door door;
};

// `address`: HOST:PORT on the loopback interface (port 0: any free one), or unix:PATH, which serves processes of this
// user and of root alone. The error says what is wrong with it.
std::expected<std::unique_ptr<Listener>, std::string> listen(const std::string& address,
                                                             const ListenOptions& options = {});

// A connection to a listener. The error says what went wrong: the name, the network, the handshake, the time.
std::expected<std::unique_ptr<Connection>, std::string> connect(const std::string& host, const std::string& port,
                                                                const std::optional<Tls>& tls,
                                                                std::chrono::milliseconds patience,
                                                                const std::stop_token& stop);

// The same to a listener's socket file. Only to a process of this user or of root: the error says whose it is
// otherwise, and nothing was sent to it.
std::expected<std::unique_ptr<Connection>, std::string> connect_unix(const std::string& path,
                                                                     std::chrono::milliseconds patience,
                                                                     const std::stop_token& stop);

struct Command {
  std::vector<std::string> words;        // the program, looked up in PATH, and its arguments
  std::vector<std::string> environment;  // "NAME=VALUE", over that of this process
  std::filesystem::path folder;          // where it starts; empty: here
  // Its own process group: it can be ended with all that it started, and Ctrl-C at the terminal is not for it. Without,
  // it may ask at the terminal.
  bool own_group = true;
  // Hears what it says on standard error, as it comes, on the connection's thread; may be missing.
  std::function<void(std::string_view)> heard{};
};

// A connection to a process: its standard input and output. What it says on standard error is kept, the last of it, for
// why_closed(), which also says how it ended. Stopping ends it: by closing its input, by a signal when it stays.
class CommandConnection : public Connection {
 public:
  virtual int pid() const = 0;
  // How it ended, as a shell says it (128 and the signal); nothing: it lives. Waits a little where its end is near.
  virtual std::optional<int> status() = 0;
};
std::expected<std::unique_ptr<CommandConnection>, std::string> run_command(const Command& command);

}  // namespace tilewright::transport
