#include "server/work/runnables.h"

#include <algorithm>
#include <iterator>

#include "compiler/session/run_comments.h"
#include "compiler/text/escape.h"

namespace tilewright::work {

std::string with_arguments(std::string reference, const std::string& entry) {
  constexpr std::string_view kSameArguments = "(...)";
  if (std::size_t open = entry.find('('); reference.ends_with(kSameArguments) && open != entry.npos)
    reference.replace(reference.size() - kSameArguments.size(), reference.npos, entry, open);
  return reference;
}

std::string reference_comment(const project::LoadedFile& file, const session::CompiledKernel& kernel,
                              const text::Anchors& anchors) {
  text::Anchors::Place at = anchors.resolve(kernel.value->kernel.span);
  std::string found;
  for (const syntax::Directive& d : file.tree->directives()) {
    if (!d.text.starts_with(kReference)) continue;
    bool above = at.source == file.source.get() && d.offset < at.begin;
    if (found.empty() || above) found = d.text.substr(kReference.size());
  }
  return with_arguments(std::move(found), kernel.entry->expression);
}

bool named_by_comment(const project::LoadedFile& file, const std::string& expression) {
  return std::ranges::any_of(file.tree->directives(), [&](const syntax::Directive& d) {
    if (d.text.starts_with(kReference)) return d.text.substr(kReference.size()) == expression;
    const auto run = syntax::run_comment(d);
    return run && std::ranges::any_of(run->settings, [&](const syntax::RunComment::Setting& s) {
             return s.name == "reference" && s.value == expression;
           });
  });
}

std::vector<RunDirective> run_comments(const project::LoadedFile& file) {
  std::vector<RunDirective> out;
  for (const syntax::Directive& d : file.tree->directives())
    if (auto run = syntax::run_comment(d)) out.push_back({&d, std::move(*run)});
  return out;
}

run::Failure only_references(const project::LoadedFile& file, const std::string& expression) {
  const std::string name = text::visible(expression);
  return {
      file.source->path() + " has no kernel to run: a comment names " + name + " as a reference",
      "a reference is another kernel, which computes what is expected; --entry '" + name + "' runs it nevertheless"};
}

Runnables entries_to_run(const project::LoadedFile& file, const std::stop_token& stop) {
  Runnables found;
  std::vector<Runnable>& out = found.entries;
  std::vector<std::string> parts;
  const std::vector<RunDirective> comments = run_comments(file);
  auto sequence = [&](std::string_view entry, std::optional<std::uint32_t> comment) {
    out.push_back({std::string(entry), comment});
    std::ranges::copy(kernels_in_turn(out.back().entry), std::back_inserter(parts));
  };
  for (const RunDirective& c : comments)
    if (c.run.kernels().size() > 1) sequence(c.run.entry, c.directive->offset);
  for (const syntax::Directive& d : file.tree->directives()) {
    if (!d.text.starts_with(kSequence)) continue;
    const std::string_view entry = d.text.substr(kSequence.size());
    if (std::ranges::none_of(out, [&](const Runnable& r) { return session::same_entry(r.entry, entry); }))
      sequence(entry, std::nullopt);
  }
  session::CompileOptions options = project::options_for(project::one_architecture(file), {});
  options.stage = session::Stage::Evaluate;
  found.evaluated = project::compile(file, options, stop);
  const session::Compiled& compiled = found.evaluated;
  for (const session::CompiledKernel& k : compiled.kernels) {
    const std::string& entry = k.entry->expression;
    if (k.entry->kind == script::EntryKind::Call) {  // no expression yields it again
      found.unnamed = true;
      continue;
    }
    if (std::ranges::find(out, entry, &Runnable::entry) != out.end()) continue;
    const std::size_t before = out.size();
    for (const RunDirective& c : comments) {
      if (c.run.kernels().size() > 1) continue;
      const auto spoken =
          session::kernels_of(*c.directive, c.run, compiled.kernels, *file.tree, compiled.evaluation->anchors);
      if (std::ranges::find(spoken, &k) != spoken.end()) out.push_back({entry, c.directive->offset});
    }
    const bool part = std::ranges::find(parts, entry) != parts.end();
    if (out.size() > before || part) continue;
    if (named_by_comment(file, entry)) {
      found.reference = entry;
    } else {
      out.push_back({entry, std::nullopt});
    }
  }
  if (!out.empty()) found.reference.clear();
  return found;
}

std::string text_of_comment(const project::LoadedFile& file, std::string_view word) {
  for (const syntax::Directive& d : file.tree->directives())
    if (d.text.starts_with(word)) return std::string(d.text.substr(word.size()));
  return {};
}

std::vector<std::string> kernels_in_turn(const std::string& entry) {
  constexpr std::string_view kThen = " then ";
  std::vector<std::string> out;
  std::size_t from = 0;
  auto take = [&](std::size_t to) {
    std::string part = entry.substr(from, to - from);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) out.push_back(std::move(part));
  };
  for (std::size_t at; (at = entry.find(kThen, from)) != entry.npos; from = at + kThen.size()) take(at);
  take(entry.size());
  return out;
}

}  // namespace tilewright::work
