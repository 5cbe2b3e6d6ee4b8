// One line below what was printed that says how far something is, for people who wait: none unless standard error is a
// terminal.
#pragma once
#include <chrono>
#include <string>

namespace tilewright::render {

class StatusLine {
 public:
  // `pause`: between two changes of what it says; `quiet`: nothing is said before so long.
  explicit StatusLine(std::chrono::milliseconds pause = std::chrono::milliseconds(100),
                      std::chrono::milliseconds quiet = std::chrono::milliseconds(0));
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool wanted() const { return terminal_; }
  void show(const std::string& line);  // cut to the terminal's columns
  void clear();                        // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds pause_;
  const Clock::time_point begin_;
  const bool terminal_;
  bool shown_ = false;
  Clock::time_point said_{};
};

}  // namespace tilewright::render
