#include "server/ide/scripts.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/script/prelude.h"
#include "server/project/files.h"

namespace tilewright::ide {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 2000;
constexpr std::size_t kReportEvery = 16;

}  // namespace

void report_search(const Query& q, const std::string& path, std::size_t i, std::size_t count) {
  if (!q.progress || i % kReportEvery != 0) return;
  q.progress(fs::path(path).filename().string(), static_cast<int>(i * 100 / count));
}

std::vector<std::string> workspace_scripts(const Query& q) {
  std::vector<std::string> out;
  for (const std::string& folder : q.folders) {
    std::error_code ec;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && it != end && out.size() < kMaxFiles && !q.stop.stop_requested(); it.increment(ec)) {
      std::string name = it->path().filename().string();
      if (it->is_directory(ec)) {
        if (name.starts_with('.') || name == "__pycache__" || name == "node_modules" || name == "site-packages") {
          it.disable_recursion_pending();
        }
      } else if (it->path().extension() == ".py" && it->is_regular_file(ec) &&
                 it->file_size(ec) <= project::kMostScriptBytes) {
        out.push_back(it->path().string());
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

Scripts::Scripts(const Query& q) : q_(q) {
  for (const auto& s : q.open) known_[key(s->path())] = s;
  if (q.snapshot) known_[key(q.snapshot->path())] = q.snapshot;
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

Script Scripts::find(const std::string& path) {
  auto [it, fresh] = known_.try_emplace(key(path));
  if (fresh && q_.read_file && is_file(path)) it->second = q_.read_file(path);
  return it->second;
}

Script Scripts::prelude(std::string_view name) {
  const std::string file =
      script::prelude_file_of(name, q_.snapshot ? q_.snapshot->surface().dialect() : text::kDefaultDialect);
  if (file.empty()) return nullptr;
  std::string path = std::string(kPreludeFolder) + file;
  Script& script = known_[path];
  if (!script) {
    auto source = std::make_shared<text::Source>(path, std::string(script::prelude_source(file)));
    script = std::make_shared<session::Snapshot>(syntax::Tree::parse(std::move(source)), 0, nullptr, nullptr, nullptr);
  }
  return script;
}

Script Scripts::imported(const session::Snapshot& script, std::string_view module, int level) {
  auto [it, fresh] = imports_.try_emplace({&script, std::string(module), level});
  if (!fresh) return it->second;
  auto tree = script.import(module, level);
  return it->second = tree ? find(tree->source()->path()) : nullptr;
}

bool Scripts::is_open(const session::Snapshot& script) const {
  return &script == q_.snapshot.get() ||
         std::ranges::any_of(q_.open, [&](const auto& s) { return s.get() == &script; });
}

const std::vector<std::string>& Scripts::all() {
  if (listed_) return all_;
  listed_ = true;
  std::set<std::string> seen;
  auto add = [&](const std::string& path) {
    if (seen.insert(key(path)).second) all_.push_back(path);
  };
  for (const auto& s : q_.open) add(s->path());
  for (const std::string& path : workspace_scripts(q_)) add(path);
  return all_;
}

std::shared_ptr<const text::Source> Scripts::source(const std::string& path) {
  if (auto it = known_.find(key(path)); it != known_.end()) return it->second ? it->second->tree()->source() : nullptr;
  auto script = project::read_script(path);
  return script ? std::make_shared<text::Source>(path, std::move(script->text)) : nullptr;
}

bool Scripts::mentions(const std::string& path, std::span<const std::string> texts) {
  auto holds_one = [&](std::string_view all) {
    return std::ranges::any_of(texts, [&](const std::string& t) { return all.find(t) != all.npos; });
  };
  if (auto it = known_.find(key(path)); it != known_.end()) {
    return it->second && holds_one(it->second->source().text());
  }
  auto text = project::read_file(path);
  return text && holds_one(*text);
}

bool is_prelude(const session::Snapshot& script) { return script.path().starts_with(kPreludeFolder); }

}  // namespace tilewright::ide
