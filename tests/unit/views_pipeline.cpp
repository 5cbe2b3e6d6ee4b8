// The pipeline of a kernel as JSON.
#include "server/views/pipeline.h"
#include "tests/unit/catch.h"

using namespace tilewright;

TEST_CASE("a pipeline says each use with its kind, and places in the words of who asks") {
  using Kind = ide::BufferUse::Kind;
  ide::Pipeline p;
  p.entry = "make(1)";
  p.kernel = "kernel";
  p.architecture = "sm_90a";
  auto use = [](Kind kind, std::string what) {
    ide::PipelineUse out;
    out.kind = kind;
    out.what = std::move(what);
    return out;
  };
  ide::PipelineBuffer& tiles = p.buffers.emplace_back();
  tiles.name = "tiles";
  tiles.fills = {use(Kind::Memory, "copy")};
  tiles.fills[0].bytes = 4096;
  tiles.fills[0].barrier = "full";
  tiles.drains = {use(Kind::Memory, "gemm")};
  ide::PipelineBarrier& full = p.barriers.emplace_back();
  full.name = "full";
  for (Kind kind : {Kind::Init, Kind::Arrive, Kind::Expect, Kind::Complete, Kind::Wait, Kind::Other})
    full.uses.push_back(use(kind, "x"));
  p.syncs = {use(Kind::Sync, "cuda.cta_sync")};
  p.left_out = 3;

  int asked = 0;
  const render::Json json = views::pipeline_json(p, [&](const text::Anchors::Place& at) {
    ++asked;
    CHECK(!at.source);
    return render::Json("somewhere");
  });
  CHECK(asked == 1 + 2 + 1 + 6 + 1);
  const render::Json& shown = json.at("buffers").at(0);
  CHECK(shown.at("fills").at(0).at("kind") == "fill");
  CHECK(shown.at("fills").at(0).at("bytes") == 4096);
  CHECK(shown.at("fills").at(0).at("barrier") == "full");
  CHECK(shown.at("drains").at(0).at("kind") == "drain");
  CHECK(shown.at("drains").at(0).at("bytes").is_null());
  CHECK(shown.at("drains").at(0).at("barrier").is_null());
  CHECK(shown.at("bytes").is_null());
  CHECK(shown.at("location") == "somewhere");
  render::Json kinds = render::Json::array();
  for (const render::Json& u : json.at("barriers").at(0).at("uses")) kinds.push_back(u.at("kind"));
  CHECK(kinds == render::Json({"init", "arrive", "expect", "complete", "wait", "other"}));
  CHECK(json.at("barriers").at(0).at("arrivals").is_null());
  CHECK(json.at("syncs").at(0).at("kind") == "sync");
  CHECK(json.at("left_out") == 3);
  CHECK(json.at("architecture") == "sm_90a");
}
