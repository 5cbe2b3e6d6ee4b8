#include "server/render/fixes.h"

#include <algorithm>

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

std::vector<const work::FindingFix*> of_finding(const session::Finding& found, const text::Anchors::Place& at,
                                                const work::CheckedFile& file) {
  std::vector<const work::FindingFix*> out;
  const text::Diagnostic& d = *found.diagnostic;
  for (const work::FindingFix& f : file.fixes.tried)
    if (f.at == at.begin && f.code == d.code && f.message == d.message) out.push_back(&f);
  return out;
}

}  // namespace

std::vector<work::BuildFinding::Fix> fixes_of(const session::Finding& found, const work::CheckedFile& file) {
  std::vector<work::BuildFinding::Fix> out;
  const text::Anchors::Place at = found.anchors->resolve(found.diagnostic->span);
  if (!at.source || at.source->path() != file.path) return out;
  for (const work::FindingFix* f : of_finding(found, at, file)) {
    out.push_back({{file.path, at.source->position(f->edit.begin, text::Encoding::Utf16),
                    at.source->position(f->edit.end, text::Encoding::Utf16)},
                   f->title,
                   f->edit.text});
  }
  return out;
}

Json fixes_json(const session::Finding& found, const work::CheckedFile& file) {
  Json out = Json::array();
  const text::Anchors::Place at = found.anchors->resolve(found.diagnostic->span);
  if (!at.source || at.source->path() != file.path) return out;
  for (const work::FindingFix* f : of_finding(found, at, file)) {
    Json edit{{"range", place_json({at.source, f->edit.begin, f->edit.end})}, {"text", f->edit.text}};
    out.push_back({{"title", f->title}, {"edits", Json::array({std::move(edit)})}});
  }
  return out;
}

bool has_untried(const session::Finding& found, const work::CheckedFile& file) {
  const text::Anchors::Place at = found.anchors->resolve(found.diagnostic->span);
  const text::Diagnostic& d = *found.diagnostic;
  return at.source && at.source->path() == file.path &&
         std::ranges::any_of(file.fixes.untried, [&](const work::UntriedFinding& u) {
           return u.at == at.begin && u.code == d.code && u.message == d.message;
         });
}

std::string fixed_text(const std::string& path, const work::FixedScript& fixed) {
  const std::string name = text::visible(path);
  std::string out;
  for (const work::AppliedFix& a : fixed.applied) {
    out += name + ":" + std::to_string(a.line) + ": " + a.code + ": " + text::visible_message(a.title) + "\n";
  }
  return out + name + ": " + counted(fixed.applied.size(), "fix", "es") + "; " + counted(fixed.after.errors, "error") +
         " and " + counted(fixed.after.warnings, "warning") + (fixed.applied.empty() ? "" : " left") +
         (fixed.untried ? "; " + work::untried_words(fixed.untried) : "") + "\n";
}

Json fixed_json(const std::string& path, const work::FixedScript& fixed) {
  Json applied = Json::array();
  for (const work::AppliedFix& a : fixed.applied)
    applied.push_back({{"code", a.code}, {"message", a.message}, {"title", a.title}, {"line", a.line}});
  Json out{{"file", path},
           {"applied", std::move(applied)},
           {"before", counts_json(fixed.before)},
           {"after", counts_json(fixed.after)},
           {"text", fixed.text}};
  if (fixed.untried) out["fixes_not_tried"] = fixed.untried;
  return out;
}

}  // namespace tilewright::render
