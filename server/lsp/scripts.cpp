#include "server/lsp/scripts.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/script/prelude.h"
#include "server/lsp/uri.h"
#include "server/project/files.h"

namespace tilewright::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 2000;
constexpr std::size_t kReportEvery = 16;

}  // namespace

void report_search(const Request& r, const std::string& path, std::size_t i, std::size_t count) {
  if (!r.progress || i % kReportEvery != 0) return;
  r.progress(fs::path(path).filename().string(), static_cast<int>(i * 100 / count));
}

std::vector<std::string> workspace_scripts(const Request& r) {
  std::vector<std::string> out;
  for (const std::string& folder : r.folders) {
    std::error_code ec;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && it != end && out.size() < kMaxFiles && !r.stop.stop_requested(); it.increment(ec)) {
      std::string name = it->path().filename().string();
      if (it->is_directory(ec)) {
        if (name.starts_with('.') || name == "__pycache__" || name == "node_modules" || name == "site-packages") {
          it.disable_recursion_pending();
        }
      } else if (it->path().extension() == ".py" && it->is_regular_file(ec) && it->file_size(ec) <= kMostScriptBytes) {
        out.push_back(it->path().string());
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

Scripts::Scripts(const Request& r) : r_(r) {
  for (const auto& s : r.open) known_[key(s->path())] = s;
  if (r.snapshot) known_[key(r.snapshot->path())] = r.snapshot;
}

std::string Scripts::key(const std::string& path) {
  if (!is_file(path)) return path;
  auto [it, fresh] = keys_.try_emplace(path);
  if (fresh) {
    std::error_code ec;
    fs::path real = fs::weakly_canonical(path, ec);
    it->second = ec ? path : real.string();
  }
  return it->second;
}

Scripts::Script Scripts::find(const std::string& path) {
  auto [it, fresh] = known_.try_emplace(key(path));
  if (fresh && r_.read_file && is_file(path)) it->second = r_.read_file(path);
  return it->second;
}

Scripts::Script Scripts::prelude(std::string_view name) {
  std::string_view file = script::prelude_file_of(name);
  if (file.empty()) return nullptr;
  std::string path = "prelude/" + std::string(file);
  Script& script = known_[path];
  if (!script) {
    auto source = std::make_shared<text::Source>(path, std::string(script::prelude_source(file)));
    script = std::make_shared<session::Snapshot>(syntax::Tree::parse(std::move(source)), 0, nullptr, nullptr, nullptr);
  }
  return script;
}

Scripts::Script Scripts::imported(const session::Snapshot& script, std::string_view module, int level) {
  auto [it, fresh] = imports_.try_emplace({&script, std::string(module), level});
  if (!fresh) return it->second;
  auto tree = script.import(module, level);
  return it->second = tree ? find(tree->source()->path()) : nullptr;
}

bool Scripts::is_open(const session::Snapshot& script) const {
  return &script == r_.snapshot.get() ||
         std::ranges::any_of(r_.open, [&](const auto& s) { return s.get() == &script; });
}

const std::vector<std::string>& Scripts::all() {
  if (listed_) return all_;
  listed_ = true;
  std::set<std::string> seen;
  auto add = [&](const std::string& path) {
    if (seen.insert(key(path)).second) all_.push_back(path);
  };
  for (const auto& s : r_.open) add(s->path());
  for (const std::string& path : workspace_scripts(r_)) add(path);
  return all_;
}

std::optional<std::string> Scripts::text(const std::string& path) {
  if (auto it = known_.find(key(path)); it != known_.end()) {
    return it->second ? std::optional(std::string(it->second->source().text())) : std::nullopt;
  }
  auto text = project::read_file(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

bool Scripts::mentions(const std::string& path, std::span<const std::string> texts) {
  auto all = text(path);
  return all && std::ranges::any_of(texts, [&](const std::string& t) { return all->find(t) != all->npos; });
}

bool is_prelude(const session::Snapshot& script) { return script.path().starts_with("prelude/"); }

std::string script_uri(const Request& r, const session::Snapshot& script) {
  return is_prelude(script) ? "tilewright:/" + script.path() : r.client->uris->of(script.path());
}

}  // namespace tilewright::lsp
