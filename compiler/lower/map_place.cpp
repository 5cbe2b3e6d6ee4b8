#include "compiler/lower/map_place.h"

#include <algorithm>

#include "compiler/lower/lowered.h"
#include "compiler/text/names.h"
#include "compiler/text/words.h"

namespace tilewright::lower {
namespace {

constexpr auto kWords = text::words_of<MapPlace>({"parameter", "constant", "global"});

}  // namespace

std::optional<MapPlace> map_place(std::string_view word) { return kWords.find(word); }

bool in_global_memory(const LaunchPlan& plan, const KernelParam& param) {
  return plan.map_place == MapPlace::Global && param.kind == ParamKind::TensorMap &&
         std::ranges::find(plan.tensor_maps, param.var, &dispatch::TensorMap::var) != plan.tensor_maps.end();
}

std::string constant_map_symbol(const LoweredKernel& kernel, const ir::Var* map) {
  std::string name = text::identifier(map->name);
  // Names in other letters must not become one.
  if (name != map->name) name += "_" + std::to_string(map->id);
  return kernel.symbol + "_" + name;
}

std::string_view map_place_word(MapPlace place) { return kWords[place]; }

}  // namespace tilewright::lower
