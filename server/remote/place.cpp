#include "server/remote/place.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "compiler/text/nearest.h"
#include "server/remote/listening.h"
#include "server/remote/words.h"

namespace tilewright::remote {
namespace {

using project::kRemoteSettings;
using project::RemoteSetting;
using run::Failure;
using Wrong = std::optional<Failure>;

constexpr std::size_t kLongestAddress = 16384;
constexpr int kMostSlots = 1024, kMostCpus = 4096, kLongestKeep = 86400, kLongestWait = 30 * 86400;

struct Scheme {
  std::string_view prefix;
  Kind kind;
  std::uint8_t bit;
};
constexpr Scheme kSchemes[] = {
    {"ssh://", Kind::Ssh, project::kSsh},  {"exec:", Kind::Exec, project::kExec},
    {"tls://", Kind::Tls, project::kTls},  {"tcp://", Kind::Tcp, project::kTcp},
    {"unix:", Kind::Unix, project::kUnix}, {"slurm:", Kind::Slurm, project::kSlurm},
};
constexpr std::string_view kForms =
    "an address is ssh://HOST, exec:COMMAND, tls://HOST:PORT, tcp://127.0.0.1:PORT, unix:PATH or slurm:partition=NAME";

const Scheme& scheme_of(Kind kind) { return *std::ranges::find(kSchemes, kind, &Scheme::kind); }

const Scheme* scheme_in(std::string_view text) {
  for (const Scheme& s : kSchemes) {
    if (text.starts_with(s.prefix)) return &s;
  }
  return nullptr;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

std::expected<std::string, Failure> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* begin = text.data() + i + 1;
    const char* end = text.data() + std::min(i + 3, text.size());
    if (end - begin != 2 || std::from_chars(begin, end, value, 16).ptr != end)
      return std::unexpected(Failure{"a % in an address is followed by two hexadecimal digits", "%25 is a % itself"});
    out += static_cast<char>(value);
    i += 2;
  }
  if (has_control(out)) return std::unexpected(Failure{"an address holds no control characters", {}});
  return out;
}

Wrong read_number(std::string_view what, std::string_view text, int least, int most, int& into) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return Failure{std::string(what) + " is a number from " + std::to_string(least) + " to " + std::to_string(most) +
                       ", not '" + std::string(text) + "'",
                   {}};
  }
  into = number;
  return std::nullopt;
}

// The file of a setting, in its place; ~/ is the home folder of the user who runs this.
std::filesystem::path file_of(std::string_view text, const std::filesystem::path& folder) {
  std::filesystem::path path(text);
  if (text.starts_with("~/")) {
    if (const char* home = std::getenv("HOME")) path = std::filesystem::path(home) / text.substr(2);
  }
  if (path.is_relative() && !folder.empty()) path = folder / path;
  std::error_code ec;
  auto absolute = std::filesystem::absolute(path, ec);
  return ec ? path : absolute.lexically_normal();
}

std::string names_for(std::uint8_t bit) {
  std::string out;
  for (const RemoteSetting& s : kRemoteSettings) {
    if (s.kinds & bit) out += (out.empty() ? "" : ", ") + std::string(s.name);
  }
  return out;
}

// The value is never part of the message: under a wrong name it may be a secret.
Failure unknown_setting(std::string_view name, const Scheme& scheme) {
  std::string scheme_name(scheme.prefix);
  const auto* elsewhere = std::ranges::find(kRemoteSettings, name, &RemoteSetting::name);
  text::Nearest nearest(name, text::Nearest::Among::Few);
  for (const RemoteSetting& s : kRemoteSettings) {
    if (s.kinds & scheme.bit) nearest.consider(s.name);
  }
  std::string message = "'" + std::string(name) + "' is no setting of " + scheme_name;
  if (name == "token" || name == "password")
    return {message + ": secrets are given in files alone", "token-file=FILE names a file that holds the token"};
  if (elsewhere == kRemoteSettings.end() && !nearest.found().empty())
    return {message, "did you mean " + std::string(nearest.found()) + "?"};
  return {message, "there are " + names_for(scheme.bit)};
}

Wrong set_words(std::string_view value, std::vector<std::string>& into) {
  auto words = split_words(value);
  if (!words) return Failure{"the command cannot be taken apart: " + words.error(), {}};
  if (words->empty()) return Failure{"the command is empty", {}};
  into = std::move(*words);
  return std::nullopt;
}

Wrong set_slurm(SlurmWish& wish, const RemoteSetting& setting, const std::string& value) {
  if (setting.name == "cpus") return read_number("cpus", value, 1, kMostCpus, wish.cpus);
  if (setting.name == "nodes") return read_number("nodes", value, 1, kMostSlots, wish.nodes);
  if (setting.name == "keep") return read_number("keep", value, 0, kLongestKeep, wish.keep);
  if (setting.name == "wait") return read_number("wait", value, 1, kLongestWait, wish.wait);
  if (setting.name == "gres") {
    wish.gres = value;
    return std::nullopt;
  }
  if (setting.name == "mem") {
    const auto digits = std::min(value.find_first_not_of("0123456789"), value.size());
    int number = 0;
    const bool unit =
        digits == value.size() || (digits + 1 == value.size() && std::string_view("KMGT").contains(value[digits]));
    if (!unit) return Failure{"mem is a number with K, M, G or T, such as 16G, not '" + value + "'", {}};
    if (auto wrong = read_number("mem", std::string_view(value).substr(0, digits), 1, 1 << 30, number)) return wrong;
    wish.mem = value;
    return std::nullopt;
  }
  wish.options.insert_or_assign(std::string(setting.name), value);
  return std::nullopt;
}

// `name` as in an address or, with `_` for `-`, in the settings.
Wrong set(Place& place, std::string_view name, const std::string& value, const std::filesystem::path& folder) {
  const Scheme& scheme = scheme_of(place.kind);
  std::string known(name);
  std::ranges::replace(known, '_', '-');
  const auto* setting = std::ranges::find(kRemoteSettings, known, &RemoteSetting::name);
  if (setting == kRemoteSettings.end() || !(setting->kinds & scheme.bit)) return unknown_setting(known, scheme);
  if (value.empty()) return Failure{known + " is empty", {}};
  if (known == "slots") return read_number("slots", value, 1, kMostSlots, place.slots);
  if (known == "patience" || known == "give-up") {
    int seconds = 0;
    if (auto wrong = read_number(known, value, 1, kLongestPatience, seconds)) return wrong;
    known == "patience" ? place.patience.set_silence(seconds)
                        : void(place.patience.answer = std::chrono::seconds(seconds));
    return std::nullopt;
  }
  if (known == "command") return set_words(value, place.command);
  if (setting->kinds == project::kSlurm) return set_slurm(place.slurm, *setting, value);
  if (known == "name") {
    place.credentials.name = value;
    return std::nullopt;
  }
  auto& c = place.credentials;
  (known == "ca" ? c.ca : known == "cert" ? c.cert : known == "key" ? c.key : c.token_file) = file_of(value, folder);
  return std::nullopt;
}

// KEY=VALUE, separated by `separator`.
Wrong set_all(Place& place, std::string_view text, char separator, const std::filesystem::path& folder) {
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      return Failure{"'" + std::string(part) + "' is not of the form NAME=VALUE",
                     "there are " + names_for(scheme_of(place.kind).bit)};
    }
    auto value = decoded(part.substr(equals + 1));
    if (!value) return value.error();
    if (auto wrong = set(place, part.substr(0, equals), *value, folder)) return wrong;
  }
  return std::nullopt;
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

// What a program could take for an option, or a shell for anything else, is no host and no user.
bool good_name(std::string_view name, std::string_view others) {
  return !name.empty() && name[0] != '-' && std::ranges::all_of(name, [&](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c > 0x7f ||
           others.contains(static_cast<char>(c));
  });
}

// [USER@]HOST[:PORT]
Wrong set_authority(Place& place, std::string_view text) {
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    auto user = decoded(text.substr(0, at));
    if (!user) return user.error();
    if (place.kind != Kind::Ssh) return Failure{"only ssh:// knows users", {}};
    if (user->contains(':'))
      return Failure{"an address holds no password", "ssh's keys or its agent are what shows who you are"};
    if (!good_name(*user, "._-@+\\")) return Failure{"'" + *user + "' is no user name", {}};
    place.user = *user;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return Failure{"the [ of an IPv6 address is open", {}};
    auto host = decoded(text.substr(1, close - 1));
    if (!host) return host.error();
    place.host = *host;
    if (!good_name(place.host, ":.%_-")) return Failure{"'" + place.host + "' is no IPv6 address", {}};
    text.remove_prefix(close + 1);
    if (!text.empty() && text[0] != ':') return Failure{"what follows the ] of an IPv6 address is :PORT", {}};
    if (!text.empty()) port = text.substr(1);
    if (!text.empty() && port.empty()) return Failure{"the port is missing after the ':'", {}};
  } else {
    const auto colon = text.find(':');
    place.host = text.substr(0, colon);
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos)
      return Failure{"an IPv6 address stands in brackets", "[::1]:22"};
    if (place.host.empty()) return Failure{"the host is missing", std::string(kForms)};
    if (!good_name(place.host, "._-")) return Failure{"'" + place.host + "' is no name of a host", {}};
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
    if (colon != std::string_view::npos && port.empty()) return Failure{"the port is missing after the ':'", {}};
  }
  if (!port.empty()) return read_number("the port", port, 1, 65535, place.port);
  if (place.kind != Kind::Ssh)
    return Failure{"the port is missing", std::string(scheme_of(place.kind).prefix) + place.host + ":PORT"};
  return std::nullopt;
}

// What holds between settings.
Wrong check(const Place& place) {
  const Credentials& c = place.credentials;
  if (c.cert.empty() != c.key.empty())
    return Failure{"cert and key go together: a certificate shows who we are with the key that it belongs to", {}};
  if (place.kind == Kind::Tcp && !is_loopback(place.host)) {
    return Failure{"tcp:// is not encrypted, so it leads to this machine alone, not to " + place.host,
                   "tls://" + place.host + ":" + std::to_string(place.port) + ", or a tunnel of ssh"};
  }
  if (place.kind == Kind::Slurm && std::max(place.slots, 1) % place.slurm.nodes != 0)
    return Failure{"slots are spread over nodes evenly: slots must be a multiple of nodes", {}};
  return std::nullopt;
}

Wrong read_address(Place& place, std::string_view rest, const std::filesystem::path& folder) {
  if (place.kind == Kind::Exec) {
    if (auto wrong = set_words(rest, place.command)) return wrong;
    // Of a settings file, ./tools/worker.sh is what lies beside it.
    std::string& program = place.command[0];
    if (program.contains('/') && program[0] != '/' && !folder.empty()) program = file_of(program, folder);
    if (program.starts_with("~/")) program = file_of(program, folder);
    return std::nullopt;
  }
  if (place.kind == Kind::Slurm) return set_all(place, rest, ',', folder);
  const auto question = std::min(rest.find('?'), rest.size());
  if (place.kind == Kind::Unix) {
    auto address = socket_address("unix:" + std::string(rest.substr(0, question)), "worker");
    if (!address) return address.error();
    const std::string_view path = std::string_view(*address).substr(5);
    // One that the user writes stays short: a socket's path has at most 107 bytes.
    const bool as_written = folder.empty() && !path.starts_with("~/");
    place.socket = as_written ? std::filesystem::path(path) : file_of(path, folder);
    return set_all(place, rest.substr(std::min(question + 1, rest.size())), '&', folder);
  }
  std::string_view authority = rest.substr(0, question);
  if (authority.ends_with('/')) authority.remove_suffix(1);
  if (authority.contains('/')) return Failure{"no path stands after the host", std::string(kForms)};
  if (auto wrong = set_authority(place, authority)) return wrong;
  return set_all(place, rest.substr(std::min(question + 1, rest.size())), '&', folder);
}

// Commands and queries may hold what is private: they are not repeated.
std::string label(std::string_view address, const Place& place) {
  if (place.kind == Kind::Exec) return "exec:" + std::filesystem::path(place.command[0]).filename().string();
  return std::string(address.substr(0, address.find('?')));
}

// The place before its settings are held against each other: those of a settings file still follow.
std::expected<Place, Failure> begin_place(std::string_view address, const std::filesystem::path& folder) {
  if (address.size() > kLongestAddress) return std::unexpected(Failure{"the address is too long", {}});
  const Scheme* scheme = scheme_in(address);
  if (!scheme) {
    const std::string_view shown = address.substr(0, std::min<std::size_t>(address.find_first_of(":/"), 40));
    return std::unexpected(Failure{"'" + std::string(shown) + "' begins no address of a remote", std::string(kForms)});
  }
  if (has_control(address)) return std::unexpected(Failure{"an address holds no control characters", {}});
  Place place;
  place.kind = scheme->kind;
  if (auto wrong = read_address(place, address.substr(scheme->prefix.size()), folder)) return std::unexpected(*wrong);
  place.name = place.address = label(address, place);
  return place;
}

std::expected<Place, Failure> place_of(const std::string& name, const project::Remote& remote) {
  const std::filesystem::path folder = remote.source.file.parent_path();
  auto failed = [&](const Failure& f) {
    return std::unexpected(Failure{"the remote '" + name + "': " + f.message, f.hint});
  };
  auto place = begin_place(remote.at, folder);
  if (!place) return failed(place.error());
  for (const auto& [key, value] : remote.settings) {
    if (auto wrong = set(*place, key, value, folder)) return failed(*wrong);
  }
  if (auto wrong = check(*place)) return failed(*wrong);
  place->name = name;
  return place;
}

Failure unknown_name(std::string_view word, const project::Config& config) {
  std::string names;
  text::Nearest nearest(word, text::Nearest::Among::Few);
  auto add = [&](const auto& named) {
    for (const auto& [name, what] : named) {
      nearest.consider(name);
      names += (names.empty() ? "" : ", ") + name;
    }
  };
  add(config.remotes);
  add(config.pools);
  Failure f{"there is no remote '" + std::string(word) + "'", {}};
  if (!nearest.found().empty()) {
    f.hint = "did you mean " + std::string(nearest.found()) + "?";
  } else if (!names.empty()) {
    f.hint = config.file.string() + " has " + names + "; " + std::string(kForms);
  } else {
    f.hint =
        std::string(kForms) + "; or name it in tilewright.toml: [remotes." + std::string(word) + "] with at = \"…\"";
  }
  return f;
}

}  // namespace

bool is_address(std::string_view text) { return scheme_in(text) || text.contains("://"); }

std::optional<std::string> not_from_a_client(std::string_view text) {
  if (!is_address(text)) return std::nullopt;
  return "'" + std::string(text.substr(0, text.find(':') + 1)) +
         "…' is an address, and clients say names alone: sim, gpu, a remote or a pool of tilewright.toml. The address "
         "may stand on the server's own command line: --on ADDRESS";
}

std::expected<Place, Failure> parse_place(std::string_view address, const std::filesystem::path& folder) {
  auto place = begin_place(address, folder);
  if (!place) return place;
  if (auto wrong = check(*place)) return std::unexpected(*wrong);
  return place;
}

std::expected<std::vector<Place>, Failure> find_places(std::string_view word, const project::Config& config) {
  std::vector<Place> places;
  // `near`: what files are relative to; an address that the user writes means the user's own folder.
  auto add = [&](std::string_view one, const std::filesystem::path& near) -> Wrong {
    auto named = config.remotes.find(one);
    auto place = named != config.remotes.end() ? place_of(named->first, named->second) : parse_place(one, near);
    if (!place) return place.error();
    places.push_back(std::move(*place));
    return std::nullopt;
  };
  if (auto pool = config.pools.find(word); pool != config.pools.end()) {
    for (const std::string& member : pool->second.members) {
      if (auto wrong = add(member, pool->second.source.file.parent_path()))
        return std::unexpected(Failure{"the pool '" + pool->first + "': " + wrong->message, wrong->hint});
    }
    return places;
  }
  if (!is_address(word) && !config.remotes.contains(word)) return std::unexpected(unknown_name(word, config));
  if (auto wrong = add(word, {})) return std::unexpected(*wrong);
  return places;
}

}  // namespace tilewright::remote
