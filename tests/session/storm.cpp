// Random edits of a script through a session, each result held against an analysis from scratch.
//
//   edit_storm SCRIPT EDITS SEED
//
// Some analyses are stopped on their way, as an editor stops those that the next keystroke makes useless; nothing that
// they left may be found later.
//
// Compares all diagnostics with their places, the entries, and of each kernel its printed form, dispatch report, launch
// and CUDA text. A difference is printed with the seed, the number of the edit and both texts; the exit status is 1.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "compiler/ir/printer.h"
#include "compiler/session/session.h"

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

// Everything that somebody outside could see of a compiled script.
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

class Editor {
 public:
  Editor(std::string text, unsigned seed) : text_(std::move(text)), original_(text_), random_(seed) {}

  // One change, of the kinds that people make and of those that only trouble makes.
  session::Change next() {
    std::size_t size = text_.size();
    switch (below(20)) {
      case 0: return insert(below(size + 1), std::string(1, "()[]{}:,.'\"\\#\n \tax0@*="[below(22)]));
      case 1: return erase(below(size + 1), 1 + below(3));
      case 2: return insert(line_start(), "\n");
      case 3: return insert(line_start(), "# a comment\n");
      case 4: {
        std::size_t at = line_start();
        return erase(at, line_end(at) - at);
      }
      case 5: {
        std::size_t at = line_start();
        return insert(at, text_.substr(at, line_end(at) - at));
      }
      case 6: {  // a top-level statement once more, there or elsewhere
        auto [begin, end] = statement();
        return insert(below(2) ? begin : statement().first, text_.substr(begin, end - begin));
      }
      case 7: {
        auto [begin, end] = statement();
        return erase(begin, end - begin);
      }
      case 8:
      case 9:
      case 10:
      case 11: {  // another number
        std::size_t at = text_.find_first_of("0123456789", below(size + 1));
        if (at == std::string::npos) return insert(size, "\n");
        return replace(at, 1, std::to_string(below(10)));
      }
      case 12:
      case 13: {  // another name of the script
        auto [begin, end] = word();
        auto [from, to] = word();
        return replace(begin, end - begin, text_.substr(from, to - from));
      }
      case 14: return insert(below(size + 1), below(2) ? "\"\"\"" : "(");
      case 15: {
        std::size_t at = line_start();
        std::size_t indent = text_.find_first_not_of(' ', at);
        std::string kept = indent == std::string::npos ? "" : text_.substr(at, indent - at);
        static const char* const kLines[] = {"x = 1\n",      "LOG.append(1)\n",     "global COUNT; COUNT = 3\n",
                                             "return\n",     "y: T.int32 = lane\n", "pass\n",
                                             "unknown(x)\n", "raise ValueError\n"};
        return insert(at, kept + kLines[below(8)]);
      }
      case 16: return {0, static_cast<std::uint32_t>(size), original_};
      default:  // most edits of a broken script are repairs
        if (past_.empty()) return insert(line_start(), "\n");
        return {0, static_cast<std::uint32_t>(size),
                past_[past_.size() - 1 - below(std::min<std::size_t>(past_.size(), 3))]};
    }
  }

  void apply(const session::Change& c) {
    past_.push_back(text_);
    if (past_.size() > 4) past_.erase(past_.begin());
    text_.replace(c.begin, c.end - c.begin, c.text);
    if (text_.size() > 2 * original_.size() + 1000) text_ = original_;  // the caller reads text() anew
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t below(std::size_t n) { return n ? random_() % n : 0; }
  session::Change replace(std::size_t at, std::size_t count, std::string by) {
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(std::min(at + count, text_.size())),
            std::move(by)};
  }
  session::Change insert(std::size_t at, std::string what) { return replace(at, 0, std::move(what)); }
  session::Change erase(std::size_t at, std::size_t count) { return replace(at, count, ""); }
  std::size_t line_start() {
    std::size_t at = text_.rfind('\n', below(text_.size() + 1));
    return at == std::string::npos ? 0 : at + 1;
  }
  std::size_t line_end(std::size_t at) const {
    std::size_t end = text_.find('\n', at);
    return end == std::string::npos ? text_.size() : end + 1;
  }
  std::pair<std::size_t, std::size_t> statement() {
    std::size_t begin = text_.find("\n\n\n", below(text_.size() + 1));
    if (begin == std::string::npos) return {0, 0};
    begin += 3;
    std::size_t end = text_.find("\n\n\n", begin);
    return {begin, end == std::string::npos ? text_.size() : end + 3};
  }
  std::pair<std::size_t, std::size_t> word() {
    auto letter = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_'; };
    std::size_t at = below(text_.size());
    while (at < text_.size() && !letter(at)) ++at;
    std::size_t begin = at, end = at;
    while (begin > 0 && letter(begin - 1)) --begin;
    while (end < text_.size() && letter(end)) ++end;
    return {begin, end};
  }

  std::string text_, original_;
  std::vector<std::string> past_;
  std::mt19937 random_;
};

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
      session::Change change = editor.next();
      std::string wanted = editor.text();
      wanted.replace(change.begin, change.end - change.begin, change.text);
      editor.apply(change);
      snapshot = sessions.change(path, {change}, edit);
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
    std::string now, fresh;
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
