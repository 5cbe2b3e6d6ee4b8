#include "server/lsp/workspace.h"

#include <set>
#include <tuple>

#include "server/lsp/uri.h"
#include "server/project/config.h"
#include "server/project/files.h"

namespace tilewright::lsp {
namespace fs = std::filesystem;

class Workspace::DocumentLoader final : public project::FileLoader {
 public:
  DocumentLoader(Workspace& workspace, const fs::path& script) : FileLoader(script), workspace_(workspace) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    std::lock_guard lock(mutex_);
    return FileLoader::load(module, level, importer);
  }
  bool has_read(const std::string& path) {
    std::lock_guard lock(mutex_);
    return read_.contains(path);
  }

 private:
  std::shared_ptr<const syntax::Tree> read(const fs::path& file) override {
    read_.insert(file.string());
    return workspace_.tree_of(file);
  }
  Workspace& workspace_;
  std::mutex mutex_;
  std::set<std::string> read_;
};

// One import after the other, and each is looked up once.
class Workspace::FileImports final : public RecordingLoader {
 public:
  FileImports(Workspace& workspace, const fs::path& script)
      : workspace_(workspace), root_(project::import_root(script)) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    std::lock_guard lock(mutex_);
    auto [it, fresh] = found_.try_emplace({std::string(module), level, std::string(importer)});
    if (!fresh) return it->second;
    ImportedFile import{root_, std::string(module), level, std::string(importer), {}, {}};
    if (auto path = project::resolve_import(root_, module, level, importer)) {
      import.path = path->string();
      import.state = workspace_.state_of(*path);  // before it is read: what changes in between is noticed
      it->second = workspace_.tree_of(*path);
    }
    imports_.push_back(std::move(import));
    return it->second;
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
};

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
  auto path = project::resolve_import(import.root, import.module, import.level, import.importer);
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
  if (auto text = project::read_file(file, project::kMostScriptBytes)) {
    now.tree = syntax::Tree::parse(std::make_shared<text::Source>(name, std::move(*text)));
  }
  std::lock_guard lock(mutex_);
  if (files_.size() > 512) files_.clear();  // read again when asked for
  return files_.insert_or_assign(name, std::move(now)).first->second.tree;
}

std::string Workspace::configure(const Json& section) {
  settings_.clear();
  architectures_.clear();
  entries_.clear();
  deny_fallback_ = false;
  if (section.is_null()) return {};
  if (!section.is_object()) return "the setting 'tilewright' must be an object";
  std::string problem;
  auto words = [&](const char* key, std::vector<std::string>& out, auto&& valid) {
    const Json& value = protocol::at(section, key);
    if (value.is_null()) return;
    if (!value.is_array()) {
      problem = std::string("tilewright.") + key + " must be a list";
      return;
    }
    for (const Json& item : value) {
      if (!item.is_string() || !valid(item.get<std::string>())) {
        problem = std::string("tilewright.") + key + ": " + item.dump(-1, ' ', false, Json::error_handler_t::replace) +
                  " is not understood";
      } else {
        out.push_back(item.get<std::string>());
      }
    }
  };
  words("architectures", architectures_, [](const std::string& s) { return ir::parse_target(s).has_value(); });
  words("entries", entries_, [](const std::string& s) { return !s.empty(); });
  const Json& deny = protocol::at(section, "denyFallback");
  if (deny.is_boolean()) {
    deny_fallback_ = deny.get<bool>();
  } else if (!deny.is_null()) {
    problem = "tilewright.denyFallback must be true or false";
  }
  return problem;
}

std::shared_ptr<const session::Settings> Workspace::settings(const std::string& path, std::string* problem) {
  // All scripts of a folder have the same.
  fs::path place = is_file(path) ? fs::path(path) : fs::path(folders_.empty() ? "/" : folders_.front()) / "untitled.py";
  auto [it, fresh] = settings_.try_emplace(place.parent_path().string());
  if (!fresh) return it->second;
  auto made = std::make_shared<session::Settings>();
  made->architectures = architectures_;
  made->entries = entries_;
  made->deny_fallback = deny_fallback_;
  auto config = project::find_config(place);
  if (config) {
    made->limits = config->limits;
    if (!config->severity.empty()) {
      made->severity =
          [config = std::make_shared<project::Config>(std::move(*config))](std::vector<text::Diagnostic>& diagnostics) {
            project::apply_severity(*config, diagnostics);
          };
    }
  } else if (problem) {
    *problem = config.error();
  }
  it->second = std::move(made);
  return it->second;
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
    fs::path resolved = fs::weakly_canonical(path, ec);
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

void Workspace::files_changed() {
  settings_.clear();
  loaders_.clear();
}

}  // namespace tilewright::lsp
