// Any bytes are a script, and a script goes through every stage up to CUDA text within its limits. What is printed of a
// kernel without errors is a script again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/session/compile.h"

using namespace tilewright;

namespace {

session::Compiled compile(std::string text, session::Stage stage) {
  text::Context context;
  context.limits.steps = 200'000;
  context.limits.memory_bytes = 16 << 20;
  session::CompileOptions options;
  options.target = *ir::parse_target("sm_100a");
  options.stage = stage;
  auto tree = syntax::Tree::parse(std::make_shared<text::Source>("fuzz.py", std::move(text)));
  return session::compile(tree, nullptr, context, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  session::Compiled compiled = compile(std::string(reinterpret_cast<const char*>(data), size), session::Stage::Cuda);
  if (compiled.has_errors()) return 0;
  for (const session::CompiledKernel& k : compiled.kernels) {
    compile(ir::print_script(k.value->kernel, intrinsics::printed_arguments), session::Stage::Evaluate);
  }
  return 0;
}
