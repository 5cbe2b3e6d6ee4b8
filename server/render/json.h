// The JSON of the command line's contract (schemas in protocol/schema/).
#pragma once
#include "compiler/session/compile.h"
#include "compiler/text/json.h"

namespace tilewright::render {

using text::Json;

// An empty object with room for so many members. Where its room ends nlohmann's ordered object copies all that are in
// it, whole: what holds lists of kernels asks for room.
Json object_for(std::size_t members);
// {file, start {line, column}, end {line, column}}: from 1, columns in code points, end exclusive. null: nowhere.
Json range_json(text::Span span, const text::Anchors& anchors);
Json place_json(const text::Anchors::Place& place);
Json diagnostic_json(const text::Diagnostic& d, const text::Anchors& anchors);
Json fact_json(const dispatch::FactValue& value);
Json call_json(const dispatch::CallReport& call, const text::Anchors& anchors);
// One object of `kernels[]`, without sources.
Json kernel_json(const session::CompiledKernel& k, const text::Anchors& anchors);
// {release, source, why}.
Json dialect_json(const script::DialectChoice& choice);
// Who chose the architecture of a kernel: {source}, and for "calls" the call that asked for it and its place.
Json architecture_json(const session::CompiledKernel& k, session::ArchitectureSource source,
                       const text::Anchors& anchors);
Json launch_json(const scope::Launch& launch, std::int64_t dynamic_shared_bytes);
Json tensor_map_json(const dispatch::TensorMap& map);
Json plan_json(const lower::LoweredKernel& kernel);
// UTF-8 whatever the script held; what steers or hides text is escaped, so that a terminal shows it.
std::string dump(const Json& json, int indent = 1);
// As standard output wants it: indented on a terminal, else in one line.
std::string dump_for_output(const Json& json);

}  // namespace tilewright::render
