// What the threads of everything else are made of.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "compiler/threads/alarm.h"
#include "compiler/threads/in_order.h"
#include "compiler/threads/pause.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace std::chrono_literals;

TEST_CASE("a pause ends when its time has passed, and at once when a stop is requested", "[threads]") {
  std::stop_source stop;
  CHECK(threads::pause(1ms, stop.get_token()));
  CHECK(threads::pause(1ms, {}));
  const auto begin = std::chrono::steady_clock::now();
  std::jthread later([&] { stop.request_stop(); });
  CHECK_FALSE(threads::pause(1h, stop.get_token()));
  CHECK_FALSE(threads::pause(1h, stop.get_token()));
  CHECK(std::chrono::steady_clock::now() - begin < 1min);
}

TEST_CASE("an alarm rings at its time, the sooner one first, and one that is gone does not", "[threads]") {
  std::mutex mutex;
  std::condition_variable rang;
  std::vector<int> order;
  auto ring = [&](int which) {
    return [&, which] {
      {
        std::lock_guard lock(mutex);
        order.push_back(which);
      }
      rang.notify_all();
    };
  };
  const threads::Alarm never(1h, ring(0)), late(20ms, ring(2)), soon(1ms, ring(1));
  {
    const threads::Alarm dropped(5ms, ring(3));
  }
  std::unique_lock lock(mutex);
  CHECK(rang.wait_for(lock, 1min, [&] { return order.size() == 2; }));
  CHECK(order == std::vector{1, 2});
  lock.unlock();
  for (int i = 0; i < 200; ++i) {  // dropped while it may ring: what it rings for is still there
    std::vector<int> there{1};
    const threads::Alarm alarm(i % 2 * 1ms, [&] { there.push_back(2); });
  }
}

#ifndef __SANITIZE_THREAD__  // which ends a process that starts threads after such a fork
TEST_CASE("a process that was forked off has alarms of its own", "[threads]") {
  {
    const threads::Alarm first(1h, [] {});
  }  // the thread runs here
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<bool> rang = false;
    {
      const threads::Alarm alarm(1ms, [&] { rang = true; });
      for (int i = 0; i < 30'000 && !rang; ++i) threads::pause(1ms, {});
    }
    ::_exit(rang ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

TEST_CASE("pieces of work on several threads end in order", "[threads]") {
  for (unsigned jobs : {1u, 4u}) {
    std::vector<std::size_t> finished;
    std::vector<int> done(100);
    CHECK(threads::in_order(
        done.size(), jobs, {}, [&](std::size_t i) { ++done[i]; }, [&](std::size_t i) { finished.push_back(i); }));
    for (std::size_t i = 0; i < done.size(); ++i) {
      REQUIRE(finished.at(i) == i);
      REQUIRE(done[i] == 1);
    }
  }
}

TEST_CASE("what a piece of work throws is thrown at its turn, and a stop ends the pieces", "[threads]") {
  for (unsigned jobs : {1u, 4u}) {
    std::size_t finished = 0;
    auto work = [](std::size_t i) {
      if (i == 7) throw std::runtime_error("the seventh");
    };
    CHECK_THROWS_AS(threads::in_order(100, jobs, {}, work, [&](std::size_t) { ++finished; }), std::runtime_error);
    CHECK(finished == 7);

    std::stop_source stop;
    finished = 0;
    auto until_third = [&](std::size_t i) {
      if (++finished; i == 2) stop.request_stop();
    };
    CHECK_FALSE(threads::in_order(100, jobs, stop.get_token(), [](std::size_t) {}, until_third));
    CHECK(finished == 3);
  }
}
