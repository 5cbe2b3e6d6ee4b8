// Wishes of documents for work in the background, which one thread works through in the order in which they fall due.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::ide {

enum class BackgroundFor { Person, Background };  // a person looks at it; or: it would be good to know

// A Wish has a `document`; `wish.is(other)` says that both want the same thing, and `wish.join(other)` adds what only
// the other one wants of it.
template <class Wish>
class Backlog {
 public:
  using Clock = std::chrono::steady_clock;
  using For = BackgroundFor;

  struct Job {
    Wish wish;
    For whom = For::Background;
    Clock::time_point due;
    bool again = false;      // it was tried before
    std::stop_token stop{};  // asked for when the document is typed on
  };

  // Background wishes replace those of the document that have not begun.
  void want(std::vector<Wish> wishes, For whom, std::chrono::milliseconds delay) {
    std::lock_guard lock(mutex_);
    if (whom == For::Background && !wishes.empty()) {
      std::erase_if(
          jobs_, [&](const Job& j) { return j.whom == For::Background && j.wish.document == wishes.front().document; });
    }
    for (Wish& wish : wishes) {
      const Clock::time_point due = Clock::now() + delay;
      auto same = std::ranges::find_if(jobs_, [&](const Job& j) { return j.wish.is(wish); });
      if (same == jobs_.end()) {
        jobs_.push_back({std::move(wish), whom, due});
        continue;
      }
      same->wish.join(wish);
      same->due = std::min(same->due, due);
      if (whom == For::Person) same->whom = whom;
    }
    wake_.notify_one();
  }
  void again(Job job) {
    std::lock_guard lock(mutex_);
    job.again = true;
    job.due = Clock::now();
    jobs_.push_back(std::move(job));
  }
  // The document was edited or closed: nothing waits for what is made of its old text.
  void typed(const std::string& document) {
    std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [&](const Job& j) { return j.wish.document == document; });
    if (running_ == document) stop_running_.request_stop();
  }

  // Does one job after the other until the end. One that the machine has no memory for is left undone.
  template <class Do>
  void work_through(const std::stop_token& end, Do&& work) {
    while (!end.stop_requested()) {
      try {
        while (auto job = next(end)) work(std::move(*job));
      } catch (const std::bad_alloc&) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, end, std::chrono::milliseconds(100), [] { return false; });
      }
    }
  }
  // At the end.
  void stop_running() {
    std::lock_guard lock(mutex_);
    stop_running_.request_stop();
  }

 private:
  // Waits for the next job; nothing at the end. The one before it is over.
  std::optional<Job> next(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    running_.clear();
    for (;;) {
      wake_.wait(lock, end, [&] { return !jobs_.empty(); });
      if (end.stop_requested()) return std::nullopt;
      auto first = std::ranges::min_element(jobs_, {}, &Job::due);
      if (Clock::time_point due = first->due; due > Clock::now()) {
        // Until then, or until something comes that is wanted earlier.
        wake_.wait_until(lock, end, due,
                         [&] { return std::ranges::any_of(jobs_, [&](const Job& j) { return j.due < due; }); });
        continue;
      }
      Job job = std::move(*first);
      jobs_.erase(first);
      running_ = job.wish.document;
      stop_running_ = std::stop_source();
      job.stop = stop_running_.get_token();
      return job;
    }
  }
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Job> jobs_;
  std::string running_;  // document of the job under way; empty: none
  std::stop_source stop_running_;
};

}  // namespace tilewright::ide
