// Random edits of a script through a session, each result held against an analysis from scratch.
//
//   edit_storm SCRIPT EDITS SEED
//
// Some analyses are stopped on their way, as an editor stops those that the next keystroke makes useless; nothing that
// they left may be found later.
//
// Compares all diagnostics with their places, the entries, and of each kernel its printed form, dispatch report, launch
// and CUDA text. A difference is printed with the seed, the number of the edit and both texts; the exit status is 1.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <tuple>

#include "compiler/ir/printer.h"
#include "compiler/session/session.h"
#include "tests/session/editor.h"

using namespace tilewright;

namespace {

// `import storm_helpers` finds this text in place of a file.
class Helpers : public script::Loader {
 public:
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
    if (module != "storm_helpers") return nullptr;
    if (!tree_) {
      tree_ = syntax::Tree::parse(
          std::make_shared<text::Source>("storm_helpers.py",
                                         "WIDTH = 8\nNAMES = []\n\ndef twice(x):\n    return x * 2\n\ndef note(x):\n"
                                         "    NAMES.append(x)\n    return len(NAMES)\n"));
    }
    return tree_;
  }

 private:
  std::shared_ptr<const syntax::Tree> tree_;
};

std::string place(text::Span span, const text::Anchors& anchors) {
  text::Anchors::Place at = anchors.resolve(span);
  if (!at.source) return "nowhere";
  return at.source->path() + ":" + std::to_string(at.begin) + "-" + std::to_string(at.end);
}

std::string told(const text::Diagnostic& d, const text::Anchors& anchors) {
  std::string out = std::string(d.code) + " " + std::to_string(static_cast<int>(d.severity)) + " " +
                    place(d.span, anchors) + ": " + d.message + " | " + d.hint;
  for (const text::Related& r : d.related) out += " | " + place(r.span, anchors) + " " + r.message;
  for (text::Span s : d.chain) out += " < " + place(s, anchors);
  return out + "\n";
}

// Everything that can be seen of a compiled script from outside.
std::string description(const session::Compiled& c) {
  const text::Anchors& anchors = c.evaluation->anchors;
  std::string out;
  for (const text::Diagnostic& d : c.diagnostics) out += told(d, anchors);
  for (const script::Entry& e : c.evaluation->entries) {
    out += "entry " + std::string(script::entry_kind_name(e.kind)) + " " + e.expression + " " + place(e.span, anchors) +
           " " + std::to_string(e.kernels.size()) + "\n";
  }
  for (const script::Factory& f : c.evaluation->open_factories) {
    out += "open " + f.signature + " " + place(f.span, anchors) + "\n";
  }
  for (const session::CompiledKernel& k : c.kernels) {
    ArenaScope arena(*k.value->kernel.arena);
    out += "kernel " + std::string(k.value->kernel.name) + " " + place(k.value->kernel.span, anchors) +
           (k.failed ? " failed" : "") + "\n";
    out += ir::print_script(k.value->kernel);
    for (const dispatch::CallReport& call : k.dispatched->calls) {
      out += "call " + place(call.call->origin.span, anchors) + " " + std::string(call.call->primitive) + " -> " +
             std::string(call.variant) + " " + call.summary + "\n";
      for (const ir::CallSite* s = call.call->origin.chain; s; s = s->outer)
        out += "  from " + place(s->span, anchors) + "\n";
      for (const dispatch::Trial& t : call.trials) {
        out += "  " + std::string(t.variant) + " " + std::string(dispatch::outcome_name(t.outcome)) + " " + t.reason +
               "\n";
      }
    }
    if (k.cuda) {
      out += k.cuda->text;
      for (const cuda::LineOrigin& l : k.cuda->lines) {
        out += std::to_string(l.line) + " " + place(l.origin.span, anchors) + "\n";
      }
    }
  }
  return out;
}

// The same of what its names stand for.
std::string description(const session::SymbolIndex& index) {
  std::string out;
  auto symbol = [&](std::uint32_t i) {
    const session::Symbol& s = index.symbols[i];
    return std::string(s.name) + " " + std::to_string(static_cast<int>(s.kind)) + " " + std::to_string(s.scope) + " " +
           std::to_string(s.statement) + (s.node ? " n" : "") + (s.value ? " v" : "") + (s.type ? " t" : "");
  };
  for (const session::ScopeRange& s : index.scopes) {
    out += "scope " + std::to_string(s.begin) + "-" + std::to_string(s.end) + " in " + std::to_string(s.parent) + "\n";
  }
  for (const session::Occurrence& o : index.occurrences) {
    out += std::to_string(o.begin) + "-" + std::to_string(o.end) + " " + std::to_string(static_cast<int>(o.role)) +
           " " + symbol(o.symbol) + "\n";
  }
  for (std::uint32_t i = 0; i < index.symbols.size(); ++i) {
    out += symbol(i) + ":";
    for (std::uint32_t o : index.symbols[i].occurrences) out += " " + std::to_string(o);
    out += "\n";
  }
  return out;
}

// What the names of a script mean from a place, by an index of what stands around it and by one of everything. Empty:
// the same.
std::string differs_around(const std::shared_ptr<const syntax::Tree>& tree) {
  constexpr std::size_t kPlaces = 60, kNames = 12;
  const session::SymbolIndex whole = session::index_symbols(tree);
  // The expressions of comments are read again for each index.
  auto told_of = [&](const session::Symbol* s) {
    const bool of_script = s && s->statement < tree->statements().size();
    return std::tuple(s != nullptr, s ? s->kind : session::SymbolKind{}, s ? s->statement : 0,
                      of_script ? s->node : nullptr, of_script ? s->value : nullptr);
  };
  const std::size_t all = whole.occurrences.size(), step = std::max<std::size_t>(1, all / kPlaces);
  for (std::size_t i = 0; i < all; i += step) {
    const session::Occurrence& here = whole.occurrences[i];
    for (std::uint32_t offset : {here.begin, here.end, here.begin + 7}) {
      const session::SymbolIndex around = session::index_symbols_around(tree, offset);
      for (std::size_t n = 0; n < kNames; ++n) {
        const std::string_view name = whole.symbols[whole.occurrences[(i + n * n) % all].symbol].name;
        const session::Symbol* found = around.lookup(name, around.scope_at(offset));
        const session::Symbol* right = whole.lookup(name, whole.scope_at(offset));
        if (told_of(found) != told_of(right)) return std::string(name) + " is another one at " + std::to_string(offset);
      }
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: edit_storm SCRIPT EDITS SEED\n", stderr), 2;
  std::ifstream in(argv[1]);
  std::stringstream read;
  read << in.rdbuf();
  if (!in || read.str().empty()) return std::fprintf(stderr, "cannot read %s\n", argv[1]), 2;
  int edits = std::atoi(argv[2]);
  auto seed = static_cast<unsigned>(std::atoi(argv[3]));

  auto helpers = std::make_shared<Helpers>();
  session::Session sessions([&](const std::string&) { return helpers; });
  auto settings = std::make_shared<session::Settings>();
  settings->limits.steps = 200'000;  // runaway loops of random edits end soon
  settings->limits.memory_bytes = 64u << 20;
  Editor editor(read.str(), seed);
  const std::string path = "storm.py";
  auto snapshot = sessions.open(path, editor.text(), 0, settings);
  std::size_t made = 0, reused = 0;
  for (int edit = 0; edit <= edits; ++edit) {
    if (edit > 0) {
      Change change = editor.next();
      std::string wanted = editor.text();
      wanted.replace(change.begin, change.end - change.begin, change.text);
      editor.apply(change);
      // Said as one edit, or found by comparing.
      const auto by = static_cast<std::uint32_t>(change.text.size());
      if (edit % 4 == 0) {
        snapshot = sessions.change(path, wanted, edit);
      } else {
        snapshot = sessions.change(
            path, std::make_shared<text::Source>(snapshot->source(), change.begin, change.end, change.text),
            {change.begin, change.end, change.begin + by}, edit);
      }
      if (editor.text() != wanted) snapshot = sessions.open(path, editor.text(), edit, settings);
    }
    if (edit % 3 == 2) {
      std::stop_source stop;
      std::jthread hurry([&, wait = (edit * 37) % 1500] {
        std::this_thread::sleep_for(std::chrono::microseconds(wait));
        stop.request_stop();
      });
      snapshot->analyse(stop.get_token());
      if (edit % 2) continue;  // the next keystroke was there first
    }
    auto analysis = snapshot->analyse({});
    made += analysis->kernels_made;
    reused += analysis->kernels_reused;
    session::CompileOptions options;
    text::Context context;
    context.limits = settings->limits;
    auto tree = syntax::Tree::parse(std::make_shared<text::Source>(path, editor.text()));
    if (auto other = differs_around(tree); !other.empty()) {
      std::printf("seed %u, edit %d: around one place %s\n--- script\n%s\n", seed, edit, other.c_str(),
                  editor.text().c_str());
      return 1;
    }
    std::string now = description(snapshot->symbols()), fresh = description(session::index_symbols(tree));
    for (const session::Compiled& c : analysis->compiled) {  // one an architecture
      options.target = c.target;
      now += description(c);
      fresh += description(session::compile(tree, helpers.get(), context, options));
    }
    if (now == fresh) continue;
    std::printf(
        "seed %u, edit %d: the session differs from an analysis from scratch\n--- script\n%s\n--- session\n%s\n"
        "--- from scratch\n%s\n",
        seed, edit, editor.text().c_str(), now.c_str(), fresh.c_str());
    return 1;
  }
  std::printf("%d edits of %s: no difference; %zu kernels evaluated, %zu reused\n", edits, argv[1], made, reused);
  // A session that never reuses would pass as well.
  if (reused < made / 4) return std::fputs("hardly anything was reused\n", stderr), 1;
  return 0;
}
