#include "server/project/codes.h"

#include "compiler/cuda/codes.h"
#include "compiler/dispatch/codes.h"
#include "compiler/lower/codes.h"
#include "compiler/scope/codes.h"
#include "compiler/script/codes.h"
#include "compiler/session/codes.h"
#include "compiler/simulate/codes.h"

namespace tilewright::project {

namespace {

constexpr text::CodeInfo kOwn[] = {
    {kToolsCode, "message of the CUDA compiler",
     "NVRTC or ptxas said something about the generated CUDA. The message is theirs; the place is the line of the "
     "script that the CUDA line came from. An error here is a fault of Tilewright unless the script holds CUDA source "
     "of its own (T.cuda.func_call): `tilewright compile FILE --emit cuda` shows the text that was compiled."},
    {kRunCode, "result of a run",
     "A run that was asked for in the editor left something else than expected, or ended by a fault. It stands at the "
     "statement that wrote the first wrong element, or where the simulator finds the fault on the same inputs, else at "
     "the kernel, and goes with the next edit. `tilewright run FILE --entry EXPR --on TARGET` says all of it."},
};

}  // namespace

std::vector<text::CodeInfo> all_codes() {
  std::vector<text::CodeInfo> all;
  auto add = [&](std::span<const text::CodeInfo> table) { all.insert(all.end(), table.begin(), table.end()); };
  add(script::code::table());
  add(session::kCodes);
  add(scope::kCodes);
  add(dispatch::kCodes);
  add(lower::kCodes);
  add(cuda::kCodes);
  add(simulate::kCodes);
  add(kOwn);
  return all;
}

const text::CodeInfo* code_info(std::string_view code) {
  static const std::vector<text::CodeInfo> all = all_codes();
  for (const text::CodeInfo& info : all) {
    if (info.code == code) return &info;
  }
  return nullptr;
}

}  // namespace tilewright::project
