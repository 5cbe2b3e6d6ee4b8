// One file through all stages, and back along the source map.
#include "compiler/session/compile.h"
#include "compiler/session/source_map.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

constexpr const char* kScript = R"(from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.inline
def move(dst, src):
    Tx.warp.copy(dst, src)

@T.prim_func
def kernel(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    B = T.match_buffer(b, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    tile = T.alloc_shared((32, 32), "float16")
    move(tile[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], tile[:, :])
)";

session::Compiled compile_text(std::string text) {
  auto source = std::make_shared<text::Source>("kernel.py", std::move(text));
  return session::compile(syntax::Tree::parse(source), nullptr, {}, {});
}

}  // namespace

TEST_CASE("a script becomes CUDA, and each of its lines leads back") {
  session::Compiled c = compile_text(kScript);
  CHECK(c.diagnostics.empty());
  REQUIRE(c.kernels.size() == 1);
  REQUIRE(c.kernels[0].cuda);
  const text::Source& source = *c.evaluation->tree->source();
  session::SourceMap map = session::join(*c.kernels[0].cuda, "", "");
  REQUIRE(!map.lines.empty());

  auto begin = static_cast<std::uint32_t>(source.text().find("Tx.warp.copy(B"));
  auto second = map.of_script(c.evaluation->anchors, &source, begin, begin + 5);
  REQUIRE(!second.empty());
  // The inlined copy is found by its own line and by the call that led to it.
  auto inner = static_cast<std::uint32_t>(source.text().find("Tx.warp.copy(dst"));
  auto call = static_cast<std::uint32_t>(source.text().find("move(tile"));
  auto by_inner = map.of_script(c.evaluation->anchors, &source, inner, inner + 5);
  auto by_call = map.of_script(c.evaluation->anchors, &source, call, call + 4);
  REQUIRE(!by_inner.empty());
  CHECK(by_inner == by_call);
  for (const session::MappedLine* line : by_inner) CHECK(line->cuda < second.front()->cuda);
  CHECK(map.of_cuda(second.front()->cuda) == second.front());
  CHECK(map.of_cuda(1) == nullptr);
}

TEST_CASE("several errors are told at once, and one bad kernel does not hide the others") {
  std::string text = kScript;
  text +=
      "\n@T.prim_func\ndef bad(a: T.handle):\n    A = T.match_buffer(a, (32,), \"float16\")\n    T.device_entry()\n"
      "    T.cta_id([1])\n    tid = T.thread_id([32])\n    x = missing + 1\n    A[tid] = A[40]\n    y = x + 1\n";
  session::Compiled c = compile_text(text);
  REQUIRE(c.diagnostics.size() == 2);
  CHECK(c.diagnostics[0].code == "TW2002");
  CHECK(c.diagnostics[1].code == "TW2107");
  REQUIRE(c.kernels.size() == 2);
  CHECK(c.kernels[0].cuda);
  CHECK(c.kernels[1].failed);
}

TEST_CASE("a comment silences its own line") {
  std::string text = kScript;
  std::size_t at = text.find("    lane =");
  std::string with = text;
  const std::string loop = "    for q in T.serial(2):\n        T.evaluate(q)\n    else:\n        T.evaluate(0)";
  with.insert(at, loop + "\n");
  auto warned = compile_text(with).diagnostics;
  REQUIRE(warned.size() == 1);
  CHECK(warned[0].severity == text::Severity::Warning);
  with = text;
  with.insert(at, loop + "  # tilewright: ignore[" + std::string(warned[0].code) + "]\n");
  CHECK(compile_text(with).diagnostics.empty());
  with = text;
  with.insert(at, loop + "  # tilewright: ignore[TW2003]\n");
  CHECK(compile_text(with).diagnostics.size() == 1);
}
