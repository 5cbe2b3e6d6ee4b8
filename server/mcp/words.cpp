#include "server/mcp/words.h"

#include <algorithm>

#include "server/mcp/pages.h"
#include "server/render/terminal.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kMostRelated = 3, kMostMessage = 700, kMostHint = 400, kMostCode = 200;

struct Near {
  text::Anchors::Place at;
  std::string_view message;
};

Item made(const Question& question, const text::Diagnostic& said, std::optional<text::LineColumn> at,
          const std::vector<Near>& related) {
  Item out;
  const std::string message = clipped(said.message, kMostMessage), hint = clipped(said.hint, kMostHint);
  out.json = {{"severity", text::kSeverityWords[said.severity]}, {"code", said.code}};
  out.text = std::string(text::kSeverityWords[said.severity]) + " " + std::string(said.code);
  if (at) {
    out.json["line"] = at->line;
    out.json["column"] = at->column;
    out.text += " at " + std::to_string(at->line) + ":" + std::to_string(at->column);
  }
  out.json["message"] = message;
  out.text += ": " + message;
  if (!hint.empty()) {
    out.json["hint"] = hint;
    out.text += "\n  hint: " + hint;
  }
  if (said.fix.kind == text::Fix::Kind::Replace || said.fix.kind == text::Fix::Kind::LineAbove) {
    out.json["fix"] = said.fix.title;
    out.text += "\n  fix: " + clipped(said.fix.title, kMostCode);
  }
  Json others = Json::array();
  for (const Near& near : related) {
    if (others.size() == kMostRelated) break;
    if (!near.at.source) continue;
    const text::LineColumn place = place_in(*near.at.source, near.at.begin);
    Json one{{"line", place.line}, {"message", clipped(near.message, kMostCode)}};
    std::string where = std::to_string(place.line);
    if (near.at.source->path() != question.script.path) {
      const std::string path = question.roots.shown(near.at.source->path());
      one["path"] = path;
      where = path + ":" + where;
    }
    others.push_back(std::move(one));
    out.text += "\n  " + where + ": " + clipped(near.message, kMostCode);
  }
  if (!others.empty()) out.json["related"] = std::move(others);
  return out;
}

std::string listed(const session::Analysis& analysis) {
  constexpr std::size_t kMost = 12;
  std::string out;
  std::size_t shown = 0;
  for (const session::Compiled& c : analysis.compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (++shown > kMost) return out + ", ...";
      out += (out.empty() ? "" : ", ") + k.entry->expression + " for " + k.target.name();
    }
  }
  return out;
}

}  // namespace

text::LineColumn place_in(const text::Source& source, std::uint32_t offset) {
  const text::LineColumn at = source.position(offset);
  return {at.line + 1, at.column + 1};
}

Item finding_item(const Question& question, const ide::Diagnostic& finding) {
  std::vector<Near> related;
  for (const ide::Diagnostic::Related& r : finding.related) related.push_back({r.at, r.message});
  return made(question, *finding.said, place_in(question.script.query.snapshot->source(), finding.at.begin), related);
}

Item finding_item(const Question& question, const text::Diagnostic& said, const text::Anchors& anchors) {
  std::vector<Near> related;
  for (const text::Related& r : said.related) related.push_back({anchors.resolve(r.span), r.message});
  const text::Anchors::Place place = anchors.resolve(said.span);
  std::optional<text::LineColumn> at;
  if (place.source) at = place_in(*place.source, place.begin);
  return made(question, said, at, related);
}

std::string_view finding_schema() {
  return R"({"type": "object", "properties": {
    "severity": {"type": "string", "enum": ["error", "warning", "info", "information", "note", "hint"]},
    "code": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"},
    "message": {"type": "string"}, "hint": {"type": "string"},
    "fix": {"type": "string", "description": "What the tool fix would do"},
    "related": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"},
      "line": {"type": "integer"}, "message": {"type": "string"}}, "required": ["line", "message"]}}},
    "required": ["severity", "code", "message"]})";
}

std::expected<Chosen, std::string> chosen_kernel(const Subject& subject, const Arguments& arguments) {
  const std::string entry = arguments.text("entry"), arch = arguments.text("arch");
  Chosen out;
  out.analysis =
      entry.empty() ? subject.query.analysis() : ide::analysis_with(*subject.query.snapshot, entry, subject.query.stop);
  if (!out.analysis) return std::unexpected(kStopped);
  for (const session::Compiled& c : out.analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (!entry.empty() && k.entry->expression != entry && k.value->kernel.name != entry) continue;
      if (!arch.empty() && k.target.name() != arch) continue;
      out.compiled = &c;
      out.kernel = &k;
      return out;
    }
  }
  const std::string there = listed(*out.analysis);
  if (there.empty())
    return std::unexpected("the script has no kernel that was evaluated: call check on it for the reason");
  return std::unexpected("the script has no kernel " + (entry.empty() ? "" : "'" + clipped(entry, kMostCode) + "' ") +
                         (arch.empty() ? "" : "for " + clipped(arch, kMostCode) + " ") + "; it has " + there);
}

}  // namespace tilewright::mcp
