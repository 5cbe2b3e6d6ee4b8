// What settings say of machines elsewhere, as it is written: server/remote makes places of it. Those of a repository's
// tilewright.toml need the user's consent (server/remote/consent.h).
//
//   [remotes.lab]
//   at = "tls://lab.example:7600"      # an address; what else may stand here is in the table below
//   token_file = "lab.token"           # files are relative to the folder of the settings
//   [pools]
//   hopper = ["lab", "ssh://gpu2"]     # names of remotes, and addresses
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::project {

// Which settings file says something, and whose it is.
struct Source {
  std::filesystem::path file;  // what its relative files are relative to
  bool own = false;            // the user's, or named by --remotes: it needs no consent
};

struct Remote {
  std::string at;
  std::map<std::string, std::string, std::less<>> settings;  // by the names of kRemoteSettings
  Source source;
};

struct Pool {
  std::vector<std::string> members;
  Source source;
};

// Kinds of places, as bits.
enum RemoteKinds : std::uint8_t { kSsh = 1, kExec = 2, kTls = 4, kTcp = 8, kSlurm = 16, kUnix = 32, kAnyKind = 63 };

struct RemoteSetting {
  std::string_view name;  // in an address; in the settings `_` stands for `-` as well
  std::uint8_t kinds;     // of what it is a setting
};

inline constexpr std::array kRemoteSettings = {
    RemoteSetting{"ca", kTls},
    RemoteSetting{"cert", kTls},
    RemoteSetting{"key", kTls},
    RemoteSetting{"token-file", kTls | kTcp | kUnix},
    RemoteSetting{"name", kTls},
    RemoteSetting{"command", kSsh | kSlurm},
    RemoteSetting{"slots", kAnyKind},
    RemoteSetting{"patience", kAnyKind},
    RemoteSetting{"give-up", kAnyKind},
    RemoteSetting{"gres", kSlurm},
    RemoteSetting{"mem", kSlurm},
    RemoteSetting{"cpus", kSlurm},
    RemoteSetting{"nodes", kSlurm},
    RemoteSetting{"keep", kSlurm},
    RemoteSetting{"wait", kSlurm},
    // These become options of salloc, under the same names.
    RemoteSetting{"partition", kSlurm},
    RemoteSetting{"account", kSlurm},
    RemoteSetting{"qos", kSlurm},
    RemoteSetting{"time", kSlurm},
    RemoteSetting{"constraint", kSlurm},
    RemoteSetting{"nodelist", kSlurm},
    RemoteSetting{"exclude", kSlurm},
    RemoteSetting{"reservation", kSlurm},
    RemoteSetting{"licenses", kSlurm},
    RemoteSetting{"wckey", kSlurm},
    RemoteSetting{"comment", kSlurm},
    RemoteSetting{"nice", kSlurm},
};

using Remotes = std::map<std::string, Remote, std::less<>>;
using Pools = std::map<std::string, Pool, std::less<>>;

}  // namespace tilewright::project
