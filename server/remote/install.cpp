#include "server/remote/install.h"

#include <sys/utsname.h>

#include "compiler/process/program.h"
#include "compiler/toolchain/digest.h"
#include "server/project/files.h"
#include "server/remote/process.h"
#include "server/remote/ssh.h"
#include "server/remote/words.h"

namespace tilewright::remote {
namespace {

using run::Failure;
using namespace std::chrono_literals;

constexpr auto kAsking = 60s, kCopying = 900s;
constexpr std::uintmax_t kLargestBinary = 1u << 30;
// What a shell's start-up files say comes before it.
constexpr std::string_view kMark = "@@tilewright ";

// What stands behind the mark on its line; empty: there is none.
std::string marked(std::string_view output) {
  const auto at = output.find(kMark);
  if (at == std::string_view::npos) return {};
  output.remove_prefix(at + kMark.size());
  return std::string(output.substr(0, output.find_first_of("\r\n")));
}

std::string in_sh(std::string_view script) { return "exec sh -c " + quoted_word(script); }

// A script on the machine. The error, when ssh itself fails, is in ssh's words.
std::expected<Ended, Failure> ask(const Place& place, bool terminal, std::string_view script,
                                  const CommandLimits& limits, const std::stop_token& stop) {
  auto done = run_command(ssh_command(place, terminal, in_sh(script)), limits, stop);
  if (stop.stop_requested()) return std::unexpected(Failure{});
  if (!done) return std::unexpected(Failure{place.name + ": " + done.error(), {}});
  constexpr int kSshFailed = 255;
  if (done->status == kSshFailed && marked(done->output).empty()) {
    const std::string words = process::last_words(done->errors);
    return std::unexpected(Failure{place.name + " cannot be reached: " + (words.empty() ? "ssh failed" : words),
                                   "`ssh " + place.host +
                                       "` shows what it wants; a host that is not known yet has to be "
                                       "accepted there once"});
  }
  return *done;
}

constexpr std::string_view kLook =
    "for p in \"$HOME/.local/share/tilewright/bin/tilewright-" TILEWRIGHT_VERSION
    "\" \"$(command -v tilewright)\" \"$HOME/.local/bin/tilewright\"; do "
    "if [ -x \"$p\" ]; then echo \"@@tilewright yes\"; exit 0; fi; done; echo \"@@tilewright no\"";

std::string system_here() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.sysname) + " " + names.machine : std::string();
}

std::string copy_script(const std::string& sum) {
  return "set -e; d=\"$HOME/.local/share/tilewright/bin\"; f=\"$d/tilewright-" TILEWRIGHT_VERSION "\"; sum=" + sum +
         "\n"
         "is() { s=$(sha256sum <\"$1\"); [ \"${s%% *}\" = \"$sum\" ]; }\n"
         "if [ -x \"$f\" ] && is \"$f\"; then echo \"@@tilewright $f\"; exit 0; fi\n"
         "mkdir -p \"$d\"; t=\"$d/.new-$$\"; trap 'rm -f \"$t\"' EXIT; trap 'exit 1' HUP INT TERM\n"
         "cat >\"$t\"\n"
         "is \"$t\" || { echo \"the copy does not have the checksum of the original\" >&2; exit 1; }\n"
         "chmod 755 \"$t\"; \"$t\" --version >/dev/null; mv -f \"$t\" \"$f\"; echo \"@@tilewright $f\"";
}

Failure not_copied(const Place& place, const Ended& done) {
  const std::string words = process::last_words(done.errors);
  return {place.name + ": tilewright could not be copied there: " +
              (words.empty() ? "status " + std::to_string(done.status) : words),
          "put a tilewright there yourself, on the PATH or as ssh://…?command=PATH"};
}

}  // namespace

std::expected<bool, Failure> lacks_tilewright(const Place& place, bool terminal, const std::stop_token& stop) {
  if (place.kind != Kind::Ssh || !place.command.empty()) return false;
  auto done = ask(place, terminal, kLook, {.time = kAsking}, stop);
  if (!done) return std::unexpected(done.error());
  return marked(done->output) == "no";
}

std::expected<std::string, Failure> install(const Place& place, bool terminal, const Told& told,
                                            const std::stop_token& stop) {
  if (place.kind != Kind::Ssh)
    return std::unexpected(Failure{place.name + " is not reached by ssh: tilewright is copied over ssh alone", {}});
  if (!place.command.empty()) {
    return std::unexpected(Failure{place.name + " names its own tilewright: " + place.command[0],
                                   "leave `command` out of its address or settings, and a copy is used"});
  }
  auto system = ask(place, terminal, "echo \"@@tilewright $(uname -s) $(uname -m)\"", {.time = kAsking}, stop);
  if (!system) return std::unexpected(system.error());
  const std::string there = marked(system->output), here = system_here();
  if (there != here) {
    return std::unexpected(Failure{
        place.name + " is " + (there.empty() ? "an unknown system" : there) + ", and this binary is for " + here,
        "build tilewright there, and name it: ssh://" + place.host + "?command=PATH"});
  }
  const std::filesystem::path program = "/proc/self/exe";
  auto bytes = project::read_file(program, kLargestBinary);
  if (!bytes) return std::unexpected(Failure{"cannot read this binary: " + bytes.error(), {}});
  if (told) {
    told("copying tilewright " TILEWRIGHT_VERSION " (" + std::to_string((bytes->size() >> 20) + 1) + " MB) to " +
         place.name);
  }
  const std::string sum = toolchain::hex(toolchain::sha256(*bytes));
  auto done = ask(place, terminal, copy_script(sum), {.time = kCopying, .input = *bytes}, stop);
  if (!done) return std::unexpected(done.error());
  std::string path = marked(done->output);
  if (done->status != 0 || path.empty()) return std::unexpected(not_copied(place, *done));
  return path;
}

std::expected<bool, Failure> offer_install(const Place& place, bool terminal, const Confirm& confirm, const Told& told,
                                           const std::stop_token& stop) {
  auto lacks = lacks_tilewright(place, terminal, stop);
  if (!lacks || !*lacks) return lacks;
  const Failure absent{place.name + " has no tilewright",
                       "tilewright remotes --install " + place.name + " copies this one there"};
  if (!confirm || !confirm(place.name + " has no tilewright. Copy this one (" TILEWRIGHT_VERSION
                                        ") to ~/.local/share/tilewright/bin there?")) {
    return std::unexpected(absent);
  }
  auto path = install(place, terminal, told, stop);
  if (!path) return std::unexpected(path.error());
  if (told) told(place.name + " has tilewright now: " + *path);
  return true;
}

}  // namespace tilewright::remote
