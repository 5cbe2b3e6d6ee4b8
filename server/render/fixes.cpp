#include "server/render/fixes.h"

#include "compiler/text/escape.h"
#include "server/render/json.h"

namespace tilewright::render {
namespace {

std::string counted(std::size_t n, std::string_view one, std::string_view ending = "s") {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : std::string(ending));
}

Json counts_json(const work::FindingCounts& counts) {
  return {{"errors", counts.errors}, {"warnings", counts.warnings}};
}

}  // namespace

Json fixes_json(const session::Finding& found, const work::CheckedFile& file) {
  Json out = Json::array();
  const text::Anchors::Place at = found.anchors->resolve(found.diagnostic->span);
  if (!at.source || at.source->path() != file.path) return out;
  for (const work::FindingFix& f : file.fixes) {
    if (f.at != at.begin || f.code != found.diagnostic->code || f.message != found.diagnostic->message) continue;
    Json edit{{"range", place_json({at.source, f.edit.begin, f.edit.end})}, {"text", f.edit.text}};
    out.push_back({{"title", f.title}, {"edits", Json::array({std::move(edit)})}});
  }
  return out;
}

std::string fixed_text(const std::string& path, const work::FixedScript& fixed) {
  const std::string name = text::visible(path);
  std::string out;
  for (const work::AppliedFix& a : fixed.applied) {
    out += name + ":" + std::to_string(a.line) + ": " + a.code + ": " + text::visible_message(a.title) + "\n";
  }
  return out + name + ": " + counted(fixed.applied.size(), "fix", "es") + "; " + counted(fixed.after.errors, "error") +
         " and " + counted(fixed.after.warnings, "warning") + (fixed.applied.empty() ? "\n" : " left\n");
}

Json fixed_json(const std::string& path, const work::FixedScript& fixed) {
  Json applied = Json::array();
  for (const work::AppliedFix& a : fixed.applied)
    applied.push_back({{"code", a.code}, {"message", a.message}, {"title", a.title}, {"line", a.line}});
  return {{"file", path},
          {"applied", std::move(applied)},
          {"before", counts_json(fixed.before)},
          {"after", counts_json(fixed.after)},
          {"text", fixed.text}};
}

Json fixing_json(Json files, const std::vector<Failure>& failures) {
  Json out{{"files", std::move(files)}};
  for (const Failure& f : failures) out["failures"].push_back({{"file", f.file}, {"message", f.message}});
  return out;
}

}  // namespace tilewright::render
