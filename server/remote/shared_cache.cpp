#include "server/remote/shared_cache.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "server/project/console.h"
#include "server/remote/secret.h"
#include "server/transport/http.h"

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A fault counts as so much at least: a server that refuses connections is not asked a thousand times.
constexpr milliseconds kFault{500};
constexpr std::size_t kLargest = 256u << 20;      // of an entry
constexpr std::size_t kMostWaiting = 256u << 20;  // bytes that wait to leave; what comes then is not offered

class SharedCache final : public toolchain::SharedStore {
 public:
  SharedCache(std::unique_ptr<transport::HttpClient> client, std::string path, std::string token,
              SharedCacheOptions options)
      : client_(std::move(client)), path_(std::move(path)), token_(std::move(token)), options_(std::move(options)) {
    if (options_.writes) sender_ = std::jthread([this](const std::stop_token& stop) { send(stop); });
  }
  ~SharedCache() override {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, off_ ? milliseconds(0) : kFarewell, [&] { return offers_.empty() && !sending_; });
    }
    sender_.request_stop();
    changed_.notify_all();
  }

  std::optional<std::string> get(const std::string& name) override {
    if (off_) return std::nullopt;
    const auto begun = Clock::now();
    auto answer = client_->ask(request("GET", name, {}), kOneAnswer, kLargest);
    const bool came = answer && answer->status == 200;
    const bool known = came || (answer && answer->status == 404);
    auto time = std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
    if (!known) time = std::max(time, kFault);
    spend(time - (came ? kWorth : milliseconds(0)), known ? "its answers take longer than they save"
                                                    : answer
                                                        ? "it answers with status " + std::to_string(answer->status)
                                                        : answer.error());
    // Who is not let in now will not be let in for the next entry.
    if (answer && (answer->status == 401 || answer->status == 403))
      give_up("it answers with status " + std::to_string(answer->status));
    if (!came) return std::nullopt;
    return std::move(answer->body);
  }

  void put(const std::string& name, std::string bytes) override {
    if (!options_.writes || off_) return;
    {
      std::lock_guard lock(mutex_);
      if (waiting_ + bytes.size() > kMostWaiting) return;
      waiting_ += bytes.size();
      offers_.emplace_back(name, std::move(bytes));
    }
    changed_.notify_all();
  }

 private:
  transport::HttpRequest request(const char* method, const std::string& name, std::string body) const {
    transport::HttpRequest out{.method = method, .path = path_ + "/" + name, .headers = {}, .body = std::move(body)};
    if (!token_.empty()) out.headers.emplace_back("Authorization", "Bearer " + token_);
    return out;
  }

  void spend(milliseconds time, const std::string& why) {
    const auto spent = spent_ += time.count();
    if (spent < 0) spent_ = 0;  // what was saved long ago is no credit for a server that has become slow
    if (spent > kPatience.count()) give_up(why);
  }
  void give_up(const std::string& why) {
    if (!off_.exchange(true) && options_.told) options_.told("the shared cache is not asked any more: " + why);
  }

  // Entries leave one after another. A server that does not take one is not offered more.
  void send(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!changed_.wait(lock, stop, [&] { return !offers_.empty(); })) return;
      auto [name, bytes] = std::move(offers_.front());
      offers_.pop_front();
      waiting_ -= bytes.size();
      sending_ = true;
      lock.unlock();
      const auto answer = off_ ? std::unexpected(std::string())
                               : client_->ask(request("PUT", name, std::move(bytes)), kOneOffer, 1u << 20);
      if (!off_ && (!answer || answer->status >= 300))
        give_up(answer ? "it refuses what is offered, with status " + std::to_string(answer->status) : answer.error());
      lock.lock();
      sending_ = false;
      changed_.notify_all();
    }
  }

  const std::unique_ptr<transport::HttpClient> client_;
  const std::string path_, token_;
  const SharedCacheOptions options_;
  std::atomic<bool> off_{false};
  std::atomic<std::int64_t> spent_{0};  // milliseconds that waiting has cost, less what it saved
  std::mutex mutex_;                    // guards all below
  std::condition_variable_any changed_;
  std::deque<std::pair<std::string, std::string>> offers_;
  std::size_t waiting_ = 0;
  bool sending_ = false;
  std::jthread sender_;  // last: ends first
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

SharedCacheOptions shared_cache_options() {
  SharedCacheOptions out;
  out.url = variable("TILEWRIGHT_SHARED_CACHE");
  out.token_file = variable("TILEWRIGHT_SHARED_CACHE_TOKEN");
  out.writes = variable("TILEWRIGHT_SHARED_CACHE_WRITE") == "1";
  out.told = [](const std::string& what) { project::sayf(stderr, "tilewright: %s\n", what.c_str()); };
  return out;
}

std::expected<std::shared_ptr<toolchain::SharedStore>, std::string> shared_cache(SharedCacheOptions options) {
  if (options.url.empty()) return nullptr;
  auto url = transport::read_url(options.url);
  if (!url) return std::unexpected("TILEWRIGHT_SHARED_CACHE: " + url.error());
  std::string token;
  if (!options.token_file.empty()) {
    if (!url->tls && !url->is_loopback())
      return std::unexpected("TILEWRIGHT_SHARED_CACHE: a token is sent over https:// only, or to this very machine; '" +
                             url->host + "' is neither");
    auto read = read_token(options.token_file);
    if (!read) return std::unexpected("TILEWRIGHT_SHARED_CACHE_TOKEN: " + read.error().message);
    token = std::move(*read);
  }
  return std::make_shared<SharedCache>(transport::HttpClient::at(*url), url->path, std::move(token),
                                       std::move(options));
}

}  // namespace tilewright::remote
