#include "server/project/load.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "compiler/script/codes.h"

namespace tilewright::project {
namespace fs = std::filesystem;

std::expected<LoadedFile, std::string> load(const std::string& path, const std::string& shown_name,
                                            KnownConfigs* known) {
  auto script = read_script(path);
  if (!script) return std::unexpected(script.error());
  std::string name = !shown_name.empty() ? shown_name : path == "-" ? "<stdin>" : path;
  LoadedFile file;
  file.undecodable = std::move(script->undecodable);
  file.source = std::make_shared<text::Source>(name, std::move(script->text));
  file.tree = syntax::Tree::parse(file.source);
  file.place = path == "-" && shown_name.empty() ? fs::current_path() / "stdin.py" : fs::path(name);
  file.loader = std::make_unique<FileLoader>(file.place);
  auto config = known ? known->find(file.place) : find_config(file.place);
  if (!config) return std::unexpected(config.error());
  file.config = std::move(*config);
  return file;
}

LoadedFile beside(const LoadedFile& file) {
  return {.source = file.source,
          .tree = file.tree,
          .loader = std::make_unique<FileLoader>(file.place),
          .place = file.place,
          .config = file.config,
          .dialect = file.dialect,
          .undecodable = file.undecodable};
}

session::Compiled compile(const LoadedFile& file, const session::CompileOptions& asked, const std::stop_token& stop) {
  session::CompileOptions options = asked;
  if (file.dialect) options.dialect = file.dialect;
  options.dialect_hints = file.config.dialect;
  text::Context context;
  context.stop = stop;
  context.limits = file.config.limits;
  session::Compiled compiled = session::compile(file.tree, file.loader.get(), context, options);
  if (const auto& why = file.undecodable) {
    text::Span at{compiled.evaluation->anchors.add(file.source, 0), static_cast<std::uint32_t>(why->begin),
                  static_cast<std::uint32_t>(why->end)};
    compiled.diagnostics = {{script::code::kSyntax, text::Severity::Error, why->message, at, {}, {}, {}}};
    compiled.diagnostics[0].fails = true;
  }
  apply_severity(file.config, compiled.diagnostics);
  return compiled;
}

session::NamedTargets architectures(const LoadedFile& file, const std::vector<std::string>& asked) {
  session::NamedTargets out{{}, session::ArchitectureSource::Asked};
  for (const std::string& name : asked) {
    if (auto target = ir::parse_target(name)) out.targets.push_back(*target);
  }
  return out.targets.empty() ? session::named_targets(*file.tree, file.config.targets) : out;
}

session::NamedTargets one_architecture(const LoadedFile& file) {
  session::NamedTargets all = architectures(file, {});
  const ir::Target preferred;
  if (std::ranges::find(all.targets, preferred) != all.targets.end()) all.targets = {preferred};
  all.targets.resize(1);
  return all;
}

session::CompileOptions options_for(const session::NamedTargets& named, std::vector<std::string> entries) {
  session::CompileOptions options;
  options.target = named.targets.front();
  options.architecture_source = named.source;
  options.entries = std::move(entries);
  return options;
}

bool compile_each(const LoadedFile& file, const session::NamedTargets& named, session::CompileOptions asked,
                  const std::stop_token& stop, const std::function<bool(session::Compiled)>& take) {
  asked.architecture_source = named.source;
  for (ir::Target target : named.targets) {
    asked.target = target;
    session::Compiled compiled = compile(file, asked, stop);
    if (compiled.stopped || !take(std::move(compiled))) return false;
  }
  return true;
}

}  // namespace tilewright::project
