// The user's own ssh as a command: its settings, keys and known hosts hold.
#pragma once
#include "server/remote/place.h"

namespace tilewright::remote {

// Runs `remote`, a command line for the shell of the account there, with plain streams. Without a `terminal` nothing is
// asked: what would need an answer fails. A machine that no longer answers is noticed within a minute.
std::vector<std::string> ssh_command(const Place& place, bool terminal, const std::string& remote);

// True if there is a user whom ssh can ask for a password.
bool stands_at_terminal();

}  // namespace tilewright::remote
