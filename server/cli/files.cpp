#include "server/cli/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tilewright::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestScript = 64u << 20;

std::string reason() { return std::strerror(errno); }

bool is_below(const fs::path& path, const fs::path& root) {
  auto [r, p] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return r == root.end();
}

}  // namespace

std::expected<std::string, std::string> read_file(const fs::path& path) {
  int fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::unexpected("cannot read " + path.string() + ": " + reason());
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      std::string why = reason();
      if (fd != 0) ::close(fd);
      return std::unexpected("cannot read " + path.string() + ": " + why);
    }
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > kLargestScript) {
      if (fd != 0) ::close(fd);
      return std::unexpected(path.string() + " is larger than 64 MB: not a tile script");
    }
  }
  if (fd != 0) ::close(fd);
  return text;
}

std::expected<void, std::string> write_file(const fs::path& path, std::string_view content) {
  fs::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid());
  auto failed = [&](const char* what) {
    std::string why = reason();
    ::unlink(temporary.c_str());
    return std::unexpected(std::string("cannot ") + what + " " + path.string() + ": " + why);
  };
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return failed("create");
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int saved = errno;
      ::close(fd);
      errno = saved;
      return failed("write");
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::close(fd) != 0) return failed("write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed("replace");
  return {};
}

FileLoader::FileLoader(const fs::path& script) {
  std::error_code ec;
  fs::path real = fs::weakly_canonical(script, ec);
  if (ec) real = fs::absolute(script, ec);
  fs::path folder = real.parent_path();
  root_ = folder;
  for (fs::path p = folder; !p.empty(); p = p.parent_path()) {
    if (fs::exists(p / "tilewright.toml", ec)) {
      root_ = p;
      return;
    }
    if (p == p.root_path()) break;
  }
  while (fs::exists(root_ / "__init__.py", ec) && root_ != root_.root_path()) root_ = root_.parent_path();
}

std::shared_ptr<const syntax::Tree> FileLoader::load(std::string_view module, int level, std::string_view importer) {
  std::error_code ec;
  fs::path from = fs::weakly_canonical(fs::path(importer), ec).parent_path();
  fs::path base = level == 0 ? root_ : from;
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
  std::vector<fs::path> bases{base};
  if (level == 0 && from != root_) bases.push_back(from);  // a script beside the importing one
  for (const fs::path& b : bases) {
    for (const fs::path& candidate : {fs::path(b / relative) += ".py", b / relative / "__init__.py"}) {
      fs::path real = fs::weakly_canonical(candidate, ec);
      if (ec || !is_below(real, root_) || !fs::is_regular_file(real, ec)) continue;
      auto [it, fresh] = loaded_.try_emplace(real.string());
      if (fresh) it->second = read(real);
      return it->second;
    }
  }
  return nullptr;
}

std::shared_ptr<const syntax::Tree> FileLoader::read(const fs::path& file) {
  auto text = read_file(file);
  if (!text) return nullptr;
  return syntax::Tree::parse(std::make_shared<text::Source>(file.string(), std::move(*text)));
}

std::expected<std::vector<std::string>, std::string> expand(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code ec;
    if (argument == "-" || !fs::is_directory(argument, ec)) {
      if (argument != "-" && !fs::exists(argument, ec)) return std::unexpected("no such file: " + argument);
      files.push_back(argument);
      continue;
    }
    std::vector<std::string> found;
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
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace tilewright::cli
