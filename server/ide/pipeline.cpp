#include "server/ide/pipeline.h"

#include <algorithm>

#include "compiler/ir/printer.h"
#include "server/ide/buffers.h"
#include "server/ide/call_words.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kMostUses = 2'000;  // told of a kernel
using Kind = BufferUse::Kind;

std::string shape_words(const ir::Buffer& b) {
  std::string out;
  for (ir::Expr e : b.shape) out += (out.empty() ? "" : ", ") + ir::to_string(e);
  return "(" + out + (b.shape.size() == 1 ? ",)" : ")");
}

// "pipe.full.buf" is the storage of what scripts call pipe.full.
std::string barrier_name(const ir::Buffer& b) {
  std::string_view name = ir::spoken_name(b);
  if (!b.path.empty() && name.ends_with(".buf")) name.remove_suffix(4);
  return std::string(name);
}

bool is_shown(const ir::Buffer& b) {
  return b.scope == ir::StorageScope::Global || ir::is_shared(b.scope) || b.scope == ir::StorageScope::Tmem;
}

class Maker {
 public:
  Maker(Pipeline& out, const session::CompiledKernel& kernel, const text::Anchors& anchors)
      : out_(out), kernel_(kernel), anchors_(anchors) {}

  void make() {
    const std::vector<BufferUse> uses = uses_of(kernel_);
    for (const BufferUse& use : uses) {
      if (use.buffer && use.kind != Kind::Memory) note_barrier(*use.buffer);
    }
    for (const BufferUse& use : uses) {
      if (use.kind == Kind::Sync) {
        keep(out_.syncs, told(use));
      } else if (use.kind == Kind::Memory) {
        if (is_shown(*use.buffer) && !barrier_of(*use.buffer)) buffer(use);
      } else if (std::size_t at = *barrier_of(*use.buffer); true) {
        PipelineBarrier& b = out_.barriers[at];
        constexpr std::string_view kFor = "initialised for ", kArrivals = " arrivals a phase";
        if (use.kind == Kind::Init && b.arrivals.empty() && use.what.starts_with(kFor) && use.what.ends_with(kArrivals))
          b.arrivals = use.what.substr(kFor.size(), use.what.size() - kFor.size() - kArrivals.size());
        keep(b.uses, told(use));
      }
    }
  }

 private:
  std::optional<std::size_t> barrier_of(const ir::Buffer& b) const {
    for (std::size_t i = 0; i < barriers_.size(); ++i) {
      if (same_storage(*barriers_[i], b)) return i;
    }
    return std::nullopt;
  }
  text::Anchors::Place declared(const ir::Buffer& b) const { return place_of(b.span, anchors_, *out_.script); }

  void note_barrier(const ir::Buffer& b) {
    if (barrier_of(b)) return;
    barriers_.push_back(&b);
    out_.barriers.push_back({barrier_name(b), ir::constant_elements(b.shape), declared(b), {}, {}});
  }

  PipelineUse told(const BufferUse& use) const {
    PipelineUse out;
    out.kind = use.kind;
    out.what = use.what;
    out.under = use.under;
    if (use.report) {
      out.who = worker_words(*use.report);
      out.bytes = moved_bytes(*use.report);
    }
    if (use.completes) {
      if (auto barrier = barrier_of(*use.completes)) out.barrier = out_.barriers[*barrier].name;
    }
    out.place = reader_place(use.statement->origin, anchors_, *out_.script);
    return out;
  }

  void keep(std::vector<PipelineUse>& list, PipelineUse use) {
    for (PipelineUse& known : list) {
      if (known.kind != use.kind || known.what != use.what || known.under != use.under ||
          known.place.source != use.place.source || known.place.begin != use.place.begin)
        continue;
      ++known.times;
      return;
    }
    if (told_ >= kMostUses) {
      ++out_.left_out;
      return;
    }
    ++told_;
    list.push_back(std::move(use));
  }

  void buffer(const BufferUse& use) {
    const ir::Buffer& b = *use.buffer;
    auto found = std::ranges::find_if(buffers_, [&](const ir::Buffer* known) { return same_storage(*known, b); });
    const auto at = static_cast<std::size_t>(found - buffers_.begin());
    const std::string name(ir::spoken_name(b));
    if (found == buffers_.end()) {
      buffers_.push_back(&b);
      const std::string_view scope = b.scope_text.empty() ? ir::storage_scope_name(b.scope) : b.scope_text;
      out_.buffers.push_back({name,
                              {},
                              std::string(scope),
                              ir::dtype_name(b.dtype),
                              shape_words(b),
                              buffer_bytes(b),
                              declared(b),
                              {},
                              {}});
    }
    PipelineBuffer& shown = out_.buffers[at];
    if (name != shown.name && std::ranges::find(shown.other_names, name) == shown.other_names.end())
      shown.other_names.push_back(name);
    if (use.writes) keep(shown.fills, told(use));
    if (use.reads) keep(shown.drains, told(use));
  }

  Pipeline& out_;
  const session::CompiledKernel& kernel_;
  const text::Anchors& anchors_;
  std::vector<const ir::Buffer*> buffers_, barriers_;  // of what is in the answer, in its order
  std::size_t told_ = 0;
};

}  // namespace

Pipeline pipeline_of(Script script, std::shared_ptr<const session::Analysis> analysis,
                     const session::Compiled& compiled, const session::CompiledKernel& kernel) {
  Pipeline out;
  out.script = std::move(script);
  out.analysis = std::move(analysis);
  out.entry = kernel.entry->expression;
  out.kernel = kernel.value->kernel.name;
  out.architecture = kernel.target.name();
  Arena scratch;
  ArenaScope scope(scratch);
  Maker(out, kernel, compiled.evaluation->anchors).make();
  return out;
}

Answer<Pipeline> pipeline(const Query& q, const std::string& document, std::string_view entry,
                          std::string_view architecture) {
  auto name = find_view(q, ViewKind::Tirx, document, entry, architecture);
  if (!name) return std::unexpected(std::move(name.error()));
  auto opened = open_view(q, std::move(*name));
  if (!opened) return std::unexpected(std::move(opened.error()));
  if (opened->view.state != View::State::Ready) return refused(opened->view.problem);
  return pipeline_of(opened->script, opened->analysis, *opened->view.compiled, *opened->view.kernel);
}

}  // namespace tilewright::ide
