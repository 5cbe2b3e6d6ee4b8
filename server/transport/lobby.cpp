#include "server/transport/lobby.h"

#include <array>
#include <map>

namespace tilewright::transport {

using Verdict = Judge::Verdict;

// A connection that has judged its client itself, on its own thread, before its speaker starts it.
class Lobby::Admitting final : public Connection {
 public:
  // `judged` is called on the connection's thread, once, with what came of it; a connection that ended is Refused.
  Admitting(std::unique_ptr<Connection> inner, std::function<Verdict(std::string_view)> judge,
            std::function<void(Verdict)> judged)
      : inner_(std::move(inner)), judge_(std::move(judge)), judged_(std::move(judged)) {
    inner_->start({[this](std::string_view bytes) { received(bytes); }, [this] { closed(); }});
  }
  ~Admitting() override { Admitting::stop(); }

  void start(Handler handler) override {
    std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
    started_ = true;
    changed_.notify_all();
  }
  void stop() override {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    inner_->stop();
  }
  void send(std::string bytes) override { inner_->send(std::move(bytes)); }
  void send(std::string bytes, Kept&& rest) override { inner_->send(std::move(bytes), std::move(rest)); }
  bool wait_for_room(std::size_t most, std::chrono::milliseconds patience, const std::stop_token& stop) override {
    return inner_->wait_for_room(most, patience, stop);
  }
  void hold() override { inner_->hold(); }
  void release() override { inner_->release(); }
  void drain(int milliseconds) override { inner_->drain(milliseconds); }
  bool watch_process(int pid, std::function<void()> gone) override {
    return inner_->watch_process(pid, std::move(gone));
  }
  bool is_socket() const override { return true; }
  std::string why_closed() override { return inner_->why_closed(); }

 private:
  // Until the speaker starts it: nothing more is read meanwhile. False: it never does.
  bool wait_for_start() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_ || stopped_; });
    return started_ && !stopped_;
  }
  void received(std::string_view bytes) {
    if (is_admitted_) return handler_.received(bytes);
    if (is_refused_) return;
    Verdict verdict = judge_(bytes);
    if (!verdict.answer.empty()) inner_->send(std::exchange(verdict.answer, {}));
    if (verdict.is == Verdict::Is::Undecided) return;
    is_refused_ = verdict.is == Verdict::Is::Refused;
    is_admitted_ = !is_refused_;
    const std::string first = std::exchange(verdict.first, {});
    judged_(std::move(verdict));
    if (is_admitted_ && wait_for_start() && !first.empty()) handler_.received(first);
  }
  void closed() {
    if (is_admitted_) {
      if (wait_for_start()) handler_.closed();
      return;
    }
    if (!std::exchange(is_refused_, true)) judged_({.is = Verdict::Is::Refused, .why = inner_->why_closed()});
  }

  const std::unique_ptr<Connection> inner_;
  const std::function<Verdict(std::string_view)> judge_;
  const std::function<void(Verdict)> judged_;
  bool is_admitted_ = false, is_refused_ = false;  // of the connection's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false, stopped_ = false;
  Handler handler_;  // set before started_
};

struct Lobby::Guest {
  Guest(asio::io_context& io, Socket s, std::string address, std::unique_ptr<Judge> its)
      : socket(std::move(s)), from(std::move(address)), judge(std::move(its)), timer(io) {}
  Socket socket;
  const std::string from;
  const std::unique_ptr<Judge> judge;
  asio::steady_timer timer;
  std::size_t bytes = 0;
  std::array<char, 4096> buffer;
  std::unique_ptr<Admitting> tls;  // last: its thread uses the judge
};

namespace {

// A connection has a thread and a context of its own.
std::unique_ptr<Connection> connection_of(Lobby::Socket& socket, std::string first) {
  auto io = std::make_unique<asio::io_context>(1);
  boost::system::error_code ec;
  const auto protocol = socket.local_endpoint(ec).protocol();
  auto own = std::make_shared<Lobby::Socket>(*io, protocol, socket.release());
  using End = Shared<Lobby::Socket>;
  auto out = std::make_unique<AsioConnection<End, End>>(std::move(io), End{own}, End{own});
  out->begin_with(std::move(first));
  return out;
}

}  // namespace

void Lobby::enter(Socket socket, const std::string& from) {
  if (!door_.judge) {
    admitted_.push_back(connection_of(socket, {}));
    return;
  }
  while (guests_.size() >= door_.places && make_room()) {
  }
  auto guest = std::make_shared<Guest>(io_, std::move(socket), from, door_.judge());
  guests_.push_back(guest);
  guest->timer.expires_after(door_.patience);
  guest->timer.async_wait([this, weak = std::weak_ptr(guest)](boost::system::error_code ec) {
    if (auto late = weak.lock(); late && !ec) drop(late, "it did not show in time who it is");
  });
  if (tls_) return greet_by_tls(guest);
  guest->socket.non_blocking(true);
  read(guest);
}

bool Lobby::make_room() {
  if (guests_.empty()) return false;
  std::map<std::string, std::size_t> places;
  std::size_t most = 0;
  for (const Here& g : guests_) most = std::max(most, ++places[g->from]);
  const auto first = std::ranges::find_if(guests_, [&](const Here& g) { return places[g->from] == most; });
  drop(Here(*first), "it did not show who it is, and others want its place");
  return true;
}

std::unique_ptr<Connection> Lobby::next() {
  if (admitted_.empty()) return nullptr;
  auto out = std::move(admitted_.front());
  admitted_.pop_front();
  return out;
}

void Lobby::log(const std::string& line) {
  if (!door_.log) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - logged_ < std::chrono::seconds(1)) {
    ++unlogged_;
    return;
  }
  logged_ = now;
  const std::size_t others = std::exchange(unlogged_, 0);
  door_.log("a client was turned away: " + line + (others > 0 ? "; " + std::to_string(others) + " more before" : ""));
}

bool Lobby::is_here(const Here& guest) const { return std::ranges::find(guests_, guest) != guests_.end(); }

void Lobby::drop(const Here& guest, const std::string& why) {
  if (!is_here(guest)) return;
  guests_.remove(guest);
  guest->timer.cancel();
  if (guest->tls) guest->tls->drain(100);
  guest->tls.reset();
  boost::system::error_code ignored;
  guest->socket.shutdown(Socket::shutdown_send, ignored);
  guest->socket.close(ignored);
  if (!why.empty()) log(why);
}

Verdict Lobby::judge(Guest& guest, std::string_view bytes) const {
  guest.bytes += bytes.size();
  if (guest.bytes > door_.bytes) {
    return {.is = Verdict::Is::Refused,
            .why = "it sent more than " + std::to_string(door_.bytes) + " bytes before it showed who it is"};
  }
  return guest.judge->judge(bytes);
}

void Lobby::read(const Here& guest) {
  guest->socket.async_read_some(asio::buffer(guest->buffer),
                                [this, weak = std::weak_ptr(guest)](boost::system::error_code ec, std::size_t n) {
                                  const Here here = weak.lock();
                                  if (!here || !is_here(here)) return;
                                  if (ec == asio::error::interrupted) return read(here);
                                  if (ec) return drop(here, {});
                                  heard(here, {here->buffer.data(), n});
                                });
}

void Lobby::heard(const Here& guest, std::string_view bytes) {
  Verdict verdict = judge(*guest, bytes);
  boost::system::error_code ignored;
  if (!verdict.answer.empty()) guest->socket.write_some(asio::buffer(verdict.answer), ignored);
  switch (verdict.is) {
    case Verdict::Is::Undecided: return read(guest);
    case Verdict::Is::Refused: return drop(guest, verdict.why);
    case Verdict::Is::Admitted:
      admitted_.push_back(connection_of(guest->socket, std::move(verdict.first)));
      return drop(guest, {});
  }
}

void Lobby::greet_by_tls(const Here& guest) {
  auto io = std::make_unique<asio::io_context>(1);
  boost::system::error_code ec;
  const auto family = guest->socket.local_endpoint(ec).protocol().family();
  const auto protocol = family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
  asio::ip::tcp::socket own(*io, protocol, guest->socket.release());
  // Nothing of the lobby but its context is touched on the connection's thread.
  const auto judged = [this, &io = io_, weak = std::weak_ptr(guest)](Verdict verdict) {
    asio::post(io, [this, weak, verdict = std::move(verdict)] {
      const Here here = weak.lock();
      if (!here || !is_here(here)) return;
      if (verdict.is == Verdict::Is::Admitted) admitted_.push_back(std::move(here->tls));
      drop(here, verdict.why);
    });
  };
  guest->tls = std::make_unique<Admitting>(
      tls_server(std::move(io), std::move(own), tls_),
      [this, g = guest.get()](std::string_view bytes) { return judge(*g, bytes); }, judged);
}

}  // namespace tilewright::transport
