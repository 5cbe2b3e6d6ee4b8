#include "compiler/session/compile.h"

#include <algorithm>
#include <deque>
#include <iterator>

#include "compiler/dispatch/codes.h"
#include "compiler/script/forget.h"
#include "compiler/session/codes.h"
#include "compiler/session/comments.h"
#include "compiler/session/run_comments.h"
#include "compiler/session/silence.h"
#include "compiler/session/stages_ahead.h"
#include "compiler/session/unused.h"

namespace tilewright::session {
namespace {

// Line of a place in its file, from 0.
std::uint32_t line_of(const text::Anchors::Place& place) { return place.source->position(place.begin).line; }

// Takes out what comments silence. An error stays, and the comment that would silence it is a finding itself.
void silence(const syntax::Tree& tree, std::vector<text::Diagnostic>& diagnostics, text::Anchors& anchors) {
  if (tree.directives().empty()) return;
  std::vector<std::pair<const syntax::Directive*, std::string_view>> refused;
  std::erase_if(diagnostics, [&](const text::Diagnostic& d) {
    const syntax::Directive* comment = comment_about(tree, d, anchors);
    if (comment && d.fails) refused.emplace_back(comment, d.code);
    return comment && !d.fails;
  });
  std::ranges::sort(refused);
  const auto again = std::ranges::unique(refused);
  refused.erase(again.begin(), again.end());
  for (auto [comment, code] : refused) {
    const char* end = comment->text.data() + comment->text.size();
    auto length = static_cast<std::uint32_t>(end - tree.source()->text().data()) - comment->offset;
    text::Diagnostic& d = diagnostics.emplace_back();
    d.code = code::kNotSilenced;
    d.severity = text::Severity::Warning;
    d.message = std::string(code) + " is an error, which no comment silences";
    d.span = {anchors.add(tree.source(), comment->offset), 0, length};
    d.hint = "fix what it says, and remove the comment";
  }
}

// What the prelude does wrong for its caller stands at the call in the author's file.
void leave_prelude(text::Diagnostic& d, const text::Anchors& anchors) {
  auto inside = [&](text::Span span) {
    const text::Anchors::Place at = anchors.resolve(span);
    return at.source && at.source->path().starts_with("prelude/");
  };
  while (!d.chain.empty() && inside(d.span)) {
    d.span = d.chain.back();
    d.chain.pop_back();
    d.fix = {};  // it speaks of the other place
  }
  std::erase_if(d.chain, inside);
  std::erase_if(d.related, [&](const text::Related& r) { return inside(r.span); });
}

// The place in the script itself that stands for a call: the call, else the innermost call site of the script that led
// to it, else the kernel's name.
text::Span place_in_script(const ir::Origin& origin, const ir::Kernel& kernel, const text::Anchors& anchors,
                           const syntax::Tree& tree) {
  auto inside = [&](text::Span span) { return anchors.resolve(span).source == tree.source().get(); };
  if (inside(origin.span)) return origin.span;
  for (const ir::CallSite* site = origin.chain; site; site = site->outer) {
    if (inside(site->span)) return site->span;
  }
  return kernel.span;
}

// Says each target once that the calls of a kernel asked for. Where the other kernels can have it, too, a comment can
// say it for all.
void say_architectures(Compiled& compiled, const syntax::Tree& tree) {
  const text::Anchors& anchors = compiled.evaluation->anchors;
  std::vector<ir::Target> said;
  auto serves_all = [&](ir::Target target) {
    return std::ranges::all_of(compiled.kernels, [&](const CompiledKernel& k) {
      return k.target == target || (k.target_because.empty() && has_rows(target, k.value->kernel));
    });
  };
  for (const CompiledKernel& k : compiled.kernels) {
    if (k.target_because.empty() || std::ranges::find(said, k.target) != said.end()) continue;
    said.push_back(k.target);
    text::Diagnostic d;
    d.code = code::kFoundArchitecture;
    d.severity = text::Severity::Information;
    d.span = k.target_place;
    d.message = "compiled for " + architecture_words(k, anchors);
    if (serves_all(k.target) && anchors.resolve(d.span).source == tree.source().get()) {
      const std::string comment = "# tilewright: arch " + k.target.name();
      d.hint = "say so in a comment: " + comment;
      d.fix = {text::Fix::Kind::LineAbove, "Add the comment " + comment, comment};
    } else {
      d.hint = "no one architecture serves all kernels of this file, so a comment cannot say it";
    }
    compiled.diagnostics.push_back(std::move(d));
  }
}

// The script's kernels. Those that are made again go through their stages meanwhile, so that what asks for them
// afterwards finds them there.
std::unique_ptr<script::Evaluation> evaluated(const std::shared_ptr<const syntax::Tree>& tree, script::Loader* loader,
                                              const text::Context& context, const CompileOptions& options) {
  script::EvaluateOptions evaluate = options;
  evaluate.find_target = options.architecture_source == ArchitectureSource::Default;
  evaluate.memo = options.cache;
  if (!options.cache) return script::evaluate(tree, loader, context, evaluate);
  StagesAhead ahead(options.stage, context);
  options.cache->when_kept([&](const auto& kernel) { ahead.add(kernel); });
  auto evaluation = script::evaluate(tree, loader, context, evaluate);
  options.cache->when_kept(nullptr);
  for (const script::Entry& entry : evaluation->entries) {
    for (const script::KernelValue* value : entry.kernels) {
      if (value->record) ahead.add(std::static_pointer_cast<KernelEntry>(value->record));
    }
  }
  ahead.finish();
  return evaluation;
}

std::size_t number_of_kernels(const script::Evaluation& evaluation) {
  std::size_t out = 0;
  for (const script::Entry& entry : evaluation.entries) out += entry.kernels.size();
  return out;
}

}  // namespace

std::string architecture_words(const CompiledKernel& kernel, const text::Anchors& anchors) {
  std::string out = kernel.target.name();
  if (kernel.target_because.empty()) return out;
  out += ", from " + kernel.target_because;
  text::Anchors::Place place = anchors.resolve(kernel.target_place);
  if (place.source) out += " in line " + std::to_string(line_of(place) + 1);
  return out;
}

bool Compiled::has_errors() const {
  return std::ranges::any_of(kernels, &CompiledKernel::failed) ||
         std::ranges::any_of(diagnostics,
                             [](const text::Diagnostic& d) { return d.severity == text::Severity::Error; });
}

Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options) {
  Compiled out;
  out.target = options.target;
  out.architecture_source = options.architecture_source;
  out.evaluation = evaluated(tree, loader, context, options);
  out.dialect = out.evaluation->dialect.dialect;
  out.diagnostics = out.evaluation->diagnostics;

  text::Context stage = context;
  stage.diagnostics = &out.diagnostics;
  std::vector<KernelUses> uses;
  std::deque<std::vector<NeverRead>> never;  // of kernels that are not kept
  std::vector<std::shared_ptr<const syntax::TopLevel>> unread;
  for (const syntax::Tree::Statement& s : tree->statements()) {
    if (!s.node->unread.empty()) unread.push_back(s.node);
  }
  out.kernels.reserve(number_of_kernels(*out.evaluation));
  for (const script::Entry& entry : out.evaluation->entries) {
    for (script::KernelValue* value : entry.kernels) {
      CompiledKernel& k = out.kernels.emplace_back();
      k.entry = &entry;
      k.value = value;
      // A kernel with errors of evaluation is dispatched all the same: the calls that survived get their report.
      std::optional<KernelStages> alone;
      auto* known = options.cache ? static_cast<KernelEntry*>(value->record.get()) : nullptr;
      const ir::Kernel& kernel = known ? known->kernel : value->kernel;
      auto results = (known ? known->stages : alone.emplace()).up_to(options.stage, kernel, value->failed, stage);
      k.dispatched = std::move(results.dispatched);
      k.lowered = std::move(results.lowered);
      k.cuda = std::move(results.cuda);
      k.failed = results.failed;
      k.target = results.target;
      if (!results.target_because.empty()) {
        k.target_because = std::move(results.target_because);
        k.target_place = place_in_script(results.target_origin, kernel, out.evaluation->anchors, *tree);
      }
      if (options.stage == Stage::Evaluate) continue;
      // A record's spans name the statements that it was made from.
      bool keeps = known && known->reusable;
      if (!keeps || !known->stages.knows_never_read()) ++out.kernels_searched;
      uses.push_back({value->def_anchor, value->failed,
                      keeps ? known->stages.never_read(kernel, known->statements)
                            : never.emplace_back(never_read(kernel, unread))});
    }
  }
  out.stopped = context.stop.stop_requested();
  if (out.stopped) return out;

  text::Anchors& anchors = out.evaluation->anchors;
  say_architectures(out, *tree);
  std::ranges::move(misread_comments(*tree, anchors), std::back_inserter(out.diagnostics));
  const bool all = options.entries.empty() && out.evaluation->other_entries.empty();
  std::ranges::move(misread_runs(*tree, out, all, anchors), std::back_inserter(out.diagnostics));
  // An entry that was left out may use what the others do not.
  if (!out.evaluation->other_entries.empty()) uses.clear();
  std::ranges::move(unused(uses, anchors, tree->source().get()), std::back_inserter(out.diagnostics));
  for (text::Diagnostic& d : out.diagnostics) {
    leave_prelude(d, anchors);
    d.fails = d.severity == text::Severity::Error;
    if (options.deny_fallback && d.code == dispatch::code::kFallback) d.severity = text::Severity::Error;
  }
  silence(*tree, out.diagnostics, anchors);
  auto key = [&](const text::Diagnostic& d) {
    text::Anchors::Place place = anchors.resolve(d.span);
    return std::tuple(place.source != tree->source().get(), place.begin, place.end, d.code,
                      std::string_view(d.message));
  };
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                   [&](const text::Diagnostic& a, const text::Diagnostic& b) { return key(a) < key(b); });
  // Several entries of one kernel text find the same causes.
  auto same = [&](const text::Diagnostic& a, const text::Diagnostic& b) { return key(a) == key(b); };
  out.diagnostics.erase(std::unique(out.diagnostics.begin(), out.diagnostics.end(), same), out.diagnostics.end());
  script::forget_values(*out.evaluation);
  auto kernel = out.kernels.begin();
  for (const script::Entry& entry : out.evaluation->entries) {
    for (const script::KernelValue* value : entry.kernels) kernel++->value = value;
  }
  return out;
}

}  // namespace tilewright::session
