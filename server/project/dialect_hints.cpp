#include "server/project/dialect_hints.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "server/project/files.h"
#include "server/project/real_path.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostPinBytes = 1u << 20, kMostLockBytes = 8u << 20;
constexpr std::size_t kMostFolders = 32, kMostEntries = 10'000, kMostFiles = 16, kMostSpecifiers = 80;
constexpr std::size_t kMostKnown = 1000;
constexpr auto kRest = std::chrono::seconds(2);  // what changed just now may change again without a new time

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The name of a distribution at the start of a text, as Python compares them: "Apache_TVM" is "apache-tvm".
std::string name_at_start(std::string_view text, std::size_t& end) {
  std::string name;
  for (end = 0; end < text.size(); ++end) {
    const char c = text[end];
    const bool separator = c == '-' || c == '_' || c == '.';
    if (!separator && !std::isalnum(static_cast<unsigned char>(c))) break;
    if (!separator) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.ends_with('-')) {
      name += '-';
    }
  }
  return name;
}

// The first two numbers of a version, and whether more follow: "0.26.0" is {0, 26, true}.
struct Version {
  int major = 0, minor = 0;
  bool has_minor = false;
  bool more = false;  // a third part that is no `*`
  bool zero = false;  // which is 0: the release's first version
};
std::optional<Version> version_of(std::string_view text) {
  Version v;
  auto number = [&](int& into) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc() || into < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  if (!number(v.major)) return std::nullopt;
  if (!text.starts_with('.') || text.starts_with(".*")) return v;
  text.remove_prefix(1);
  v.has_minor = number(v.minor);
  if (!v.has_minor) return std::nullopt;
  if (!text.starts_with('.') || text.starts_with(".*")) return v;
  text.remove_prefix(1);
  int third = 0;
  if (number(third)) {
    v.more = true;
    v.zero = third == 0 && text.empty();
  }
  return v;
}

// Some version of the release meets "==0.26.0", "~=0.26", "<0.27", "^0.26".
bool meets(text::Dialect release, std::string_view operation, const Version& v) {
  const std::string_view name = text::dialect_name(release);  // "0.26"
  const Version own = *version_of(name);
  const int compared = own.major != v.major ? own.major - v.major : v.has_minor ? own.minor - v.minor : 0;
  if (operation == "==" || operation == "===") return compared == 0;
  if (operation == "~=") return v.more ? compared == 0 : own.major == v.major && own.minor >= v.minor;
  if (operation == "^") return v.major == 0 ? compared == 0 : own.major == v.major && own.minor >= v.minor;
  if (operation == "~") return compared == 0;
  if (operation == ">=") return compared >= 0;
  if (operation == ">") return compared > 0 || (compared == 0 && v.more);
  if (operation == "<=") return compared <= 0;
  if (operation == "<") return compared < 0 || (compared == 0 && v.more && !v.zero);
  return true;  // != leaves other versions of the release
}

// "==0.26.0, <0.27" -> the one release that it leaves.
std::optional<text::Dialect> release_of(std::string_view specifiers, bool bare_is_exact) {
  // They are shown to people: nothing but what versions are written with, and no more than fits a line.
  constexpr std::string_view kSigns = ".,<>=!~^*+-_ ";
  const bool plain = std::ranges::all_of(specifiers, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kSigns.find(c) != kSigns.npos;
  });
  if (!plain || specifiers.size() > kMostSpecifiers) return std::nullopt;
  std::vector<text::Dialect> left;
  for (const text::DialectName& d : text::kDialects) left.push_back(d.dialect);
  bool any = false;
  while (!specifiers.empty()) {
    const std::size_t comma = specifiers.find(',');
    std::string_view one = trimmed(specifiers.substr(0, comma));
    specifiers = comma == specifiers.npos ? "" : specifiers.substr(comma + 1);
    const std::size_t number = one.find_first_not_of("=<>!~^");
    if (number == one.npos) continue;
    std::string_view operation = one.substr(0, number);
    if (operation.empty() && bare_is_exact) operation = "==";
    const std::optional<Version> v = version_of(trimmed(one.substr(number)));
    if (!v || operation.empty()) return std::nullopt;
    std::erase_if(left, [&](text::Dialect d) { return !meets(d, operation, *v); });
    any = true;
  }
  return any && left.size() == 1 ? std::optional(left.front()) : std::nullopt;
}

struct Pin {
  text::Dialect dialect;
  std::string words;
};

// A requirement without extras and what follows `;` or `#`, where it is one of apache-tvm.
std::optional<std::string_view> specifiers_of(std::string_view requirement) {
  requirement = trimmed(requirement);
  std::size_t end = 0;
  if (name_at_start(requirement, end) != "apache-tvm") return std::nullopt;
  requirement = trimmed(requirement.substr(end));
  if (requirement.starts_with('[')) {
    const std::size_t close = requirement.find(']');
    requirement = trimmed(close == requirement.npos ? "" : requirement.substr(close + 1));
  }
  requirement = trimmed(requirement.substr(0, requirement.find_first_of(";#")));
  if (requirement.starts_with('(') && requirement.ends_with(')')) {
    requirement = trimmed(requirement.substr(1, requirement.size() - 2));
  }
  requirement = trimmed(requirement.substr(0, requirement.find(" --")));
  if (requirement.ends_with('\\')) requirement.remove_suffix(1);  // its hashes follow on the next lines
  return trimmed(requirement);
}

void add_pin(std::vector<Pin>& out, std::string_view requirement) {
  const auto specifiers = specifiers_of(requirement);
  const auto release = pinned_by(requirement);
  if (specifiers && release) out.push_back({*release, " pins apache-tvm" + std::string(*specifiers)});
}

template <class F>
void for_lines(std::string_view text, F&& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text = end == text.npos ? "" : text.substr(end + 1);
  }
}

// pyproject.toml is read by its lines: requirements stand in quotes, wherever they are listed.
void add_pins_of_project(std::vector<Pin>& out, std::string_view text) {
  for_lines(text, [&](std::string_view line) {
    line = trimmed(line);
    // `apache-tvm = "^0.26"`, as Poetry lists it.
    std::size_t end = 0;
    const std::string_view key = line.starts_with('"') ? line.substr(1) : line;
    const bool poetry = name_at_start(key, end) == "apache-tvm" &&
                        trimmed(key.substr(end + (key.substr(end).starts_with('"') ? 1 : 0))).starts_with('=');
    std::size_t at = poetry ? line.find('=') : 0;
    while (at < line.size() && line[at] != '#') {
      if (line[at] != '"' && line[at] != '\'') {
        ++at;
        continue;
      }
      const std::size_t close = line.find(line[at], at + 1);
      if (close == line.npos) return;
      const std::string_view inside = line.substr(at + 1, close - at - 1);
      at = close + 1;
      if (!poetry) {
        add_pin(out, inside);
      } else if (const auto release = release_of(inside, true)) {
        out.push_back({*release, " pins apache-tvm " + std::string(inside)});
      }
    }
  });
}

// Of requirements.txt a line may also name a built package: "./apache_tvm-0.26.0-cp310-abi3-manylinux_2_28_x86_64.whl",
// behind "apache-tvm @ " or alone.
void add_pin_of_wheel(std::vector<Pin>& out, std::string_view line) {
  constexpr std::string_view kStart = "apache_tvm-";
  line = trimmed(line);
  const std::size_t at = line.find(kStart);
  if (line.starts_with('#') || at == line.npos || line.find(".whl", at) == line.npos) return;
  std::string_view version = line.substr(at + kStart.size());
  version = version.substr(0, version.find_first_of("-/ "));
  if (const auto release = release_of(version, true)) {
    out.push_back({*release, " takes apache_tvm-" + std::string(version)});
  }
}

// Lists of pip: a requirement a line. setup.cfg has its own in the same form.
void add_pins_of_lines(std::vector<Pin>& out, std::string_view text) {
  for_lines(text, [&](std::string_view line) {
    add_pin(out, line);
    add_pin_of_wheel(out, line);
  });
}

// environment.yml of conda: `- apache-tvm=0.26`, and the list of pip in it.
void add_pins_of_environment(std::vector<Pin>& out, std::string_view text) {
  for_lines(text, [&](std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with("- ")) return;
    line = trimmed(line.substr(2));
    if (line.size() > 1 && (line[0] == '"' || line[0] == '\'')) line = line.substr(1, line.find(line[0], 1) - 1);
    if (const std::size_t channel = line.find("::"); channel != line.npos) line.remove_prefix(channel + 2);
    const auto specifiers = specifiers_of(line);
    if (specifiers && specifiers->size() > 1 && (*specifiers)[0] == '=' && (*specifiers)[1] != '=') {
      if (const auto release = release_of(specifiers->substr(1), true)) {
        out.push_back({*release, " pins apache-tvm" + std::string(*specifiers)});
      }
    } else {
      add_pin(out, line);
    }
  });
}

// uv.lock, poetry.lock, pdm.lock and pylock.toml have `name = "apache-tvm"` and, in the same table, the version;
// Pipfile.lock has `"apache-tvm": {` and the version among its entries.
void add_pins_of_lock(std::vector<Pin>& out, std::string_view text) {
  constexpr std::string_view kEnds[] = {"\"apache-tvm\"", "\"apache_tvm\"", "'apache-tvm'"};
  bool within = false;
  for_lines(text, [&](std::string_view line) {
    line = trimmed(line);
    const bool key = line.starts_with("\"apache-tvm\"") && line.ends_with('{');
    if (key || (line.starts_with("name") &&
                std::ranges::any_of(kEnds, [&](std::string_view e) { return line.ends_with(e); }))) {
      within = true;
      return;
    }
    if (line.starts_with('[') || line.starts_with('}')) within = false;
    if (!within || !(line.starts_with("version") || line.starts_with("\"version\""))) return;
    within = false;
    const std::size_t separator = line.find_first_of("=:");
    const std::size_t open = separator == line.npos ? separator : line.find_first_of("\"'", separator + 1);
    const std::size_t close = open == line.npos ? open : line.find(line[open], open + 1);
    if (close == line.npos) return;
    const std::string_view version = line.substr(open + 1, close - open - 1);
    if (const auto release = release_of(version, true)) {
      out.push_back({*release, " locks apache-tvm " + std::string(version)});
    }
  });
}

using ReadPins = void (*)(std::vector<Pin>&, std::string_view text);

// How a file is read for pins, by its name. Null: it is none that lists packages.
ReadPins reader_of(const fs::path& file) {
  const std::string_view path = file.native(), name = path.substr(path.rfind('/') + 1);
  const auto is_listed = [&] {
    return name.contains("requirements") || name.contains("constraints") ||
           file.parent_path().filename() == "requirements";
  };
  const bool is_text = name.ends_with(".txt") || name.ends_with(".in");
  if ((is_text && is_listed()) || name == "setup.cfg") return add_pins_of_lines;
  if (name == "pyproject.toml" || name == "Pipfile" || name == "setup.py") return add_pins_of_project;
  const bool conda = name.starts_with("environment") || name.starts_with("conda");
  if (conda && (name.ends_with(".yml") || name.ends_with(".yaml"))) return add_pins_of_environment;
  const bool lock = name == "uv.lock" || name == "poetry.lock" || name == "pdm.lock" || name == "Pipfile.lock";
  if (lock || (name.starts_with("pylock.") && name.ends_with(".toml"))) return add_pins_of_lock;
  return nullptr;
}

std::vector<fs::path> listed_pins(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ec;
  std::size_t seen = 0;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end && ++seen <= kMostEntries; it.increment(ec)) {
    std::error_code no;
    // A link may lead out of the checkout, and is not followed.
    const bool own = fs::is_regular_file(it->symlink_status(no));
    if (own && reader_of(it->path())) out.push_back(it->path());
  }
  std::ranges::sort(out);
  if (out.size() > kMostFiles) out.resize(kMostFiles);
  return out;
}

// The same, listed again when the folder has changed: a folder may hold thousands of scripts, and each asks.
std::vector<fs::path> pin_files(const fs::path& folder) {
  struct Listed {
    fs::file_time_type changed;
    std::vector<fs::path> files;
  };
  static std::mutex mutex;
  static std::map<fs::path, Listed> known;
  std::error_code ec;
  const fs::file_time_type changed = fs::last_write_time(folder, ec);
  std::lock_guard lock(mutex);
  if (auto it = known.find(folder); !ec && it != known.end() && it->second.changed == changed) return it->second.files;
  std::vector<fs::path> files = listed_pins(folder);
  if (ec || fs::file_time_type::clock::now() - changed < kRest) return files;
  if (known.size() >= kMostKnown) known.clear();
  return known.insert_or_assign(folder, Listed{changed, std::move(files)}).first->second.files;
}

// What a file pins, its name left out of the words, read again when the file has changed.
std::vector<Pin> pins_of(const fs::path& file) {
  struct Read {
    fs::file_time_type changed;
    std::vector<Pin> pins;
  };
  static std::mutex mutex;
  static std::map<fs::path, Read> known;
  std::error_code ec;
  const fs::file_time_type changed = fs::last_write_time(file, ec);
  {
    std::lock_guard lock(mutex);
    if (auto it = known.find(file); !ec && it != known.end() && it->second.changed == changed) return it->second.pins;
  }
  const ReadPins read = reader_of(file);
  const auto text = read_file(file, read == add_pins_of_lock ? kMostLockBytes : kMostPinBytes);
  std::vector<Pin> pins;
  if (text) read(pins, *text);
  if (ec || fs::file_time_type::clock::now() - changed < kRest) return pins;
  std::lock_guard lock(mutex);
  if (known.size() >= kMostKnown) known.clear();
  return known.insert_or_assign(file, Read{changed, std::move(pins)}).first->second.pins;
}

// False: the folder has no pin.
bool take_pins(const fs::path& folder, const std::string& from_script, script::DialectHints& hints) {
  std::vector<Pin> pins;
  auto take = [&](const fs::path& place, const std::string& from) {
    for (const fs::path& file : pin_files(place)) {
      for (const Pin& pin : pins_of(file)) pins.push_back({pin.dialect, from + file.filename().string() + pin.words});
    }
  };
  take(folder, from_script);
  std::error_code ec;
  const fs::path lists = folder / "requirements";
  if (fs::is_directory(fs::symlink_status(lists, ec))) take(lists, from_script + "requirements/");
  if (pins.empty()) return false;
  for (const Pin& pin : pins) {
    if (pin.dialect == pins.front().dialect) continue;
    hints.pins_disagree = pins.front().words + ", and " + pin.words +
                          ": they are of two releases of the dialect; say which with `# tilewright: dialect " +
                          std::string(text::dialect_name(pin.dialect)) + "`, or with dialect = in tilewright.toml";
  }
  hints.pin = {pins.front().dialect, pins.front().words};
  return true;
}

// "apache_tvm-0.26.0.dist-info" -> "0.26.0".
std::string installed_version(const std::string& name) {
  std::size_t end = 0;
  constexpr std::string_view kStart = "apache_tvm-", kEnd = ".dist-info";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return {};
  end = name.size() - kEnd.size();
  return name.substr(kStart.size(), end - kStart.size());
}

void take_installed(const fs::path& folder, const std::string& from_script, script::DialectHints& hints) {
  for (const char* environment : {".venv", "venv", "env", ".conda"}) {
    std::error_code ec;
    if (!fs::is_directory(fs::symlink_status(folder / environment, ec))) continue;
    std::size_t seen = 0;
    for (fs::directory_iterator it(folder / environment / "lib", ec), end; !ec && it != end && ++seen <= kMostFiles;
         it.increment(ec)) {
      std::error_code no;
      std::size_t packages = 0;
      for (fs::directory_iterator at(it->path() / "site-packages", no), last;
           !no && at != last && ++packages <= kMostEntries; at.increment(no)) {
        const std::string version = installed_version(at->path().filename().string());
        const auto release = version.empty() ? std::nullopt : release_of(version, true);
        if (!release) continue;
        hints.installed = {*release, from_script + environment + " has apache-tvm " + version};
        return;
      }
    }
  }
}

// All users may put files there, as into /tmp.
bool is_shared(const fs::path& folder) {
  std::error_code ec;
  const fs::perms mode = fs::status(folder, ec).permissions();
  return ec ||
         ((mode & fs::perms::others_write) != fs::perms::none && (mode & fs::perms::sticky_bit) != fs::perms::none);
}

}  // namespace

std::optional<text::Dialect> pinned_by(std::string_view requirement) {
  const auto specifiers = specifiers_of(requirement);
  return specifiers ? release_of(*specifiers, false) : std::nullopt;
}

script::DialectHints around(const fs::path& script, script::DialectHints said) {
  if (said.setting) return said;
  std::error_code ec;
  const fs::path own = real_path(script, ec).parent_path();
  bool pinned = false;
  fs::path folder = own;
  for (std::size_t i = 0; i < kMostFolders && !folder.empty(); ++i) {
    if (is_shared(folder)) break;
    std::string from_script;
    for (std::size_t up = 0; up < i; ++up) from_script += "../";
    if (!pinned) pinned = take_pins(folder, from_script, said);
    if (!said.installed) take_installed(folder, from_script, said);
    if (fs::exists(folder / ".git", ec) || folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return said;
}

}  // namespace tilewright::project
