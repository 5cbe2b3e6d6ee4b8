#include "server/render/compile.h"

#include <algorithm>

#include "server/render/base64.h"
#include "server/render/host_call.h"

namespace tilewright::render {
namespace {

// [{cuda, range, chain, ptx[], sass[]}]: lines from 1.
Json source_map_json(const session::SourceMap& map, const text::Anchors& anchors) {
  Json out = Json::array();
  for (const session::MappedLine& line : map.lines) {
    Json chain = Json::array();
    for (const ir::CallSite* site = line.origin.chain; site; site = site->outer) {
      chain.insert(chain.begin(), range_json(site->span, anchors));
    }
    out.push_back({{"cuda", line.cuda},
                   {"range", range_json(line.origin.span, anchors)},
                   {"chain", chain},
                   {"ptx", line.ptx},
                   {"sass", line.sass}});
  }
  return out;
}

Json resources_json(const toolchain::KernelResources& r) {
  return {{"registers", r.registers},     {"spill_stores", r.spill_stores},
          {"spill_loads", r.spill_loads}, {"static_shared_bytes", r.static_shared},
          {"stack_bytes", r.stack},       {"barriers", r.barriers}};
}

// Of the texts that the map knows the lines that came from these of the script; the other texts are left out.
Json only_lines(const Json& sources, const Json& map, const ScriptLines& lines) {
  Json out = Json::object();
  for (const char* emit : {"cuda", "ptx", "sass"}) {
    if (!sources.contains(emit)) continue;
    std::vector<std::uint32_t> numbers;
    for (const Json& line : map) {
      if (!is_within(line, lines)) continue;
      const Json& at = line[emit];
      if (at.is_array()) {
        for (const Json& n : at) numbers.push_back(n.get<std::uint32_t>());
      } else {
        numbers.push_back(at.get<std::uint32_t>());
      }
    }
    std::ranges::sort(numbers);
    out[emit] = numbered_lines(sources[emit].get_ref<const std::string&>(), numbers);
  }
  return out;
}

}  // namespace

Json kernel_output_json(const KernelOutput& output, const text::Anchors& anchors) {
  const session::CompiledKernel& kernel = output.kernel;
  Json k = kernel_json(kernel, anchors);
  k["arch"] = kernel.target.name();
  k["arch_from"] = architecture_json(kernel, output.architecture_source, anchors);
  k["dialect"] = dialect_json(output.dialect);
  Json sources = Json::object();
  for (const auto& [emit, text] : output.texts) {
    if (text.empty()) continue;
    if (emit == "plan") {
      k["plan"] = plan_json(*kernel.lowered);
      k["call"] = host_call_json(*kernel.lowered, anchors);
    } else if (emit != "report") {
      sources[emit] = emit == "cubin" ? base64(text) : text;
    }
  }
  const bool mapped =
      kernel.cuda && (output.texts.contains("cuda") || output.texts.contains("ptx") || output.texts.contains("sass"));
  if (mapped && (output.source_map || output.lines)) {
    auto text_of = [&](const char* emit) {
      return output.texts.contains(emit) ? output.texts.at(emit) : std::string();
    };
    Json map = source_map_json(session::join(*kernel.cuda, text_of("ptx"), text_of("sass")), anchors);
    if (output.lines) sources = only_lines(sources, map, *output.lines);
    if (output.source_map) k["source_map"] = std::move(map);
  }
  k["sources"] = std::move(sources);
  if (output.lines) keep_lines(k, *output.lines);
  if (output.resources) k["resources"] = resources_json(*output.resources);
  return k;
}

Json compile_json(Json kernels, Json diagnostics, const std::set<std::string>& files, Json failures) {
  Json out = object_for(4);
  out["kernels"] = std::move(kernels);
  out["diagnostics"] = std::move(diagnostics);
  out["files"] = files;
  if (!failures.empty()) out["failures"] = std::move(failures);
  return out;
}

}  // namespace tilewright::render
