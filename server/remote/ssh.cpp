// The commands whose standard streams speak to a worker: the user's own ssh, with its settings and keys, or the user's
// command.
#include "server/remote/ssh.h"

#include <unistd.h>

#include "server/remote/words.h"

namespace tilewright::remote {
namespace {

// On the other machine, whatever shell the account has: the copy that first use installs (install.h) of this very
// version, then what is on the PATH, which ssh leaves short. Status 127 says that there is none.
constexpr std::string_view kFind = "for p in \"$HOME/.local/share/tilewright/bin/tilewright-" TILEWRIGHT_VERSION
                                   "\" \"$(command -v tilewright)\" \"$HOME/.local/bin/tilewright\"; do "
                                   "if [ -x \"$p\" ]; then exec \"$p\" \"$@\"; fi; done; "
                                   "echo \"tilewright: command not found\" >&2; exit 127";

}  // namespace

bool stands_at_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::vector<std::string> ssh_command(const Place& place, bool terminal, const std::string& remote) {
  std::vector<std::string> words = {
      "ssh", "-T", "-e", "none", "-o", terminal ? "BatchMode=no" : "BatchMode=yes",
      // A machine that is switched off and a cable that is pulled are noticed within a minute.
      "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3",
      // Nothing but the streams: no tunnels of the settings, whose ports a second connection could not open.
      "-o", "ClearAllForwardings=yes", "-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "PermitLocalCommand=no"};
  if (place.port != 0) words.insert(words.end(), {"-p", std::to_string(place.port)});
  if (!place.user.empty()) words.insert(words.end(), {"-l", place.user});
  words.insert(words.end(), {"--", place.host, remote});
  return words;
}

std::vector<std::string> worker_command(const Place& place, bool terminal) {
  if (place.kind != Kind::Ssh) return place.command;
  std::string remote;
  if (place.command.empty()) {
    remote = "exec sh -c " + quoted_word(kFind) + " sh";
  } else {
    remote = "exec";
    for (const std::string& word : place.command) remote += " " + quoted_word(word);
  }
  return ssh_command(place, terminal, remote + " worker --stdio");
}

}  // namespace tilewright::remote
