#include "server/work/run_source.h"

#include <algorithm>

namespace tilewright::work {
namespace {

// Remembers what each import found, and the texts of those files.
class Recorder final : public script::Loader {
 public:
  Recorder(script::Loader* inner, run::ScriptText& to) : inner_(inner), to_(to) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    auto tree = inner_ ? inner_->load(module, level, importer) : nullptr;
    const std::string path = tree ? tree->source()->path() : std::string();
    to_.imports.push_back({std::string(module), level, std::string(importer), path});
    if (tree && std::ranges::find(to_.files, path, &run::ScriptText::File::path) == to_.files.end())
      to_.files.push_back({path, std::string(tree->source()->text())});
    return tree;
  }

 private:
  script::Loader* inner_;
  run::ScriptText& to_;
};

}  // namespace

run::ScriptText RunSource::text() {
  run::ScriptText out;
  out.files.push_back({file_.source->path(), std::string(file_.source->text())});
  out.entries = entries_;
  out.target = target_;
  out.dialect = compiled_.dialect;
  out.limits = file_.config.limits;
  Recorder recorder(file_.loader.get(), out);
  session::CompileOptions options;
  options.stage = session::Stage::Evaluate;
  options.entries = entries_;
  options.dialect = compiled_.dialect;
  if (auto target = ir::parse_target(target_)) options.target = *target;
  text::Context context;
  context.limits = file_.config.limits;
  [[maybe_unused]] auto evaluated = session::compile(file_.tree, &recorder, context, options);
  return out;
}

text::Span RunSource::span_of(const run::ScriptPlace& place) {
  text::Anchors& anchors = compiled_.evaluation->anchors;
  auto source = anchors.source(place.path);
  if (!source || place.begin > place.end || place.end > source->size()) return {};
  return {anchors.add(source, place.begin), 0, place.end - place.begin};
}

ir::Origin RunSource::origin(std::span<const run::ScriptPlace> places) {
  ir::Origin out;
  if (places.empty()) return out;
  out.span = span_of(places[0]);
  for (std::size_t i = places.size(); i-- > 1;) {
    sites_.push_back({span_of(places[i]), out.chain});
    out.chain = &sites_.back();
  }
  return out;
}

}  // namespace tilewright::work
