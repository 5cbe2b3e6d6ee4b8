#include "compiler/session/comments.h"

#include <algorithm>
#include <array>
#include <string>

#include "compiler/cuda/codes.h"
#include "compiler/dispatch/codes.h"
#include "compiler/ir/target.h"
#include "compiler/lower/codes.h"
#include "compiler/scope/codes.h"
#include "compiler/script/codes.h"
#include "compiler/session/codes.h"
#include "compiler/session/silence.h"
#include "compiler/text/nearest.h"

namespace tilewright::session {
namespace {

constexpr CommentWord kWords[] = {
    {"arch", "arch sm_90a", "arch sm_90a sm_100a", "The architectures that the script is compiled for."},
    {"dialect", "dialect 0.27", "dialect 0.25", "The release of the dialect that the script is written in."},
    {"entry", "entry make(128, 64)", "entry make(shape=(128, 64))",
     "A kernel to compile: an expression of the module."},
    {"ignore", "ignore[TW3106]", "ignore[CODE, ...]",
     "Findings on this line that are meant as they are. None that fails a kernel; one of the simulator with a reason, "
     "ignore[TW5020: why it is right]."},
    {"reference", "reference expected(...)", "reference expected(ROWS)",
     "What `run` compares with: the kernel that it expects, or python:FUNCTION, which computes it in Python."},
    {"run", "run copy n=128", "run ENTRY reference=expected A=random(seed=7) B=poison n=100 repeat=20",
     "What `run` does with a kernel: its inputs, what is expected, how often."},
    {"sequence", "sequence encode then consume", "sequence encode then consume",
     "Kernels that run in turn, on the same tensors."},
    {"tune", "tune BM=64,128 STAGES=2..6 if BM * STAGES <= 512", "tune NAME=VALUE,VALUE NAME=FIRST..LAST if CONDITION",
     "The settings that `tune` tries, in the place of the * of an entry."},
    {"tvm", "tvm=0.27", "", "The same as dialect."},
};

constexpr std::string_view kSpaces = " \t";

// The codes that a line can be told. Those of runs and of NVIDIA's compiler have tables of their own, which are not
// looked at here.
bool may_be_code(std::string_view code) {
  auto in = [&](std::span<const text::CodeInfo> table) {
    return std::ranges::any_of(table, [&](const text::CodeInfo& info) { return info.code == code; });
  };
  if (code.size() != 6 || !code.starts_with("TW")) return false;
  if (code[2] == '5' || code[2] == '6') return true;
  return in(script::code::table()) || in(kCodes) || in(scope::kCodes) || in(dispatch::kCodes) || in(lower::kCodes) ||
         in(cuda::kCodes);
}

// The architecture that an unknown word may mean; empty if none is near. Of a number that exists the
// specific code is meant most often, for that is what these scripts use.
std::string meant_target(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::pair<std::string_view, std::string_view> kKnownAs[] = {
      {"turing", "sm_75"}, {"ampere", "sm_80"}, {"a100", "sm_80"},        {"ada", "sm_89"},    {"hopper", "sm_90a"},
      {"h100", "sm_90a"},  {"h200", "sm_90a"},  {"blackwell", "sm_100a"}, {"b200", "sm_100a"}, {"b300", "sm_103a"}};
  for (const auto& [name, target] : kKnownAs) {
    if (lower == name) return std::string(target);
  }
  text::Nearest near(lower);
  std::vector<std::string> names;
  for (bool specific : {true, false}) {
    for (ir::Target target : ir::known_targets()) {
      if ((target.suffix == 'a') == specific && target.at_least(75)) names.push_back(target.name());
    }
  }
  const std::string prefixed = "sm_" + lower;
  for (const std::string& name : names) near.consider(name);
  std::string found(ir::parse_target(prefixed) ? std::string_view(prefixed) : near.found());
  if (!found.empty() && ir::parse_target(found + "a") && ir::parse_target(found)->at_least(90)) found += "a";
  return found;
}

class Reader {
 public:
  Reader(const syntax::Tree& tree, text::Anchors& anchors) : tree_(tree), anchors_(anchors) {}

  std::vector<text::Diagnostic> take() && { return std::move(found_); }

  void read(const syntax::Directive& d) {
    directive_ = &d;
    std::size_t end = d.text.find_first_of(" \t[=");
    const std::string_view word = d.text.substr(0, end);
    const std::string_view after = d.text.substr(word.size());
    std::string_view rest = after;
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpaces), rest.size()));
    if (std::ranges::find(kWords, word, &CommentWord::word) == std::end(kWords)) return unknown_word(word);
    if (word == "ignore") return codes(rest);
    if (word == "tvm" && !after.starts_with('=')) return missing(word, "=0.27");
    if (word == "arch") return architectures(word, rest);
    if (rest.empty() && word != "dialect" && word != "tvm" && word != "run") missing(word, "an expression");
  }

 private:
  text::Diagnostic& report(std::string_view at, text::Severity severity, std::string message) {
    const auto offset = static_cast<std::uint32_t>(at.data() - tree_.source()->text().data());
    text::Diagnostic& d = found_.emplace_back();
    d.code = code::kComment;
    d.severity = severity;
    d.message = std::move(message);
    d.span = {anchors_.add(tree_.source(), offset), 0, static_cast<std::uint32_t>(at.size())};
    return d;
  }
  static void suggest(text::Diagnostic& d, std::string_view name, std::string otherwise) {
    if (name.empty()) {
      d.hint = std::move(otherwise);
      return;
    }
    d.hint = "did you mean " + std::string(name) + "?";
    d.fix = {text::Fix::Kind::Replace, "Change to " + std::string(name), std::string(name)};
  }

  void unknown_word(std::string_view word) {
    const std::string_view at = word.empty() ? directive_->text : word;
    text::Nearest near(word, text::Nearest::Among::Few);
    std::string all;
    for (const CommentWord& w : kWords) {
      near.consider(w.word);
      all += (all.empty() ? "" : ", ") + std::string(w.word);
    }
    text::Diagnostic& d =
        report(at.empty() ? tree_.source()->text().substr(directive_->offset, 1) : at, text::Severity::Warning,
               word.empty() ? "this comment says nothing"
                            : "'" + std::string(word) + "' means nothing in a comment to Tilewright");
    suggest(d, near.found(), "the first word is one of " + all);
  }

  void missing(std::string_view word, std::string_view what) {
    report(word, text::Severity::Warning, "'" + std::string(word) + "' says nothing without " + std::string(what));
    const auto found = std::ranges::find(kWords, word, &CommentWord::word);
    found_.back().hint = "for example # tilewright: " + std::string(found->example);
  }

  void architectures(std::string_view word, std::string_view rest) {
    const std::vector<std::string_view> names = words_of_comment(rest);
    if (names.empty()) return missing(word, "an architecture");
    for (std::string_view name : names) {
      if (ir::parse_target(name)) continue;
      text::Diagnostic& d = report(name, text::Severity::Error, "there is no architecture '" + std::string(name) + "'");
      suggest(d, meant_target(name), "for example sm_80, sm_90a, sm_100a, sm_103a, sm_120a");
    }
  }

  void codes(std::string_view rest) {
    if (!rest.starts_with('[')) {
      if (rest.empty() || rest.starts_with('#')) return;
      text::Diagnostic& d =
          report(rest, text::Severity::Warning, "codes stand in brackets; this silences the whole line");
      d.hint = "for example # tilewright: ignore[TW3106]";
      return;
    }
    const std::size_t close = closing_bracket(rest, 0);
    if (close == std::string_view::npos) {
      text::Diagnostic& d = report(rest.substr(0, 1), text::Severity::Warning, "this bracket is not closed");
      d.hint = "for example # tilewright: ignore[TW3106]";
      return;
    }
    const std::vector<IgnoredCode> named = ignored_codes(rest);
    if (named.empty()) {
      report(rest.substr(0, close + 1), text::Severity::Warning, "no code is named here, so nothing is silenced");
      found_.back().hint = "for example # tilewright: ignore[TW3106]";
    }
    for (const IgnoredCode& one : named) one_code(one);
  }

  void one_code(const IgnoredCode& one) {
    const std::string name(one.code);
    if (may_be_code(name)) {
      if (!needs_reason(name) || !one.reason.empty()) return;
      report(one.code, text::Severity::Warning,
             name + " is a finding of the simulator and is silenced with a reason only; none is given, so it stays");
      found_.back().hint = "write why it is right: # tilewright: ignore[" + name + ": reason]";
      return;
    }
    report(one.code.empty() ? directive_->text : one.code, text::Severity::Warning, "there is no diagnostic " + name);
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    suggest(found_.back(), may_be_code(upper) ? std::string_view(upper) : std::string_view(),
            "`tilewright check` names the code of what it finds");
  }

  const syntax::Tree& tree_;
  text::Anchors& anchors_;
  const syntax::Directive* directive_ = nullptr;
  std::vector<text::Diagnostic> found_;
};

}  // namespace

std::span<const CommentWord> comment_words() { return kWords; }

std::vector<std::string_view> words_of_comment(std::string_view text) {
  std::vector<std::string_view> out;
  text = text.substr(0, text.find('#'));
  constexpr std::string_view kBetween = " \t,";
  constexpr std::size_t kMostWords = 1000;  // of a comment
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty() || out.size() >= kMostWords) return out;
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    out.push_back(word);
    text.remove_prefix(word.size());
  }
}

std::vector<text::Diagnostic> misread_comments(const syntax::Tree& tree, text::Anchors& anchors) {
  if (tree.directives().empty()) return {};
  Reader reader(tree, anchors);
  for (const syntax::Directive& d : tree.directives()) reader.read(d);
  return std::move(reader).take();
}

}  // namespace tilewright::session
