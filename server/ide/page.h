// All that a page about one script shows: its kernels with every view that they have, what the lines of both sides
// have to do with each other, and the layouts of their buffers. server/views/page.h makes the page.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/ide/layout_at.h"
#include "server/ide/pipeline.h"
#include "server/ide/view.h"
#include "server/project/load.h"
#include "server/work/time.h"

namespace tilewright::ide {

struct PageKernel {
  const session::Compiled* compiled = nullptr;  // of which it is
  const session::CompiledKernel* kernel = nullptr;
  std::vector<OpenedView> views;  // in the order asked for; one that is not ready says why
  std::optional<std::pair<std::uint32_t, std::uint32_t>> lines;  // kernel_lines
  std::string architecture;                                      // in words: "sm_100a, from tcgen05.alloc in line 17"
  std::string resources;                                         // resource_words, as far as they are known
  work::KernelTime time{};                                       // the model of it, or why there is none
  std::optional<Pipeline> pipeline;                              // absent: the kernel has errors
  std::vector<LayoutAt> layouts;  // of its buffers that are not in global memory, in the order of their first use
};

struct Page {
  Script script;
  std::shared_ptr<const session::Analysis> analysis;  // one compilation an architecture, with its findings
  std::vector<PageKernel> kernels;                    // entries in order, the architectures of each together
  std::string checked{};                              // in words: how much was found, and what was not looked at
};

// What NVIDIA's tools make of a kernel; null: not asked.
using MadeOf = std::function<std::shared_ptr<const Made>(const session::CompiledKernel& kernel)>;

// The compilations are those of `file`, one an architecture; one at least.
Page page(const project::LoadedFile& file, const std::shared_ptr<session::Analysis>& analysis,
          std::span<const ViewKind> kinds, const MadeOf& made, const std::stop_token& stop = {});

}  // namespace tilewright::ide
