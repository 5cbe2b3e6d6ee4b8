// Views and what leads to them and back: tilewright/entries, view, mapping, diff, viewDefinition, and
// workspace/textDocumentContent for clients that know LSP 3.18.
#include "server/lsp/view.h"

#include <algorithm>

#include "compiler/script/prelude.h"
#include "compiler/text/words.h"
#include "server/ide/diff.h"
#include "server/ide/scripts.h"
#include "server/lsp/code_page.h"
#include "server/lsp/features.h"
#include "server/render/json.h"
#include "server/views/document.h"

namespace tilewright::lsp {
namespace {

struct ViewParams {
  std::string uri;
};
void from_json(const Json& json, ViewParams& p) { p.uri = json.at("uri").get<std::string>(); }

struct NamedViewParams : protocol::DocumentParams {
  std::string kind, entry, architecture, uri_given;
  bool map = false;
};
void from_json(const Json& json, NamedViewParams& p) {
  p.map = json.value("map", false);
  if (json.contains("uri")) {
    p.uri_given = json.at("uri").get<std::string>();
    return;
  }
  protocol::from_json(json, static_cast<protocol::DocumentParams&>(p));
  p.kind = json.at("kind").get<std::string>();
  p.entry = json.value("entry", std::string());
  p.architecture = json.value("architecture", std::string());
}

struct DiffParams {
  std::string left, right;
};
void from_json(const Json& json, DiffParams& p) {
  p.left = json.at("left").get<std::string>();
  p.right = json.at("right").get<std::string>();
}

struct MappingParams {
  std::string uri;
  std::optional<protocol::Range> range;  // of the script
  std::optional<std::uint32_t> line;     // of the view, from 0
};
void from_json(const Json& json, MappingParams& p) {
  p.uri = json.at("uri").get<std::string>();
  if (json.contains("range")) p.range = json.at("range").get<protocol::Range>();
  if (json.contains("line")) p.line = json.at("line").get<std::uint32_t>();
}

struct ViewPositionParams {
  std::string uri;
  protocol::Position position;
};
void from_json(const Json& json, ViewPositionParams& p) {
  p.uri = json.at("textDocument").at("uri").get<std::string>();
  p.position = json.at("position").get<protocol::Position>();
}

// A view of a script as it is now, with its text. `lines`: of the text, and where they came from.
struct Shown : ide::OpenedView {
  views::Document document;
};
Answer<Shown> show(const Request& r, ide::ViewName name, bool lines = true) {
  auto opened = ide::open_view(r, std::move(name));
  if (!opened) return failed(std::move(opened.error()));
  views::Document document = views::document(opened->view, lines);
  return Shown{std::move(*opened), std::move(document)};
}
Answer<Shown> show(const Request& r, const std::string& uri, bool lines = true) {
  auto name = parse_view(uri);
  if (!name) return invalid("'" + uri + "' names no view");
  return show(r, std::move(*name), lines);
}

constexpr auto kStates = text::words_of<ide::View::State>({"ready", "pending", "failed"});

std::uint32_t line_count(const Shown& shown) {
  return static_cast<std::uint32_t>(std::ranges::count(shown.document.text, '\n'));
}

// `text`: of the view.
Json view_json(const Request& r, const Shown& shown, std::string text) {
  Json out{{"uri", view_uri(shown.view.name)},
           {"languageId", shown.document.language},
           {"state", kStates[shown.view.state]},
           {"version", version_json(r, shown.script)}};
  out["text"] = std::move(text);
  return out;
}

// All links between the view and its script at once, for who shows both side by side.
void add_map(Json& out, const Shown& shown) {
  Json map = Json::array();
  for (const ide::LinkedLines& l : ide::linked_lines(shown, shown.document.lines, line_count(shown))) {
    map.push_back(
        {{"lines", {{"start", l.from}, {"end", l.to}}}, {"source", {{"start", l.source_from}, {"end", l.source_to}}}});
  }
  out["map"] = std::move(map);
  if (auto lines = ide::kernel_lines(shown)) out["kernel"] = {{"start", lines->first}, {"end", lines->second}};
}

// Documents that are the same whatever is open: the prelude, which has no file where a definition could lead, and what
// the diagnostic codes mean.
struct Fixed {
  std::string_view language;
  std::string text;
};
std::optional<Fixed> fixed_document(std::string_view uri) {
  const std::string prelude = "tilewright:/" + std::string(ide::kPreludeFolder);
  if (uri.starts_with(prelude)) {
    std::string_view text = script::prelude_source(uri.substr(prelude.size()));
    if (!text.empty()) return Fixed{"python", std::string(text)};
  }
  if (auto page = code_page(uri)) return Fixed{"markdown", std::move(*page)};
  return std::nullopt;
}

Answer<Json> text_document_content(const Request& r, const ViewParams& params) {
  if (auto fixed = fixed_document(params.uri)) return Json{{"text", std::move(fixed->text)}};
  auto shown = show(r, params.uri);
  if (!shown) return std::unexpected(shown.error());
  // The client does not tell when it stops looking: a bound of WatchedViews does.
  r.views->watch(params.uri, shown->document.text);
  return Json{{"text", std::move(shown->document.text)}};
}

// The name that a request gives piece by piece: the first entry and architecture where it says none.
Answer<ide::ViewName> complete(const Request& r, const NamedViewParams& params) {
  auto kind = ide::parse_view_kind(params.kind);
  if (!kind) {
    std::string all;
    for (ide::ViewKind k : ide::view_kinds()) all += (all.empty() ? "" : ", ") + std::string(ide::view_kind_name(k));
    return invalid("there is no view '" + params.kind + "'; there are " + all);
  }
  auto name = ide::find_view(r, *kind, path_of(params.uri), params.entry, params.architecture);
  if (!name) return failed(std::move(name.error()));
  return std::move(*name);
}

Answer<Json> view(const Request& r, const NamedViewParams& params) {
  if (auto fixed = fixed_document(params.uri_given)) {
    return Json{{"uri", params.uri_given},
                {"languageId", fixed->language},
                {"state", "ready"},
                {"version", nullptr},
                {"text", std::move(fixed->text)}};
  }
  Answer<Shown> shown;
  if (!params.uri_given.empty()) {
    shown = show(r, params.uri_given, params.map);
  } else {
    auto name = complete(r, params);
    if (!name) return std::unexpected(name.error());
    shown = show(r, std::move(*name), params.map);
  }
  if (!shown) return std::unexpected(shown.error());
  r.views->watch(view_uri(shown->view.name), shown->document.text);
  Json map = Json::object();
  if (params.map) add_map(map, *shown);
  Json out = view_json(r, *shown, std::move(shown->document.text));
  out.update(map);
  return out;
}

Answer<Json> entries(const Request& r, const protocol::DocumentParams& params) {
  auto found = ide::entries(r, path_of(params.uri));
  if (!found) return failed(std::move(found.error()));
  Json out = Json::array();
  for (const ide::EntryViews& e : found->entries) {
    Json views = Json::object();
    for (ide::ViewKind kind : ide::view_kinds()) {
      views[std::string(ide::view_kind_name(kind))] = view_uri(ide::view_of(kind, *e.kernel, found->script->path()));
    }
    Json one{{"entry", e.kernel->entry->expression},
             {"kind", script::entry_kind_name(e.kernel->entry->kind)},
             {"kernel", e.kernel->value->kernel.name},
             {"architecture", e.kernel->target.name()},
             {"failed", e.kernel->failed},
             {"views", std::move(views)}};
    one["dialect"] = render::dialect_json(found->analysis->first().evaluation->dialect);
    if (e.name_at) one["range"] = r.client->range(found->script->source(), *e.name_at);
    out.push_back(std::move(one));
  }
  return out;
}

Json locations(const Request& r, const Shown& shown, std::uint32_t line) {
  Json out = Json::array();
  for (const text::Anchors::Place& at : ide::sources_of(shown, shown.document.lines, line)) {
    out.push_back(r.client->location(at));
  }
  return out;
}

Answer<Json> mapping(const Request& r, const MappingParams& params) {
  auto shown = show(r, params.uri);
  if (!shown) return std::unexpected(shown.error());
  Json out{{"uri", params.uri}, {"state", kStates[shown->view.state]}, {"version", version_json(r, shown->script)}};
  if (params.line) {
    out["locations"] = locations(r, *shown, *params.line);
    return out;
  }
  if (!params.range) return invalid("a mapping needs a 'range' of the script or a 'line' of the view");
  const text::Source& source = shown->script->source();
  std::uint32_t begin = to_offset(source, params.range->start, r.client->encoding);
  std::uint32_t end = std::max(begin + 1, to_offset(source, params.range->end, r.client->encoding));
  Json lines = Json::array();
  for (auto [from, to] : ide::lines_from(*shown, shown->document.lines, line_count(*shown), {begin, end})) {
    lines.push_back({{"start", from}, {"end", to}});
  }
  out["lines"] = std::move(lines);
  return out;
}

Answer<Json> view_definition(const Request& r, const ViewPositionParams& params) {
  auto shown = show(r, params.uri);
  if (!shown) return std::unexpected(shown.error());
  return locations(r, *shown, params.position.line);
}

Answer<Json> diff(const Request& r, const DiffParams& params) {
  auto left = show(r, params.left);
  if (!left) return std::unexpected(left.error());
  auto right = show(r, params.right);
  if (!right) return std::unexpected(right.error());
  auto title = [](const ide::ViewName& n) {
    return std::string(ide::view_kind_name(n.kind)) + " " + n.entry + " " + n.architecture;
  };
  return Json{{"state", kStates[std::max(left->view.state, right->view.state)]},
              {"left", view_json(r, *left, left->document.text)},
              {"right", view_json(r, *right, right->document.text)},
              {"text", ide::unified_diff(left->document.text, right->document.text, title(left->view.name),
                                         title(right->view.name))}};
}

}  // namespace

void add_view(Registry& registry) {
  registry.offer_if("workspace", [](const Client& c) -> Json {
    if (protocol::at(c.capabilities, "workspace.textDocumentContent").is_null()) return nullptr;
    return {{"textDocumentContent", {{"schemes", {"tilewright"}}}}};
  });
  registry.on_workspace<ViewParams>("workspace/textDocumentContent", text_document_content);
  registry.on_workspace<NamedViewParams>("tilewright/view", view);
  registry.on_workspace<protocol::DocumentParams>("tilewright/entries", entries);
  registry.on_workspace<MappingParams>("tilewright/mapping", mapping);
  registry.on_workspace<DiffParams>("tilewright/diff", diff);
  registry.on_workspace<ViewPositionParams>("tilewright/viewDefinition", view_definition);
}

}  // namespace tilewright::lsp
