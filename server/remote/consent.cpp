#include "server/remote/consent.h"

#include <algorithm>
#include <set>

#include "compiler/text/escape.h"
#include "compiler/toolchain/digest.h"
#include "compiler/toolchain/record.h"
#include "server/project/files.h"
#include "server/project/trust.h"
#include "server/project/user.h"
#include "server/remote/slurm.h"
#include "server/remote/words.h"

namespace tilewright::remote {
namespace {

namespace fs = std::filesystem;
using project::Config;
using run::Failure;
using text::visible;
using toolchain::Record;

// A program of a checkout that is larger is named from outside of it.
constexpr std::uintmax_t kMostProgramBytes = 512u << 20;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("-_./:=@,+%").contains(static_cast<char>(c));
    });
    out += (out.empty() ? "" : " ") + (plain ? word : quoted_word(word));
  }
  return out;
}

// Collects what the settings of one project demand.
class Collector {
 public:
  explicit Collector(const Config& config)
      : folder_(config.file.parent_path()), checkout_(project::checkout_of(config.file)) {}

  void add(const std::string& name, const Place& place) {
    Act act{name, {}};
    switch (place.kind) {
      case Kind::Exec: act.lines.push_back("runs " + joined(place.command)); break;
      case Kind::Ssh: act.lines.push_back("runs " + ssh_words(place)); break;
      case Kind::Slurm:
        act.lines.push_back("runs " + joined(salloc_command(place.slurm, std::max(place.slots, 1))));
        break;
      case Kind::Tls: act.lines.push_back("connects to " + place.address); break;
      case Kind::Tcp: act.lines.push_back("connects to " + place.address); break;
      case Kind::Unix: act.lines.push_back("connects to the socket " + place.socket.string()); break;
    }
    if (place.kind == Kind::Slurm && !place.command.empty())
      act.lines.push_back("runs there " + joined(place.command) + " worker --stdio");
    const Credentials& c = place.credentials;
    add_file(act, c.token_file, "sends the token in ");
    add_file(act, c.cert, "shows the certificate in ");
    add_file(act, c.key, "uses the key in ");
    add_file(act, c.ca, "believes workers that are vouched for by ");
    for (const std::string& word : place.command) {
      add_program(act, word);
      if (const auto equals = word.find('='); equals != word.npos) add_program(act, word.substr(equals + 1));
    }
    for (std::string& line : act.lines) line = visible(line);
    act.remote = visible(act.remote);
    acts.push_back(std::move(act));
  }
  // One that cannot be read as an address does nothing.
  void add(const std::string& name, const Failure& wrong) {
    acts.push_back({visible(name), {visible("cannot be used: " + wrong.message)}});
  }

  std::vector<Act> acts;
  Record files;
  std::optional<Failure> wrong;

 private:
  static std::string ssh_words(const Place& place) {
    std::string out = "ssh " + (place.user.empty() ? "" : place.user + "@") + place.host;
    if (place.port) out += " -p " + std::to_string(place.port);
    return out + ", and there " + (place.command.empty() ? "the tilewright that is found" : joined(place.command)) +
           " worker --stdio";
  }

  // Its bytes, where they lie in the checkout and may change with it.
  void add_content(const fs::path& real) {
    if (!project::lies_below(real, checkout_) || !seen_.insert(real.string()).second) return;
    auto bytes = project::read_file(real, kMostProgramBytes);
    std::error_code ec;
    if (!bytes && fs::is_regular_file(real, ec) && fs::file_size(real, ec) > kMostProgramBytes) {
      wrong = Failure{bytes.error() + ", and a consent holds for contents",
                      "name a program that lies outside of the checkout " + checkout_.string()};
    }
    files.emplace_back("file", real.string());
    files.emplace_back("sha256", bytes ? toolchain::hex(toolchain::sha256(*bytes)) : "unreadable");
  }

  void add_file(Act& act, const fs::path& file, const char* what) {
    if (file.empty()) return;
    std::error_code ec;
    const fs::path real = fs::weakly_canonical(file, ec);
    act.lines.push_back(what + real.string());
    files.emplace_back("leads to", real.string());
    add_content(real);
  }

  // A word of a command may name a program or what an interpreter is given: beside the settings, or beside the caller.
  void add_program(Act& act, const std::string& word) {
    std::error_code ec;
    for (const fs::path& base : {folder_, fs::current_path(ec)}) {
      const fs::path real = fs::weakly_canonical(base / word, ec);
      if (word.empty() || ec || !fs::is_regular_file(real, ec) || !project::lies_below(real, checkout_)) continue;
      if (!seen_.contains(real.string())) act.lines.push_back("with the checkout's " + real.string());
      add_content(real);
    }
  }

  fs::path folder_, checkout_;
  std::set<std::string> seen_;
};

// The project's own: those of the user's settings and of --remotes need no consent.
bool of_project(const project::Source& source) { return !source.own && !source.file.empty(); }

// The remotes that `word` means and that are the project's, by name, with members of pools that are addresses; all of
// them where `word` is empty.
std::expected<std::optional<Demand>, Failure> demand(std::string_view word, const Config& config) {
  Collector all(config), asked(config);
  Record content;
  auto look = [&](const std::string& name, const std::expected<Place, Failure>& found, bool wanted) {
    for (Collector* c : {&all, wanted ? &asked : nullptr}) {
      if (!c) continue;
      if (!found) {
        c->add(name, found.error());
      } else {
        c->add(name, *found);
      }
    }
  };
  const auto pool = config.pools.find(word);
  auto is_asked = [&](std::string_view name) {
    return word.empty() || name == word ||
           (pool != config.pools.end() && std::ranges::find(pool->second.members, name) != pool->second.members.end());
  };
  for (const auto& [name, remote] : config.remotes) {
    if (!of_project(remote.source)) continue;
    content.emplace_back("remote", name);
    content.emplace_back("at", remote.at);
    for (const auto& [key, value] : remote.settings) content.emplace_back("set " + key, value);
    const auto places = find_places(name, config);
    look(name, places ? std::expected<Place, Failure>(places->front()) : std::unexpected(places.error()),
         is_asked(name));
  }
  for (const auto& [name, what] : config.pools) {
    if (!of_project(what.source)) continue;
    content.emplace_back("pool", name);
    for (const std::string& member : what.members) {
      content.emplace_back("member", member);
      if (is_address(member)) {
        look(name, parse_place(member, what.source.file.parent_path()), word.empty() || name == word);
      } else if (const auto own = config.remotes.find(member);
                 own != config.remotes.end() && !of_project(own->second.source) && (word.empty() || name == word)) {
        asked.acts.push_back({name, {"uses " + member + " of your own settings"}});
      }
    }
  }
  if (content.empty()) return std::nullopt;
  if (all.wrong) return std::unexpected(*all.wrong);
  content.insert(content.end(), all.files.begin(), all.files.end());
  return Demand{project::place_of_file(config.file), std::move(asked.acts), toolchain::encode(content)};
}

}  // namespace

std::expected<std::optional<Demand>, Failure> demand_of(const Config& config) { return demand({}, config); }

std::expected<std::optional<Demand>, Failure> unmet(std::string_view word, const Config& config) {
  const auto remote = config.remotes.find(word);
  const auto pool = config.pools.find(word);
  // Of a pool of the project also members of the user count as agreed to: only what the project says needs consent.
  const bool of_it = (remote != config.remotes.end() && of_project(remote->second.source)) ||
                     (pool != config.pools.end() && of_project(pool->second.source));
  if (!of_it) return std::nullopt;
  auto all = demand(word, config);
  if (!all || !*all) return all;
  auto trusted = project::is_trusted((*all)->settings, (*all)->content);
  if (!trusted) return std::unexpected(Failure{trusted.error(), {}});
  if (*trusted) return std::nullopt;
  return all;
}

std::string words_of(const std::vector<Act>& acts) {
  std::string out;
  for (const Act& act : acts) {
    out += "  " + act.remote + ":\n";
    for (const std::string& line : act.lines) out += "    " + line + "\n";
  }
  return out;
}

std::string short_words(const std::vector<Act>& acts, std::size_t most) {
  std::string out;
  for (const Act& act : acts) {
    for (const std::string& line : act.lines) out += (out.empty() ? "" : ", ") + line;
  }
  if (out.size() <= most) return out;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
  return out.substr(0, end) + "…";
}

std::expected<std::vector<Place>, Failure> allowed_places(std::string_view word, const Config& config) {
  auto places = find_places(word, config);
  if (!places) return places;
  auto missing = unmet(word, config);
  if (!missing) return std::unexpected(missing.error());
  if (!*missing) return places;
  const std::string file = visible((*missing)->settings.string());
  return std::unexpected(Failure{
      "the remotes of " + file + " are not trusted; " + visible(word) + " " + short_words((*missing)->acts, 400),
      "tilewright trust " + quoted_word(file) + " shows all that they do, and asks"});
}

}  // namespace tilewright::remote
