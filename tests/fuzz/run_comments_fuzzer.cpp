// Any bytes are what stands behind `# tilewright: run`: settings and words of it are parts of the text, in order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "compiler/session/comments.h"
#include "compiler/session/run_comments.h"

using namespace tilewright;

namespace {

constexpr std::string_view kKernel =
    "from tvm.script import tirx as T\n"
    "@T.prim_func\n"
    "def k(A: T.Buffer((64,), 'int32'), n: T.int32):\n"
    "    T.device_entry()\n"
    "    A[0] = n\n";

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text = "# tilewright: run ";
  text.append(reinterpret_cast<const char*>(data), size).append("\n").append(kKernel);
  auto tree = syntax::Tree::parse(std::make_shared<text::Source>("fuzz.py", text));
  const std::string_view whole = tree->source()->text();
  auto inside = [&](std::string_view part) {
    return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
  };
  text::Anchors anchors;
  for (const syntax::Directive& directive : tree->directives()) {
    const auto comment = syntax::run_comment(directive);
    if (!comment) continue;
    const char* last = whole.data();
    for (const syntax::RunComment::Setting& s : comment->settings) {
      demand(inside(s.name) && inside(s.value) && !s.name.empty() && s.name.data() >= last);
      last = s.name.data();
    }
    for (std::string_view word : comment->stray) demand(inside(word) && !word.empty());
    for (std::string_view kernel : comment->kernels()) demand(inside(kernel) && !kernel.empty());
    std::vector<session::MisreadWord> wrong;
    session::read_run_comment(*comment, wrong);
    for (const session::MisreadWord& w : wrong) demand(inside(w.at) && !w.message.empty());
  }
  for (const text::Diagnostic& d : session::misread_comments(*tree, anchors)) demand(!d.message.empty());
  session::Compiled compiled;
  for (const text::Diagnostic& d : session::misread_runs(*tree, compiled, true, anchors)) demand(!d.message.empty());
  return 0;
}
