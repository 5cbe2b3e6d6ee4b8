#include "server/project/workspace.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "compiler/toolchain/digest.h"
#include "server/project/config.h"
#include "server/project/dialect_hints.h"
#include "server/project/files.h"
#include "server/project/real_path.h"
#include "server/project/run_targets.h"

namespace tilewright::project {
namespace fs = std::filesystem;

class Workspace::DocumentLoader final : public FileLoader {
 public:
  DocumentLoader(Workspace& workspace, const fs::path& script) : FileLoader(script), workspace_(workspace) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    std::lock_guard lock(mutex_);
    auto found = FileLoader::load(module, level, importer);
    if (!found) missing_.emplace(module, level, importer);
    return found;
  }
  bool has_read(const std::string& path) {
    std::lock_guard lock(mutex_);
    return read_.contains(path);
  }
  // Would its imports find other files on disk today? What an open document stands for is not looked at.
  bool is_stale() {
    std::lock_guard lock(mutex_);
    for (const auto& [file, before] : read_) {
      const FileState now = workspace_.state_of(file);
      if (!now.open && !before.open && now != before) return true;
    }
    return std::ranges::any_of(missing_, [&](const auto& import) {
      const auto& [module, level, importer] = import;
      return resolve_import(root(), module, level, importer).has_value();
    });
  }

 private:
  std::shared_ptr<const syntax::Tree> read(const fs::path& file) override {
    read_.insert_or_assign(file.string(), workspace_.state_of(file));  // before it is read: a change in between shows
    return workspace_.tree_of(file);
  }
  Workspace& workspace_;
  std::mutex mutex_;
  std::map<std::string, FileState> read_;
  std::set<std::tuple<std::string, int, std::string>> missing_;  // imports that led to no file
};

// One import after the other, and each is looked up once.
class Workspace::FileImports final : public RecordingLoader {
 public:
  FileImports(Workspace& workspace, const fs::path& script) : workspace_(workspace), root_(import_root(script)) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    std::lock_guard lock(mutex_);
    auto [it, fresh] = found_.try_emplace({std::string(module), level, std::string(importer)});
    if (!fresh) return it->second;
    ImportedFile import{root_, std::string(module), level, std::string(importer), {}, {}, {}, false, false};
    if (auto path = resolve_import(root_, module, level, importer)) {
      import.path = path->string();
      import.state = workspace_.state_of(*path);  // before it is read: what changes in between is noticed
      it->second = workspace_.tree_of(*path);
      if (it->second) {
        const std::string_view text = it->second->source()->text();
        import.digest = toolchain::hex(toolchain::sha256(text));
        import.asks_for_its_path = asks_for_its_path(text);
      }
    }
    imports_.push_back(std::move(import));
    return it->second;
  }
  std::optional<std::vector<std::string>> beside(std::string_view module, int level,
                                                 std::string_view importer) override {
    auto names = modules_beside(root_, module, level, importer);
    std::lock_guard lock(mutex_);
    if (listed_.emplace(module, level, importer).second)
      imports_.push_back(
          {root_, std::string(module), level, std::string(importer), {}, {}, digest_of(names), false, true});
    return names;
  }
  std::vector<ImportedFile> imports() const override {
    std::lock_guard lock(mutex_);
    return imports_;
  }

 private:
  Workspace& workspace_;
  fs::path root_;
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, int, std::string>, std::shared_ptr<const syntax::Tree>> found_;
  std::vector<ImportedFile> imports_;
  std::set<std::tuple<std::string, int, std::string>> listed_;
};

std::string digest_of(const std::optional<std::vector<std::string>>& names) {
  if (!names) return {};
  std::vector<std::string> sorted = *names;  // a folder has them in no order
  std::ranges::sort(sorted);
  std::string text;
  for (const std::string& name : sorted) text += name + "\n";
  return toolchain::hex(toolchain::sha256(text));
}

bool asks_for_its_path(std::string_view text) { return text.find("__file__") != std::string_view::npos; }

FileState Workspace::state_of(const fs::path& file) const {
  FileState state;
  {
    std::lock_guard lock(mutex_);
    if (auto it = documents_.find(file.string()); it != documents_.end()) state.open = it->second;
  }
  std::error_code ec;
  state.time = fs::last_write_time(file, ec);
  if (!ec) state.size = fs::file_size(file, ec);
  if (ec) return {false, {}, 0, std::move(state.open)};
  state.exists = true;
  return state;
}

bool Workspace::still(const ImportedFile& import) const {
  if (import.listing)
    return digest_of(modules_beside(import.root, import.module, import.level, import.importer)) == import.digest;
  auto path = resolve_import(import.root, import.module, import.level, import.importer);
  return (path ? path->string() : std::string()) == import.path && (!path || state_of(*path) == import.state);
}

std::shared_ptr<RecordingLoader> Workspace::recording_loader(const fs::path& file) {
  return std::make_shared<FileImports>(*this, file);
}

std::shared_ptr<const syntax::Tree> Workspace::tree_of(const fs::path& file) {
  std::error_code ec;
  std::string name = file.string();
  {
    std::lock_guard lock(mutex_);
    if (auto open = documents_.find(name); open != documents_.end()) return open->second;
  }
  Known now;
  now.time = fs::last_write_time(file, ec);
  if (!ec) now.size = fs::file_size(file, ec);
  if (ec) return nullptr;
  {
    std::lock_guard lock(mutex_);
    auto known = files_.find(name);
    if (known != files_.end() && known->second.time == now.time && known->second.size == now.size) {
      return known->second.tree;
    }
  }
  if (auto script = read_script(file, kMostScriptBytes)) {
    now.tree = syntax::Tree::parse(std::make_shared<text::Source>(name, std::move(script->text)));
  }
  std::lock_guard lock(mutex_);
  if (files_.size() > 512) files_.clear();  // read again when asked for
  return files_.insert_or_assign(name, std::move(now)).first->second.tree;
}

void Workspace::set_folders(std::vector<std::string> folders) {
  std::lock_guard lock(settings_mutex_);
  folders_ = std::move(folders);
  forget_settings();
}

void Workspace::configure(ClientSettings client) {
  std::lock_guard lock(settings_mutex_);
  client_ = std::move(client);
  forget_settings();
}

void Workspace::forget_settings() {
  settings_.clear();
  ++settings_age_;
}

Workspace::Settings Workspace::settings(const std::string& path) {
  fs::path place;
  std::string key;  // all scripts of a folder have the same, but for those that were asked for something of their own
  auto made = std::make_shared<session::Settings>();
  std::uint64_t age;
  std::optional<script::DialectHints::Said> editor;
  {
    std::lock_guard lock(settings_mutex_);
    place = is_file(path) ? fs::path(path) : fs::path(folders_.empty() ? "/" : folders_.front()) / "untitled.py";
    const auto own = client_.architectures_of.find(path);
    key = own == client_.architectures_of.end() ? place.parent_path().string() : path;
    if (auto it = settings_.find(key); it != settings_.end()) return it->second;
    made->architectures = own == client_.architectures_of.end() ? client_.architectures : own->second;
    made->entries = client_.entries;
    made->deny_fallback = client_.deny_fallback;
    age = settings_age_;
    if (client_.dialect) {
      const std::string release(text::dialect_name(*client_.dialect));
      editor = {*client_.dialect, "the editor's setting tilewright.dialect is " + release};
    }
  }
  Settings out;
  if (auto config = find_config(place)) {
    made->limits = config->limits;
    made->dialect_hints = config->dialect;
    made->project_targets = config->targets;
    out.run_targets = run_targets(*config);
    if (!config->severity.empty()) {
      made->severity = [config = std::make_shared<Config>(std::move(*config))](
                           std::vector<text::Diagnostic>& diagnostics) { apply_severity(*config, diagnostics); };
    }
  } else {
    out.problem = config.error();
    out.run_targets = run_targets(Config());
    made->dialect_hints = around(place, {});
  }
  if (editor && !made->dialect_hints->setting) made->dialect_hints->setting = std::move(editor);
  out.settings = std::move(made);
  std::lock_guard lock(settings_mutex_);
  // Others may have found them meanwhile: all have the same object. Or they were changed: then these are not kept.
  return age == settings_age_ ? settings_.try_emplace(std::move(key), std::move(out)).first->second : out;
}

std::shared_ptr<script::Loader> Workspace::loader(const std::string& path) {
  if (!is_file(path) && folders_.empty()) return nullptr;
  auto& known = loaders_[path];
  if (!known) {
    known =
        std::make_shared<DocumentLoader>(*this, is_file(path) ? fs::path(path) : fs::path(folders_[0]) / "untitled.py");
  }
  return known;
}

std::vector<std::string> Workspace::set_document(const std::string& path, std::shared_ptr<const syntax::Tree> tree) {
  std::string real = path;
  if (is_file(path)) {
    std::error_code ec;
    fs::path resolved = real_path(path, ec);
    if (!ec) real = resolved.string();
  }
  bool appeared, gone = !tree;
  {
    std::lock_guard lock(mutex_);
    appeared = !documents_.contains(real);
    if (tree) {
      documents_.insert_or_assign(real, std::move(tree));
    } else {
      documents_.erase(real);
    }
  }
  std::vector<std::string> touched;
  for (auto it = loaders_.begin(); it != loaders_.end();) {
    // Its own loader stays while it is edited: a document does not import itself.
    bool own = it->first == path;
    bool affected = own ? gone : it->second && it->second->has_read(real);
    if (affected && !own) touched.push_back(it->first);
    it = affected || (appeared && !own && !gone) ? loaders_.erase(it) : std::next(it);
  }
  return touched;
}

std::vector<std::string> Workspace::changed_on_disk() {
  std::vector<std::string> touched;
  std::erase_if(loaders_, [&](const auto& known) {
    const bool stale = known.second && known.second->is_stale();
    if (stale) touched.push_back(known.first);
    return stale;
  });
  return touched;
}

void Workspace::files_changed() {
  loaders_.clear();
  looks_.clear();
  std::lock_guard lock(settings_mutex_);
  forget_settings();
}

}  // namespace tilewright::project
