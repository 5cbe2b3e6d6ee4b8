// Views and what leads to them and back: tilewright/entries, view, mapping, diff, viewDefinition, and
// workspace/textDocumentContent for clients that know LSP 3.18.
#include "server/lsp/view.h"

#include <algorithm>
#include <set>

#include "compiler/script/prelude.h"
#include "server/lsp/code_page.h"
#include "server/lsp/diff.h"
#include "server/lsp/features.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

struct ViewParams {
  std::string uri;
};
void from_json(const Json& json, ViewParams& p) { p.uri = json.at("uri").get<std::string>(); }

struct NamedViewParams : protocol::DocumentParams {
  std::string kind, entry, architecture, uri_given;
};
void from_json(const Json& json, NamedViewParams& p) {
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

std::unexpected<protocol::Error> invalid(std::string why) {
  return std::unexpected(protocol::Error{protocol::ErrorCode::InvalidParams, std::move(why), nullptr});
}

std::shared_ptr<const session::Snapshot> snapshot_of(const Request& r, const std::string& document) {
  for (const auto& s : r.open) {
    if (s->path() == document) return s;
  }
  return is_file(document) && r.read_file ? r.read_file(document) : nullptr;
}

// A view of a script as it is now.
struct Opened {
  ViewName name;
  std::shared_ptr<const session::Snapshot> snapshot;
  std::shared_ptr<const session::Analysis> analysis;
  View view;
};
Answer<Opened> open_name(const Request& r, ViewName name) {
  Opened o;
  o.snapshot = snapshot_of(r, name.document);
  if (!o.snapshot) return refused("the script of this view cannot be read: " + name.document);
  o.analysis = o.snapshot->analyse(r.stop);
  if (!o.analysis) return cancelled();
  o.view = make_view(name, *o.analysis, *r.artifacts);
  if (o.view.state == View::State::Pending) {
    if (auto wish = wish_for(name, *o.analysis)) {
      r.artifacts->want({*wish}, Artifacts::For::Person, std::chrono::milliseconds{0});
    }
  }
  o.name = std::move(name);
  return o;
}
Answer<Opened> open_view(const Request& r, const std::string& uri) {
  auto name = parse_view(uri);
  if (!name) return invalid("'" + uri + "' names no view");
  return open_name(r, std::move(*name));
}

constexpr const char* kStates[] = {"ready", "pending", "failed"};

Json view_json(const Opened& o) {
  return {{"uri", o.name.uri()},
          {"languageId", o.view.language},
          {"state", kStates[static_cast<int>(o.view.state)]},
          {"text", o.view.text}};
}

// Documents that are the same whatever is open: the prelude, which has no file where a definition could lead, and what
// the diagnostic codes mean.
struct Fixed {
  std::string_view language;
  std::string text;
};
std::optional<Fixed> fixed_document(std::string_view uri) {
  constexpr std::string_view kPrelude = "tilewright:/prelude/";
  if (uri.starts_with(kPrelude)) {
    std::string_view text = script::prelude_source(uri.substr(kPrelude.size()));
    if (!text.empty()) return Fixed{"python", std::string(text)};
  }
  if (auto page = code_page(uri)) return Fixed{"markdown", std::move(*page)};
  return std::nullopt;
}

Answer<Json> text_document_content(const Request& r, const ViewParams& params) {
  if (auto fixed = fixed_document(params.uri)) return Json{{"text", std::move(fixed->text)}};
  auto opened = open_view(r, params.uri);
  if (!opened) return std::unexpected(opened.error());
  // The client tells nobody when it stops looking: a bound of WatchedViews does.
  r.views->watch(params.uri, opened->view);
  return Json{{"text", opened->view.text}};
}

// The name that a request gives piece by piece: the first entry and architecture where it says none.
Answer<ViewName> complete(const Request& r, const NamedViewParams& params) {
  if (std::ranges::find(view_kinds(), params.kind) == view_kinds().end()) {
    std::string all;
    for (std::string_view kind : view_kinds()) all += (all.empty() ? "" : ", ") + std::string(kind);
    return invalid("there is no view '" + params.kind + "'; there are " + all);
  }
  std::string document = path_of(params.uri);
  auto snapshot = snapshot_of(r, document);
  if (!snapshot) return refused("the script cannot be read: " + document);
  auto analysis = snapshot->analyse(r.stop);
  if (!analysis) return cancelled();
  for (const session::Compiled& c : analysis->compiled) {
    if (!params.architecture.empty() && c.target.name() != params.architecture) continue;
    for (const session::CompiledKernel& k : c.kernels) {
      if (params.entry.empty() || k.entry->expression == params.entry) {
        return view_of(params.kind, c, k, document);
      }
    }
  }
  return refused(params.entry.empty() ? "the script has no entry for this architecture"
                                      : "the script has no entry '" + params.entry + "' for this architecture");
}

Answer<Json> view(const Request& r, const NamedViewParams& params) {
  if (auto fixed = fixed_document(params.uri_given)) {
    return Json{{"uri", params.uri_given},
                {"languageId", fixed->language},
                {"state", "ready"},
                {"text", std::move(fixed->text)}};
  }
  std::optional<ViewName> name;
  if (!params.uri_given.empty()) {
    name = parse_view(params.uri_given);
    if (!name) return invalid("'" + params.uri_given + "' names no view");
  } else {
    auto made = complete(r, params);
    if (!made) return std::unexpected(made.error());
    name = std::move(*made);
  }
  auto opened = open_name(r, std::move(*name));
  if (!opened) return std::unexpected(opened.error());
  r.views->watch(opened->name.uri(), opened->view);
  return view_json(*opened);
}

Answer<Json> entries(const Request& r, const protocol::DocumentParams& params) {
  auto snapshot = snapshot_of(r, path_of(params.uri));
  if (!snapshot) return refused("the script cannot be read");
  auto analysis = snapshot->analyse(r.stop);
  if (!analysis) return cancelled();
  Json out = Json::array();
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      Json views = Json::object();
      for (std::string_view kind : view_kinds()) {
        views[std::string(kind)] = view_of(kind, c, k, snapshot->path()).uri();
      }
      Json one{{"entry", k.entry->expression},
               {"kind", script::entry_kind_name(k.entry->kind)},
               {"kernel", k.value->kernel.name},
               {"architecture", c.target.name()},
               {"failed", k.failed},
               {"views", std::move(views)}};
      text::Anchors::Place at = c.evaluation->anchors.resolve(k.value->kernel.span);
      if (at.source == &snapshot->source()) {
        one["range"] = to_range(*at.source, at.begin, at.end, r.client->encoding);
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

// Where a line of a view came from: the innermost place of the script first, then the calls that led there.
std::vector<protocol::Location> sources_of(const Request& r, const Opened& o, std::uint32_t line) {
  std::vector<protocol::Location> out;
  auto after = std::ranges::upper_bound(o.view.lines, line, {}, &View::Line::line);
  if (after == o.view.lines.begin()) return out;
  const View::Line& found = *std::prev(after);
  bool single = o.name.kind == "ptx" || o.name.kind == "sass";
  if (single && found.line != line) return out;
  const session::Compiled* compiled = &o.analysis->first();
  for (const session::Compiled& c : o.analysis->compiled) {
    if (c.target.name() == o.name.architecture) compiled = &c;
  }
  Request here = r;
  here.snapshot = o.snapshot;
  std::set<std::tuple<std::string, protocol::Range>> seen;
  auto add = [&](text::Span span) {
    auto location = here.location(span, compiled->evaluation->anchors);
    if (location && seen.insert({location->uri, location->range}).second) out.push_back(std::move(*location));
  };
  for (const ir::Origin& origin : found.origins) {
    add(origin.span);
    for (const ir::CallSite* site = origin.chain; site; site = site->outer) add(site->span);
  }
  return out;
}

Answer<Json> mapping(const Request& r, const MappingParams& params) {
  auto opened = open_view(r, params.uri);
  if (!opened) return std::unexpected(opened.error());
  const View& v = opened->view;
  Json out{{"uri", params.uri}, {"state", kStates[static_cast<int>(v.state)]}};
  if (params.line) {
    out["locations"] = sources_of(r, *opened, *params.line);
    return out;
  }
  if (!params.range) return invalid("a mapping needs a 'range' of the script or a 'line' of the view");
  const text::Source& source = opened->snapshot->source();
  std::uint32_t begin = to_offset(source, params.range->start, r.client->encoding);
  std::uint32_t end = std::max(begin + 1, to_offset(source, params.range->end, r.client->encoding));
  const session::Compiled* compiled = &opened->analysis->first();
  for (const session::Compiled& c : opened->analysis->compiled) {
    if (c.target.name() == opened->name.architecture) compiled = &c;
  }
  auto inside = [&](text::Span span) {
    text::Anchors::Place at = compiled->evaluation->anchors.resolve(span);
    return at.source == &source && at.begin < end && at.end > begin;
  };
  bool single = opened->name.kind == "ptx" || opened->name.kind == "sass";
  auto total = static_cast<std::uint32_t>(std::ranges::count(v.text, '\n'));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // half-open
  for (std::size_t i = 0; i < v.lines.size(); ++i) {
    bool here = std::ranges::any_of(v.lines[i].origins, [&](const ir::Origin& o) {
      if (inside(o.span)) return true;
      for (const ir::CallSite* site = o.chain; site; site = site->outer) {
        if (inside(site->span)) return true;
      }
      return false;
    });
    if (!here) continue;
    std::uint32_t from = v.lines[i].line;
    std::uint32_t to = single ? from + 1 : i + 1 < v.lines.size() ? v.lines[i + 1].line : total;
    to = std::max(to, from + 1);
    if (!ranges.empty() && ranges.back().second >= from) {
      ranges.back().second = std::max(ranges.back().second, to);
    } else {
      ranges.emplace_back(from, to);
    }
  }
  Json lines = Json::array();
  for (auto [from, to] : ranges) lines.push_back({{"start", from}, {"end", to}});
  out["lines"] = std::move(lines);
  return out;
}

Answer<Json> view_definition(const Request& r, const ViewPositionParams& params) {
  auto opened = open_view(r, params.uri);
  if (!opened) return std::unexpected(opened.error());
  return Json(sources_of(r, *opened, params.position.line));
}

Answer<Json> diff(const Request& r, const DiffParams& params) {
  auto left = open_view(r, params.left);
  if (!left) return std::unexpected(left.error());
  auto right = open_view(r, params.right);
  if (!right) return std::unexpected(right.error());
  View::State state = std::max(left->view.state, right->view.state);
  auto title = [](const ViewName& n) { return n.kind + " " + n.entry + " " + n.architecture; };
  return Json{{"state", kStates[static_cast<int>(state)]},
              {"left", view_json(*left)},
              {"right", view_json(*right)},
              {"text", unified_diff(left->view.text, right->view.text, title(left->name), title(right->name))}};
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
