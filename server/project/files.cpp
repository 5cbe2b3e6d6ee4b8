#include "server/project/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/process/fd.h"
#include "compiler/text/escape.h"
#include "compiler/toolchain/output_file.h"
#include "server/project/opened.h"
#include "server/project/real_path.h"
#include "server/project/scripts.h"
#include "server/project/user.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

std::string reason() { return std::strerror(errno); }

}  // namespace

std::expected<std::string, std::string> read_file(const fs::path& path, std::uintmax_t limit) {
  process::Fd opened;
  if (path != "-") {
    auto file = open_file(path);
    if (!file) return std::unexpected(std::move(file.error()));
    opened = std::move(*file);
  }
  const int fd = path == "-" ? 0 : opened.get();
  auto too_large = [&] {
    return std::unexpected(text::visible(path.string()) + " is larger than " + std::to_string(limit >> 20) + " MB");
  };
  struct stat s{};
  const bool sized = opened && ::fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
  if (sized && static_cast<std::uintmax_t>(s.st_size) > limit) return too_large();  // a folder may be full of them
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected("cannot read " + text::visible(path.string()) + ": " + reason());
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit) return too_large();
  }
  return text;
}

std::expected<ScriptText, std::string> read_script(const fs::path& path, std::uintmax_t limit) {
  auto bytes = read_file(path, limit);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  auto decoded = syntax::decode(*bytes);
  if (!decoded) return ScriptText{std::move(*bytes), std::move(decoded.error())};
  // UTF-8 keeps its byte order mark, so that places are those of the file.
  return ScriptText{decoded->encoding == "utf-8" ? std::move(*bytes) : std::move(decoded->text), {}};
}

std::expected<void, std::string> write_file(const fs::path& path, std::string_view content) {
  return write_file(path, {content});
}

std::expected<void, std::string> write_file(const fs::path& path, std::initializer_list<std::string_view> parts) {
  return toolchain::write_output(path, {parts.begin(), parts.size()});
}

fs::path import_root(const fs::path& script) {
  std::error_code ec;
  fs::path real = real_path(script, ec);
  if (ec) real = fs::absolute(script, ec);
  fs::path root = real.parent_path();
  for (fs::path p = root; !p.empty(); p = p.parent_path()) {
    if (fs::exists(p / "tilewright.toml", ec)) return p;
    if (p == p.root_path()) break;
  }
  while (fs::exists(root / "__init__.py", ec) && root != root.root_path()) root = root.parent_path();
  return root;
}

namespace {

fs::path folder_of(const fs::path& importer) {
  std::error_code ec;
  return real_path(importer, ec).parent_path();
}

// Where `module` may lie when a file in the folder `from` imports it, without an ending.
std::vector<fs::path> import_folders(const fs::path& root, std::string_view module, int level, const fs::path& from) {
  fs::path base = level == 0 ? root : from;
  for (int i = 1; i < level; ++i) base = base.parent_path();
  fs::path relative;
  std::string part;
  for (char c : std::string(module) + ".") {
    if (c != '.') {
      part += c;
      continue;
    }
    if (!part.empty()) relative /= part;
    part.clear();
  }
  std::vector<fs::path> out{base / relative};
  if (level == 0 && from != root) out.push_back(from / relative);  // beside the importing one
  return out;
}

std::optional<fs::path> import_from(const fs::path& root, std::string_view module, int level, const fs::path& from) {
  std::error_code ec;
  for (const fs::path& place : import_folders(root, module, level, from)) {
    for (const fs::path& candidate : {fs::path(place) += ".py", place / "__init__.py"}) {
      if (!fs::is_regular_file(candidate, ec)) continue;
      fs::path real = fs::canonical(candidate, ec);
      if (!ec && lies_below(real, root) && fs::is_regular_file(real, ec)) return real;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> resolve_import(const fs::path& root, std::string_view module, int level,
                                       const fs::path& importer) {
  return import_from(root, module, level, folder_of(importer));
}

std::optional<std::vector<std::string>> modules_beside(const fs::path& root, std::string_view module, int level,
                                                       const fs::path& importer) {
  constexpr std::size_t kMost = 2000;  // of a folder that people keep scripts in
  std::optional<std::vector<std::string>> names;
  for (const fs::path& folder : import_folders(root, module, level, folder_of(importer))) {
    std::error_code ec;
    const fs::path real = real_path(folder, ec);
    if (ec || !lies_below(real, root) || !fs::is_directory(real, ec)) continue;
    if (!names) names.emplace();
    fs::directory_iterator it(real, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && it != end && names->size() < kMost; it.increment(ec)) {
      const std::string file = it->path().filename().string();
      const std::size_t dot = file.find('.');
      const std::string stem = file.substr(0, dot);
      const std::string_view extension = dot == file.npos ? "" : std::string_view(file).substr(file.rfind('.'));
      std::error_code ignored;
      const bool folder_of_its_own = dot == file.npos && stem != "__pycache__" && it->is_directory(ignored);
      if (stem.empty() || stem == "__init__") continue;
      if (folder_of_its_own || extension == ".py" || extension == ".so" || extension == ".pyi" || extension == ".pyd") {
        names->push_back(stem);
      }
    }
  }
  return names;
}

std::optional<std::vector<std::string>> FileLoader::beside(std::string_view module, int level,
                                                           std::string_view importer) {
  return modules_beside(root_, module, level, importer);
}

std::shared_ptr<const syntax::Tree> FileLoader::load(std::string_view module, int level, std::string_view importer) {
  // An import that was found is kept beside the files, under what no path looks like.
  std::string key = "import ";
  key.append(module).append(1, '\n').append(std::to_string(level)).append(1, '\n').append(importer);
  if (auto known = loaded_.find(key); known != loaded_.end()) return known->second;
  // A file that was loaded from here has its canonical name.
  const fs::path by(importer);
  const bool canonical = loaded_.contains(std::string(importer));
  auto path = import_from(root_, module, level, canonical ? by.parent_path() : folder_of(by));
  if (!path) return nullptr;
  auto [it, fresh] = loaded_.try_emplace(path->string());
  if (fresh) it->second = read(*path);
  loaded_.emplace(std::move(key), it->second);
  return it->second;
}

std::shared_ptr<const syntax::Tree> FileLoader::read(const fs::path& file) {
  auto script = read_script(file);
  if (!script) return nullptr;
  return syntax::Tree::parse(std::make_shared<text::Source>(file.string(), std::move(script->text)));
}

Expansion expand(const std::vector<std::string>& arguments) {
  ScriptSearch search;
  return expand(arguments, search);
}

Expansion expand(const std::vector<std::string>& arguments, ScriptSearch& search) {
  Expansion out;
  for (const std::string& argument : arguments) {
    std::error_code ec;
    if (argument == "-" || !fs::is_directory(argument, ec)) {
      if (argument != "-" && !fs::exists(argument, ec)) {
        out.missing.push_back(argument);
        continue;
      }
      out.files.push_back(argument);
      continue;
    }
    std::vector<std::string> found;
    const fs::path checkout = checkout_of(fs::path(argument) / "any");
    fs::recursive_directory_iterator it(argument, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && it != end; it.increment(ec)) {
      std::string name = it->path().filename().string();
      if (it->is_directory(ec) && (name.starts_with('.') || name == "__pycache__" || name == "node_modules")) {
        it.disable_recursion_pending();
      } else if (it->path().extension() == ".py" && it->is_regular_file(ec)) {
        found.push_back(it->path().string());
      }
    }
    std::sort(found.begin(), found.end());
    for (std::string& path : found) {
      if (argument == "." && path.starts_with("./")) path.erase(0, 2);
      const bool script = search.is_script(path);
      if (script && fs::is_symlink(path, ec) && !lies_below(real_path(path, ec), checkout))
        out.outside.push_back(std::move(path));
      else if (script)
        out.files.push_back(std::move(path));
      else
        ++out.passed_over;
    }
  }
  return out;
}

}  // namespace tilewright::project
