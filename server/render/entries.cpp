#include "server/render/entries.h"

#include "server/render/failures.h"

namespace tilewright::render {
namespace {

Json module_json(const RegisteredFile& module) {
  return {{"name", module.as.name},
          {"category", module.as.category},
          {"architectures", module.as.architectures},
          {"file", module.file}};
}

}  // namespace

Json entries_json(const script::Evaluation& evaluation) {
  Json entries = Json::array(), open = Json::array();
  for (const script::Entry& entry : evaluation.entries) {
    Json names = Json::array();
    for (const script::KernelValue* k : entry.kernels) names.push_back(k->kernel.name);
    entries.push_back({{"entry", entry.expression},
                       {"kind", script::entry_kind_name(entry.kind)},
                       {"kernels", std::move(names)},
                       {"range", range_json(entry.span, evaluation.anchors)}});
  }
  for (const script::Factory& f : evaluation.open_factories)
    open.push_back({{"factory", f.signature}, {"range", range_json(f.span, evaluation.anchors)}});
  Json out{{"entries", std::move(entries)},
           {"needs_arguments", std::move(open)},
           {"dialect", dialect_json(evaluation.dialect)}};
  if (auto as = session::registered(*evaluation.tree))
    out["registered"] = Json::array({module_json({evaluation.tree->source()->path(), std::move(*as)})});
  return out;
}

Json registered_json(std::span<const RegisteredFile> modules) {
  Json listed = Json::array();
  for (const RegisteredFile& module : modules) listed.push_back(module_json(module));
  return {{"entries", Json::array()}, {"needs_arguments", Json::array()}, {"registered", std::move(listed)}};
}

Json no_entries_json(std::string_view file, std::string_view message) {
  return {{"entries", Json::array()},
          {"needs_arguments", Json::array()},
          {"failures", Json::array({failure_json(file, message)})}};
}

}  // namespace tilewright::render
