#include "server/mcp/scripts.h"

#include <algorithm>
#include <filesystem>

#include "compiler/text/escape.h"
#include "server/handbook/handbook.h"
#include "server/mcp/roots.h"
#include "server/project/config.h"
#include "server/project/files.h"

namespace tilewright::mcp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostOpen = 32;

// What the settings of a script lie in, as far as it matters without reading it.
std::string settings_state(const std::string& path) {
  if (!project::is_file(path)) return {};
  const fs::path file = project::config_file(path);
  if (file.empty()) return "none";
  std::error_code ec;
  const auto time = fs::last_write_time(file, ec).time_since_epoch().count();
  return file.string() + " " + std::to_string(time) + " " + std::to_string(fs::file_size(file, ec));
}

}  // namespace

std::expected<std::string, std::string> Scripts::text_of(const std::string& path) const {
  if (path.starts_with(kExample))
    return std::string(handbook::find_example(std::string_view(path).substr(kExample.size()))->text);
  auto script = project::read_script(path, project::kMostScriptBytes);
  if (!script) return std::unexpected(script.error());
  if (script->undecodable) return std::unexpected(script->undecodable->message);
  return std::move(script->text);
}

std::expected<void, std::string> Scripts::follow(const std::string& path) {
  auto text = text_of(path);
  if (!text) {
    if (known_.erase(path) > 0) host_.close(path);
    return std::unexpected(text::visible_message(text.error()));
  }
  const auto [it, fresh] = known_.try_emplace(path);
  Known& known = it->second;
  known.used = ++clock_;
  std::string settings = settings_state(path);
  if (!fresh && settings != known.settings) {
    host_.files_changed();
    host_.refresh_all();
  }
  known.settings = std::move(settings);
  if (fresh) {
    host_.open(path, std::move(*text), ++known.version);
    close_old();
    return {};
  }
  host_.look_at_imports(true);
  const ide::Script script = host_.find(path);
  const text::Source& before = script->source();
  if (before.text() == *text) return {};
  const text::Edit edit = text::difference(before.text(), *text);
  auto source = std::make_shared<text::Source>(before, edit.begin, edit.old_end,
                                               std::string_view(*text).substr(edit.begin, edit.new_end - edit.begin));
  host_.change(path, std::move(source), edit, ++known.version);
  return {};
}

void Scripts::close_old() {
  while (known_.size() > kMostOpen) {
    const auto oldest = std::ranges::min_element(known_, {}, [](const auto& known) { return known.second.used; });
    const std::string path = oldest->first;
    known_.erase(oldest);
    host_.close(path);
  }
}

}  // namespace tilewright::mcp
