// What a kernel becomes, as a text under its name: the one place where the command line and the views of editors make
// it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/view.h"

namespace tilewright::render {

struct Document {
  std::string text;
  std::string_view language;            // as editors name them: cuda-cpp, python, ...
  std::vector<ide::LineOrigins> lines;  // ascending
};

// `made` is what NVIDIA's tools made of it, for PTX and SASS only. The kernel has got as far as the kind asks.
Document document(ide::ViewKind kind, const session::Compiled& compiled, const session::CompiledKernel& kernel,
                  const ide::Made* made = nullptr);
// A view that is not ready is a comment that says why.
Document document(const ide::View& view);

}  // namespace tilewright::render
