#include "server/render/entries.h"

#include "server/render/failures.h"

namespace tilewright::render {

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
  return {{"entries", std::move(entries)},
          {"needs_arguments", std::move(open)},
          {"dialect", dialect_json(evaluation.dialect)}};
}

Json no_entries_json(std::string_view file, std::string_view message) {
  return {{"entries", Json::array()},
          {"needs_arguments", Json::array()},
          {"failures", Json::array({failure_json(file, message)})}};
}

}  // namespace tilewright::render
