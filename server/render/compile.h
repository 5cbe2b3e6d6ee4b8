// The answer of `tilewright compile` as JSON (protocol/schema/compile.json).
#pragma once
#include <map>
#include <set>
#include <string>

#include "compiler/session/source_map.h"
#include "compiler/toolchain/toolchain.h"
#include "server/render/json.h"
#include "server/render/selection.h"

namespace tilewright::render {

// A kernel, and what was made of it.
struct KernelOutput {
  const session::CompiledKernel& kernel;
  session::ArchitectureSource architecture_source;
  const script::DialectChoice& dialect;
  const std::map<std::string, std::string>& texts;        // by what `--emit` calls them; empty ones were not made
  const toolchain::KernelResources* resources = nullptr;  // null: NVIDIA's tools have not said
  bool source_map = false;                                // which lines of the texts are of which range of the script
  const ScriptLines* lines = nullptr;                     // only what these became; null: all
};
// One object of `kernels`.
Json kernel_output_json(const KernelOutput& output, const text::Anchors& anchors);

// All of it: lists of kernels, diagnostics and failures, and the files that the answer rests on.
Json compile_json(Json kernels, Json diagnostics, const std::set<std::string>& files, Json failures);

}  // namespace tilewright::render
