// Where a kernel can run other than here: a typed place, read from an address or from a name of tilewright.toml.
//
//   ssh://[USER@]HOST[:PORT][?command=PATH&slots=N]     tilewright there, over the user's own ssh and its settings
//   exec:COMMAND…                                       any command whose standard streams speak to a worker
//   tls://HOST:PORT[?ca=FILE&cert=FILE&key=FILE&token-file=FILE&name=HOST&slots=N]
//   tcp://HOST:PORT[?token-file=FILE&slots=N]           on the loopback interface: a worker here, the end of a tunnel
//   (all of them)  patience=SECONDS of a worker that says nothing, give-up=SECONDS of one run (patience.h)
//   unix:[PATH][?token-file=FILE&slots=N]               a worker of this user or of root here, at a socket; without a
//                                                       path at the one in $XDG_RUNTIME_DIR
//   slurm:[partition=P,gres=gpu:1,time=10,slots=2,…]    steps of one allocation (slurm.h)
//
// Values of what follows a `?` or `slurm:` may hold %XX. Reading a place starts nothing and opens no file. A settings
// file comes with a repository, so its places are used when their names are said and the user has agreed to them
// (consent.h), and never by themselves.
#pragma once
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/experiment.h"
#include "server/project/config.h"
#include "server/remote/patience.h"

namespace tilewright::remote {

enum class Kind : std::uint8_t { Ssh, Exec, Tls, Tcp, Unix, Slurm };

// The files of a TLS client, absolute; empty: none. What they hold is read when it is needed, and never shown.
struct Credentials {
  std::filesystem::path ca;          // who vouches for the worker; empty: the authorities that this system trusts
  std::filesystem::path cert, key;   // what shows who we are
  std::filesystem::path token_file;  // one line, readable by its owner alone (secret.h)
  std::string name;                  // that the worker's certificate has; empty: the host
};

// What an allocation is asked for.
struct SlurmWish {
  // Each becomes --NAME=VALUE of salloc: partition, account, qos, time and others that place and bound a job.
  std::map<std::string, std::string, std::less<>> options;
  std::string gres;  // generic resources of one slot: "gpu:h100:1"; empty: none
  std::string mem;   // memory of one slot: "8G"; empty: as the cluster has it
  int cpus = 1;      // of one slot
  int nodes = 1;     // that the slots are spread over evenly
  int keep = 0;      // seconds that the allocation waits for the next command after the last
  int wait = 0;      // seconds at most that it may take to be granted; 0: as long as it takes
};

struct Place {
  Kind kind = Kind::Exec;
  std::string name;     // what people know it by: its name in the settings, else the address; never a secret
  std::string address;  // without what may be secret: no settings, of a command only its program
  // ssh, tls, tcp: the host (an IPv6 address without brackets); port 0: ssh's own settings decide.
  std::string user, host;
  int port = 0;
  std::filesystem::path socket;  // unix
  // exec: all of it. ssh, slurm: the words that start tilewright there; empty: it is looked for.
  std::vector<std::string> command;
  // exec: where it is started; empty: here.
  std::filesystem::path folder;
  Credentials credentials;
  SlurmWish slurm;
  int slots = 0;  // runs at a time; 0: as many as the worker takes, of Slurm one
  Patience patience;
};

// Is this written as an address? Else it is a name.
bool is_address(std::string_view text);
// Why this, which a client of a server of ours says of where to run, is refused; nothing: it is a name. What a server
// starts is chosen by the one who runs it.
std::optional<std::string> not_from_a_client(std::string_view text);
// Files that an address names are relative to `folder` (empty: the current one).
std::expected<Place, run::Failure> parse_place(std::string_view address, const std::filesystem::path& folder = {});
// An address, or the name of a remote or of a pool in `config`. At least one place; of a pool one for each of its
// members.
std::expected<std::vector<Place>, run::Failure> find_places(std::string_view word, const project::Config& config);

// What is started so that its standard streams speak the worker's protocol; of ssh and exec. `terminal`: a user is
// there whom ssh may ask for a password; without, it fails instead of waiting for an answer.
std::vector<std::string> worker_command(const Place& place, bool terminal);

}  // namespace tilewright::remote
