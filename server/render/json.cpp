#include "server/render/json.h"

#include <unistd.h>

#include <utility>

#include "compiler/expr/analyzer.h"
#include "compiler/run/bind.h"
#include "compiler/text/escape.h"

namespace tilewright::render {
namespace {

Json position_json(const text::Source& source, std::uint32_t offset) {
  text::LineColumn at = source.position(offset);
  return {{"line", at.line + 1}, {"column", at.column + 1}};
}

Json extent_json(ir::Expr e) {
  if (!e) return 1;
  Arena scratch;
  ArenaScope scope(scratch);
  ir::Expr s = ir::simplify(e);
  if (const std::int64_t* c = ir::constant(s)) return *c;
  return ir::to_string(s);
}

Json box_json(const scope::Box& box) {
  Json out = Json::object();
  for (const scope::AxisRange& r : box) {
    Json offset = r.range.elected ? Json("elected") : Json(r.range.offset);
    out[std::string(scope::axis_name(r.axis))] = {r.range.extent, offset, r.range.stride};
  }
  return out;
}

}  // namespace

Json object_for(std::size_t members) {
  Json out = Json::object();
  out.get_ref<Json::object_t&>().reserve(members);
  return out;
}

Json fact_json(const dispatch::FactValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

std::string dump(const Json& json, int indent) {
  std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  // CI services obey "##[" and the like anywhere in a line; it can only stand in a string.
  for (std::size_t at = text.find("##"); at != text.npos; at = text.find("##", at)) text.replace(at, 1, "\\u0023");
  std::string out;
  std::size_t from = 0;
  // What is hidden stands in strings; a line of the document ends outside.
  for (text::Hidden h = text::find_hidden(text); h; h = text::find_hidden(text, from)) {
    out += std::string_view(text).substr(from, h.at - from);
    if (h.code == '\n') {
      out += '\n';
    } else {
      text::append_escaped(out, h, text::Escape::Json);
    }
    from = h.at + h.size;
  }
  return from == 0 ? text : out += std::string_view(text).substr(from);
}

std::string dump_for_output(const Json& json) { return dump(json, ::isatty(STDOUT_FILENO) ? 1 : -1); }

Json range_json(text::Span span, const text::Anchors& anchors) { return place_json(anchors.resolve(span)); }

Json place_json(const text::Anchors::Place& place) {
  if (!place.source) return nullptr;
  return {{"file", place.source->path()},
          {"start", position_json(*place.source, place.begin)},
          {"end", position_json(*place.source, place.end)}};
}

Json diagnostic_json(const text::Diagnostic& d, const text::Anchors& anchors) {
  Json related = Json::array(), chain = Json::array();
  for (const text::Related& r : d.related)
    related.push_back({{"range", range_json(r.span, anchors)}, {"message", r.message}});
  for (text::Span s : d.chain) chain.push_back(range_json(s, anchors));
  Json out{{"code", d.code},
           {"severity", text::kSeverityWords[d.severity]},
           {"message", d.message},
           {"range", range_json(d.span, anchors)},
           {"related", std::move(related)},
           {"hint", d.hint}};
  if (!chain.empty()) out["chain"] = std::move(chain);
  return out;
}

Json call_json(const dispatch::CallReport& report, const text::Anchors& anchors) {
  const ir::TileCall& call = *report.call;
  Json chain = Json::array();
  for (const ir::CallSite* site = call.origin.chain; site; site = site->outer)
    chain.insert(chain.begin(), range_json(site->span, anchors));
  Json trials = Json::array();
  for (const dispatch::Trial& t : report.trials) {
    trials.push_back({{"variant", t.variant},
                      {"priority", t.priority},
                      {"outcome", dispatch::outcome_name(t.outcome)},
                      {"reason", t.reason}});
  }
  Json facts = Json::object();
  for (const dispatch::Fact& f : report.facts) facts[std::string(f.name)] = fact_json(f.value);
  Json out = object_for(9);
  out["range"] = range_json(call.origin.span, anchors);
  out["chain"] = std::move(chain);
  out["primitive"] = call.primitive;
  out["scope"] = ir::exec_scope_name(call.scope);
  out["forced"] = call.dispatch.empty() ? Json(nullptr) : Json(call.dispatch);
  out["active"] = {{"inter", box_json(report.scope.inter)},
                   {"intra", box_json(report.scope.intra)},
                   {"kind", ir::exec_scope_name(report.scope.kind)}};
  out["variant"] = report.variant.empty() ? Json(nullptr) : Json(report.variant);
  out["trials"] = std::move(trials);
  out["facts"] = std::move(facts);
  return out;
}

Json launch_json(const scope::Launch& launch, std::int64_t dynamic_shared_bytes) {
  auto three = [](const std::array<ir::Expr, 3>& e) {
    return Json{extent_json(e[0]), extent_json(e[1]), extent_json(e[2])};
  };
  Json out{{"grid", three(launch.grid)},
           {"block", three(launch.block)},
           {"cluster", three(launch.cluster)},
           {"dynamic_shared_bytes", dynamic_shared_bytes}};
  if (launch.has_preferred) out["preferred_cluster"] = three(launch.preferred);
  return out;
}

Json tensor_map_json(const dispatch::TensorMap& map) {
  auto list = [](const std::vector<ir::Expr>& e) {
    Json out = Json::array();
    for (ir::Expr x : e) out.push_back(extent_json(x));
    return out;
  };
  return {{"name", map.var ? map.var->name : ""},
          {"param", map.tensor ? map.tensor->name : ""},
          {"byte_offset", map.byte_offset ? extent_json(map.byte_offset) : Json(0)},
          {"dtype", map.dtype},
          {"rank", map.dims.size()},
          {"dims", list(map.dims)},
          {"strides", list(map.strides)},
          {"box", map.host_box.empty() ? Json(map.box) : list(map.host_box)},
          {"element_strides", map.element_strides},
          {"interleave", map.interleave},
          {"swizzle", map.swizzle},
          {"l2_promotion", map.l2_promotion},
          {"oob_fill", map.oob_fill}};
}

Json kernel_json(const session::CompiledKernel& k, const text::Anchors& anchors) {
  Json calls = Json::array(), maps = Json::array();
  for (const dispatch::CallReport& c : k.dispatched->calls) calls.push_back(call_json(c, anchors));
  const auto& encoded = k.lowered ? k.lowered->plan.tensor_maps : k.dispatched->tensor_maps;
  for (const dispatch::TensorMap& m : encoded) maps.push_back(tensor_map_json(m));
  std::int64_t dynamic = k.lowered ? k.lowered->plan.dynamic_shared_bytes : 0;
  Json out = object_for(16);  // callers add to it
  out["name"] = k.value->kernel.name;
  out["entry"] = k.entry->expression;
  out["entry_kind"] = script::entry_kind_name(k.entry->kind);
  out["range"] = range_json(k.value->kernel.span, anchors);
  out["failed"] = k.failed;
  out["launch"] = k.lowered ? launch_json(k.lowered->plan.launch, dynamic) : Json(nullptr);
  out["calls"] = std::move(calls);
  out["tensor_maps"] = std::move(maps);
  return out;
}

Json dialect_json(const script::DialectChoice& choice) {
  return {{"release", text::dialect_name(choice.dialect)},
          {"source", script::dialect_source_name(choice.source)},
          {"why", choice.why}};
}

Json architecture_json(const session::CompiledKernel& k, session::ArchitectureSource source,
                       const text::Anchors& anchors) {
  if (k.target_because.empty()) return {{"source", session::architecture_source_name(source)}};
  return {{"source", "calls"}, {"call", k.target_because}, {"range", range_json(k.target_place, anchors)}};
}

Json plan_json(const lower::LoweredKernel& kernel) {
  static constexpr auto kKinds = text::words_of<lower::ParamKind>({"pointer", "scalar", "tensor_map"});
  ScratchArena scratch;
  ArenaScope scope(scratch);
  Json params = Json::array(), attributes = Json::object(), maps = Json::array();
  for (const lower::KernelParam& p : kernel.plan.params) {
    Json shape = Json::array();
    if (p.tensor)
      for (ir::Expr e : p.tensor->shape) shape.push_back(extent_json(e));
    Json strides = Json::array();
    if (auto found = p.tensor ? run::element_strides(*p.tensor) : std::vector<ir::Expr>()) {
      for (ir::Expr e : *found) strides.push_back(extent_json(ir::simplify(e)));
    } else {
      strides = nullptr;
    }
    params.push_back({{"name", p.tensor ? p.tensor->name
                               : p.var  ? p.var->name
                                        : ""},
                      {"kind", kKinds[p.kind]},
                      {"dtype", ir::dtype_name(p.dtype)},
                      {"shape", std::move(shape)},
                      {"strides", std::move(strides)}});
  }
  if (kernel.plan.min_blocks_per_sm) attributes["min_blocks_per_sm"] = kernel.plan.min_blocks_per_sm;
  if (kernel.plan.persistent) attributes["persistent"] = true;
  if (kernel.plan.cooperative) attributes["cooperative"] = true;
  if (kernel.plan.programmatic_dependent_launch) attributes["programmatic_dependent_launch"] = true;
  if (kernel.plan.map_place != lower::MapPlace::Parameter)
    attributes["tensor_maps"] = lower::map_place_word(kernel.plan.map_place);
  for (const dispatch::TensorMap& m : kernel.plan.tensor_maps) maps.push_back(tensor_map_json(m));
  return {{"symbol", kernel.symbol},
          {"launch", launch_json(kernel.plan.launch, kernel.plan.dynamic_shared_bytes)},
          {"params", std::move(params)},
          {"attributes", std::move(attributes)},
          {"static_shared_bytes", kernel.plan.static_shared_bytes},
          {"dynamic_shared_bytes", kernel.plan.dynamic_shared_bytes},
          {"tensor_maps", std::move(maps)}};
}

}  // namespace tilewright::render
