// A question to whoever sits at the terminal.
#pragma once
#include <stop_token>
#include <string>

namespace tilewright::cli {

// True: the answer is yes. Without a terminal, and when it is stopped, nobody says yes. One question at a time.
bool confirm(const std::string& question, const std::stop_token& stop);

}  // namespace tilewright::cli
