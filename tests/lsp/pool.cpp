// The threads that answer: who goes first.
#include "server/lsp/pool.h"

#include <atomic>
#include <chrono>
#include <future>

#include "tests/unit/catch.h"

using namespace std::chrono_literals;
using tilewright::lsp::Pool;

TEST_CASE("work that can wait comes after the requests that run") {
  std::promise<void> began, go_on;
  std::promise<bool> answered_before;
  std::atomic<bool> answered = false;
  Pool pool(2);
  pool.run([&] {
    began.set_value();
    go_on.get_future().wait();
    answered = true;
  });
  began.get_future().wait();
  pool.run(
      [&] {
        go_on.set_value();
        pool.let_interactive_pass(1min);
        answered_before.set_value(answered);
      },
      Pool::Urgency::Diagnostics);
  CHECK(answered_before.get_future().get());
}

TEST_CASE("it waits for no request that has not begun, and for none that takes too long") {
  std::promise<void> began, go_on, ended;
  Pool pool(2);
  SECTION("that needs its own thread") {
    Pool alone(1);
    alone.run(
        [&] {
          alone.run([&] { ended.set_value(); });
          alone.let_interactive_pass(1h);
        },
        Pool::Urgency::Diagnostics);
    CHECK(ended.get_future().wait_for(1min) == std::future_status::ready);
  }
  SECTION("behind one that waits") {
    pool.run([&] {
      began.set_value();
      go_on.get_future().wait();
    });
    began.get_future().wait();
    pool.run(
        [&] {
          pool.let_interactive_pass(5ms);
          ended.set_value();
        },
        Pool::Urgency::Diagnostics);
    CHECK(ended.get_future().wait_for(1min) == std::future_status::ready);
    go_on.set_value();
  }
}
