// A question to the user at the terminal.
#pragma once
#include <stop_token>
#include <string>

namespace tilewright::cli {

// True: the answer is yes. False without a terminal, and when it is stopped. One question at a time.
bool confirm(const std::string& question, const std::stop_token& stop);

}  // namespace tilewright::cli
