#include "server/project/scripts.h"

#include <set>
#include <string_view>

#include "server/project/files.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

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

const ScriptSearch::File& ScriptSearch::look(const fs::path& path) {
  auto [it, fresh] = files_.try_emplace(path);
  File& file = it->second;
  if (!fresh) return file;
  auto text = read_file(path);
  file.speaks = !text || text->find("tvm") != text->npos || text->find("tilewright:") != text->npos;
  if (file.speaks) return file;
  fs::path root = import_root(path);
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("import ") && !line.starts_with("from ")) continue;
    for (const Import& i : imports_of(line)) {
      if (auto found = resolve_import(root, i.module, i.level, path)) file.imports.push_back(std::move(*found));
    }
  }
  return file;
}

bool ScriptSearch::is_script(const fs::path& path) {
  std::set<fs::path> seen{path};
  std::vector<fs::path> todo{path};
  while (!todo.empty()) {
    fs::path next = std::move(todo.back());
    todo.pop_back();
    const File& file = look(next);
    if (file.speaks) return true;
    for (const fs::path& i : file.imports) {
      if (seen.insert(i).second) todo.push_back(i);
    }
  }
  return false;
}

}  // namespace tilewright::project
