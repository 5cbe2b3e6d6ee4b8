// What a kernel becomes, as a text under its name: the one place where the command line and the views of editors make
// it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/view.h"
#include "server/render/terminal.h"

namespace tilewright::views {

struct Document {
  std::string text;
  std::string_view language;            // as editors name them: cuda-cpp, python, ...
  std::vector<ide::LineOrigins> lines;  // ascending
};

// The kernel has the stage that the kind shows (ide::has_stage), and of what NVIDIA's tools make `made` is the result.
// `anchors` are those of its compilation; the report alone has colours. Without `lines` those of CUDA are left out.
Document document(ide::ViewKind kind, const session::CompiledKernel& kernel, const text::Anchors& anchors,
                  const ide::Made* made = nullptr, const render::Colours& colours = {}, bool lines = true);
// A view that is not ready is a comment that says why.
Document document(const ide::View& view, bool lines = true);

// PTX or SASS of a kernel with the line of the script behind each instruction that begins what came from there:
// "  // copy.py:14". Lines keep their numbers.
std::string with_script_lines(std::string_view text, const toolchain::LineMap& map, const cuda::CudaSource& cuda,
                              const text::Anchors& anchors);

}  // namespace tilewright::views
