#include "server/project/scripts.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "compiler/script/unbound.h"
#include "server/project/files.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostLooks = 8000;

bool is_name(char c) {
  return c == '_' || c == '.' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The words of a line, names with their dots in one piece; everything else separates them.
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t begin = i;
    while (i < line.size() && is_name(line[i])) ++i;
    if (i > begin) out.push_back(line.substr(begin, i - begin));
    if (i < line.size()) ++i;
  }
  return out;
}

struct Import {
  std::string module;
  int level = 0;
};

// What a line imports, judged by its words alone: an import too many costs a look at a file, no more.
std::vector<Import> imports_of(std::string_view line) {
  std::vector<std::string_view> w = words(line);
  std::vector<Import> out;
  if (w.size() < 2) return out;
  if (w[0] == "import") {
    for (std::size_t i = 1; i < w.size(); ++i) out.push_back({std::string(w[i])});
  } else if (w[0] == "from") {
    std::size_t dots = std::min(w[1].find_first_not_of('.'), w[1].size());
    Import from{std::string(w[1].substr(dots)), static_cast<int>(dots)};
    out.push_back(from);
    for (std::size_t i = 3; i < w.size(); ++i) {  // each may be a submodule
      out.push_back({from.module.empty() ? std::string(w[i]) : from.module + "." + std::string(w[i]), from.level});
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const ScriptLooks::Look> ScriptLooks::at(const fs::path& path) {
  Kept now;
  std::error_code ec;
  now.time = fs::last_write_time(path, ec);
  if (!ec) now.size = fs::file_size(path, ec);
  const bool there = !ec;
  if (there) {
    std::lock_guard lock(mutex_);
    auto it = kept_.find(path);
    if (it != kept_.end() && it->second.time == now.time && it->second.size == now.size) return it->second.look;
  }
  auto look = std::make_shared<Look>();
  auto text = read_file(path);
  look->speaks = !text || script::means_tile_script(*text);
  if (!look->speaks) {
    const fs::path root = import_root(path);
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (!line.starts_with("import ") && !line.starts_with("from ")) continue;
      for (const Import& i : imports_of(line)) {
        if (auto found = resolve_import(root, i.module, i.level, path)) look->imports.push_back(std::move(*found));
      }
    }
  }
  if (!there) return look;
  std::lock_guard lock(mutex_);
  if (kept_.size() >= kMostLooks) kept_.clear();  // looked at again when asked for
  now.look = look;
  kept_.insert_or_assign(path, std::move(now));
  return look;
}

void ScriptLooks::clear() {
  std::lock_guard lock(mutex_);
  kept_.clear();
}

bool ScriptSearch::is_script(const fs::path& path) {
  if (auto it = known_.find(path); it != known_.end()) return it->second;
  std::set<fs::path> seen{path};
  std::vector<fs::path> todo{path};
  while (!todo.empty()) {
    const fs::path next = std::move(todo.back());
    todo.pop_back();
    auto known = known_.find(next);
    if (known != known_.end() && !known->second) continue;
    auto look = looks_.at(next);
    if (look->speaks || known != known_.end()) return known_[path] = true;
    for (const fs::path& i : look->imports) {
      if (seen.insert(i).second) todo.push_back(i);
    }
  }
  // Nothing that any of them leads to speaks.
  for (const fs::path& file : seen) known_[file] = false;
  return false;
}

}  // namespace tilewright::project
