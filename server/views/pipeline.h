// The pipeline of a kernel as JSON: what clients draw of it, and the page.
#pragma once
#include <functional>

#include "server/ide/pipeline.h"
#include "server/render/json.h"

namespace tilewright::views {

// Where a reader can go to, in the words of who is told; null: nowhere.
using PlaceJson = std::function<render::Json(const text::Anchors::Place&)>;

// {entry, kernel, architecture, buffers, barriers, syncs, left_out}, as protocol/README.md says.
render::Json pipeline_json(const ide::Pipeline& pipeline, const PlaceJson& place);

}  // namespace tilewright::views
