#include "compiler/session/run_comments.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/session/codes.h"
#include "compiler/text/nearest.h"

namespace tilewright::session {
namespace {

constexpr RunOption kOptions[] = {
    {"reference", "reference=expected(...)",
     "An entry whose kernel computes what is expected, of the same tensors; or python:FUNCTION, in Python."},
    {"expected.", "expected.B=file.npy", "What a tensor should hold afterwards."},
    {"expected", "expected=unordered(B)",
     "Tensors whose elements may come in any order; unordered(out[0:count]): those of a part, and nothing of the "
     "rest."},
    {"rtol", "rtol=1e-3", "Relative tolerance."},
    {"atol", "atol=1e-5", "Absolute tolerance."},
    {"repeat", "repeat=20", "Timed launches, on a GPU."},
    {"warmup", "warmup=3", "Launches before the timed ones."},
    {"schedules", "schedules=20", "Orders of asynchronous work that the simulator tries."},
    {"seed", "seed=7", "Of random inputs that have none of their own; or secret."},
};
constexpr std::string_view kExpected = "expected.", kInput = "input.";

class Reader {
 public:
  explicit Reader(std::vector<MisreadWord>& wrong) : wrong_(wrong) {}

  RunSettings read(const syntax::RunComment& comment) {
    std::set<std::string_view> seen;
    for (const syntax::RunComment::Setting& s : comment.settings) {
      if (s.value.empty()) {
        wrong_.push_back({s.name, "'" + std::string(s.name) + "=' has no value", {}, "for example " + example(s.name)});
      } else if (!seen.insert(s.name).second) {
        wrong_.push_back({s.name, "'" + std::string(s.name) + "' is said twice", {}, {}});
      } else {
        setting(s.name, s.value);
      }
    }
    for (std::string_view word : comment.stray) alone(word);
    return std::move(out_);
  }

 private:
  static std::string example(std::string_view name) {
    for (const RunOption& o : kOptions) {
      if (o.name == name) return std::string(o.example);
    }
    return std::string(name) + "=random(seed=7)";
  }

  void setting(std::string_view name, std::string_view value) {
    if (name == "reference") {
      if (is_file(value) && !value.starts_with("python:"))
        wrong_.push_back(
            {value, "an array is expected of one tensor", {}, "write expected.NAME=" + std::string(value)});
      else
        out_.reference = std::string(value);
    } else if (name == "expected") {
      unordered(value);
    } else if (name.starts_with(kExpected)) {
      contents(name.substr(kExpected.size()), value, out_.expected);
    } else if (name.starts_with(kInput)) {
      contents(name.substr(kInput.size()), value, out_.given);
    } else if (name == "rtol" || name == "atol") {
      auto number = inputs::parse_number(value);
      if (!number || !(number->as_double() >= 0)) return want(value, name, "a number of at least 0");
      (name == "rtol" ? out_.relative : out_.absolute) = number->as_double();
    } else if (name == "repeat") {
      whole(name, value, 0, 10000, out_.repeats);
    } else if (name == "warmup") {
      whole(name, value, 0, 1000, out_.warmups);
    } else if (name == "schedules") {
      whole(name, value, 1, 10000, out_.schedules);
    } else if (name == "seed") {
      auto number = inputs::parse_number(value);
      out_.secret_seed = value == "secret";
      if (out_.secret_seed) return;
      if (!number || number->real || number->integer < 0) return want(value, name, "a whole number, or secret");
      out_.seed = static_cast<std::uint64_t>(number->integer);
    } else if (const std::size_t dot = name.find('.'); dot != name.npos) {
      suggest({name.substr(0, dot), "'" + std::string(name) + "' is no setting", {}, "expected.NAME=... is one"},
              {"expected", "input"});
    } else {
      contents(name, value, out_.given);
    }
  }

  // "unordered(A, out[0:count])"
  void unordered(std::string_view value) {
    constexpr std::string_view kWord = "unordered(";
    if (!value.starts_with(kWord) || !value.ends_with(')'))
      return want(value, "expected",
                  "unordered(NAME, ...) or unordered(NAME[0:count]): elements that may come in any order");
    std::string_view names = value.substr(kWord.size(), value.size() - kWord.size() - 1);
    while (!names.empty()) {
      const std::size_t comma = std::min(names.find(','), names.size());
      if (const std::string_view name = trimmed(names.substr(0, comma)); !name.empty()) one_unordered(name);
      names.remove_prefix(std::min(comma + 1, names.size()));
    }
  }

  static std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  // "B", "out[0:count]", "out[:n]".
  void one_unordered(std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == text.npos) return out_.unordered.push_back({text, {}, {}});
    const std::size_t colon = text.find(':', open);
    if (!text.ends_with(']') || colon == text.npos)
      return want(text, "expected", "a part as NAME[FROM:TO], of the first dimension");
    std::string_view from = trimmed(text.substr(open + 1, colon - open - 1));
    const std::string_view to = trimmed(text.substr(colon + 1, text.size() - colon - 2));
    if (from.empty()) from = "0";
    if (to.empty()) return out_.unordered.push_back({text.substr(0, open), {}, {}});
    out_.unordered.push_back({trimmed(text.substr(0, open)), from, to});
  }

  void contents(std::string_view name, std::string_view value, std::vector<RunSettings::Contents>& to) {
    RunSettings::Contents c{name, value, {}, {}};
    if (is_file(value)) {
      c.file = std::string(value);
      if (c.file.front() == '"' || c.file.front() == '\'') c.file = c.file.substr(1, c.file.size() - 2);
    } else {
      auto fill = inputs::parse_fill(value);
      if (!fill) {
        const inputs::FillError& e = fill.error();
        text::Nearest near(name, text::Nearest::Among::Few);
        for (const RunOption& o : kOptions) near.consider(o.name);
        if (e.meant.empty() && !near.found().empty() && &to == &out_.given)
          return wrong_.push_back({name, "'" + std::string(name) + "' is no setting", std::string(near.found()), {}});
        wrong_.push_back({e.at, e.message, e.meant, "for example " + std::string(name) + "=random(seed=7)"});
        return;
      }
      if (&to == &out_.expected && fill->kind == inputs::Fill::Kind::Poison)
        wrong_.push_back({value, "poison is not a value to expect", {}, {}});
      c.fill = std::move(*fill);
      c.number = inputs::parse_number(value);
    }
    to.push_back(std::move(c));
  }

  static bool is_file(std::string_view value) {
    return value.ends_with(".npy") || value.ends_with(".npy\"") || value.ends_with(".npy'");
  }

  void want(std::string_view at, std::string_view name, std::string_view what) {
    wrong_.push_back(
        {at, "'" + std::string(name) + "' takes " + std::string(what), {}, "for example " + example(name)});
  }

  void whole(std::string_view name, std::string_view value, std::int64_t least, std::int64_t most,
             std::optional<int>& to) {
    auto number = inputs::parse_number(value);
    if (!number || number->real || number->integer < least || number->integer > most)
      return want(value, name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    to = static_cast<int>(number->integer);
  }

  void suggest(MisreadWord word, std::initializer_list<std::string_view> names) {
    text::Nearest near(word.at, text::Nearest::Among::Few);
    for (std::string_view name : names) near.consider(name);
    word.meant = std::string(near.found());
    wrong_.push_back(std::move(word));
  }

  void alone(std::string_view word) {
    const std::string_view name = word.substr(0, word.find_first_of("(["));
    text::Nearest near(name, text::Nearest::Among::Few);
    for (const RunOption& o : kOptions) near.consider(o.name);
    const std::string_view known = near.found().empty() ? std::string_view("NAME") : near.found();
    wrong_.push_back({word,
                      "'" + std::string(word) + "' stands alone: settings are written NAME=VALUE",
                      {},
                      "for example " + example(known == "NAME" ? "A" : known)});
  }

  std::vector<MisreadWord>& wrong_;
  RunSettings out_;
};

// The names that settings of some kernels can have.
struct Names {
  std::set<std::string_view> tensors, numbers;
};
Names names_of(std::span<const ir::Kernel* const> kernels) {
  Names out;
  for (const ir::Kernel* k : kernels) {
    for (const ir::Param& p : k->params) {
      if (p.buffer) {
        out.tensors.insert(p.buffer->name);
        for (ir::Expr extent : p.buffer->shape)
          ir::walk(extent, [&](ir::Expr e) {
            if (const auto* var = e.as<ir::Var>()) out.numbers.insert(var->name);
            return true;
          });
      } else if (p.var) {
        (p.var->dtype.is_handle() ? out.tensors : out.numbers).insert(p.var->name);
      }
    }
  }
  return out;
}

std::string listed(const std::set<std::string_view>& names) {
  std::string out;
  for (std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out.empty() ? "none" : out;
}

std::string without_blanks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

bool defines(const syntax::Tree& tree, std::string_view name) {
  return tree.source()->text().find("def " + std::string(name) + "(") != std::string_view::npos;
}

}  // namespace

std::span<const RunOption> run_options() { return kOptions; }

RunSettings read_run_comment(const syntax::RunComment& comment, std::vector<MisreadWord>& wrong) {
  return Reader(wrong).read(comment);
}

void check_run_names(const RunSettings& settings, std::span<const ir::Kernel* const> kernels,
                     std::vector<MisreadWord>& wrong) {
  const Names names = names_of(kernels);
  auto unknown = [&](std::string_view name, bool outputs) {
    text::Nearest near(name, text::Nearest::Among::Few);
    for (std::string_view n : names.tensors) near.consider(n);
    if (!outputs) {
      for (std::string_view n : names.numbers) near.consider(n);
      for (const RunOption& o : kOptions) near.consider(o.name);
    }
    std::string hint = "its tensors: " + listed(names.tensors);
    if (!outputs && !names.numbers.empty()) hint += "; scalars and extents: " + listed(names.numbers);
    wrong.push_back({name,
                     "`" + std::string(kernels.front()->name) + "` has no " + (outputs ? "tensor `" : "`") +
                         std::string(name) + "`",
                     std::string(near.found()), hint});
  };
  for (const RunSettings::Contents& c : settings.given) {
    const bool number = names.numbers.contains(c.name), tensor = names.tensors.contains(c.name);
    if (!number && !tensor) {
      unknown(c.name, false);
    } else if (number && !tensor && !c.number) {
      wrong.push_back(
          {c.value, "`" + std::string(c.name) + "` is a number", {}, "for example " + std::string(c.name) + "=128"});
    }
  }
  for (const RunSettings::Contents& c : settings.expected)
    if (!names.tensors.contains(c.name)) unknown(c.name, true);
  for (const RunSettings::Unordered& u : settings.unordered) {
    if (!names.tensors.contains(u.name)) unknown(u.name, true);
    for (std::string_view word : {u.from, u.to}) {
      const std::string_view bare = word.substr(0, word.find('['));
      const bool known = names.tensors.contains(bare) || names.numbers.contains(bare) || inputs::parse_number(word);
      if (!word.empty() && !known) unknown(bare, false);
    }
  }
}

namespace {

// Calls `with` for all that the script's run comments give the kernel, in their order.
template <class With>
void each_given(const CompiledKernel& kernel, const Compiled& compiled, const syntax::Tree& tree, const With& with) {
  for (const syntax::Directive& directive : tree.directives()) {
    const std::optional<syntax::RunComment> comment = syntax::run_comment(directive);
    if (!comment) continue;
    const auto kernels = kernels_of(directive, *comment, compiled.kernels, tree, compiled.evaluation->anchors);
    if (std::ranges::find(kernels, &kernel) == kernels.end()) continue;
    std::vector<MisreadWord> wrong;
    const RunSettings settings = read_run_comment(*comment, wrong);
    for (const RunSettings::Contents& c : settings.given) with(c);
  }
}

}  // namespace

std::map<std::string, inputs::Number, std::less<>> numbers_said(const CompiledKernel& kernel, const Compiled& compiled,
                                                                const syntax::Tree& tree) {
  std::map<std::string, inputs::Number, std::less<>> out;
  each_given(kernel, compiled, tree, [&](const RunSettings::Contents& c) {
    if (c.number) out.try_emplace(std::string(c.name), *c.number);
  });
  return out;
}

std::map<std::string, inputs::Fill, std::less<>> fills_said(const CompiledKernel& kernel, const Compiled& compiled,
                                                            const syntax::Tree& tree) {
  std::map<std::string, inputs::Fill, std::less<>> out;
  each_given(kernel, compiled, tree, [&](const RunSettings::Contents& c) {
    using Kind = inputs::Fill::Kind;
    const bool says = c.fill.kind == Kind::Arange || c.fill.kind == Kind::Value ||
                      (c.fill.kind == Kind::Random && (c.fill.low || c.fill.high));
    if (c.file.empty() && says) out.try_emplace(std::string(c.name), c.fill);
  });
  return out;
}

bool same_entry(std::string_view a, std::string_view b) { return a == b || without_blanks(a) == without_blanks(b); }

std::vector<const CompiledKernel*> kernels_of(const syntax::Directive& directive, const syntax::RunComment& comment,
                                              std::span<const CompiledKernel> kernels, const syntax::Tree& tree,
                                              const text::Anchors& anchors) {
  std::vector<const CompiledKernel*> out;
  auto add = [&](auto&& serves) {
    for (const CompiledKernel& k : kernels)
      if (serves(k)) out.push_back(&k);
  };
  for (std::string_view part : comment.kernels())
    add([&](const CompiledKernel& k) { return same_entry(k.entry->expression, part); });
  if (!out.empty() || comment.entry.find(" then ") != comment.entry.npos) return out;
  if (!comment.entry.empty()) {
    add([&](const CompiledKernel& k) {
      const std::string& entry = k.entry->expression;
      return k.value->kernel.name == comment.entry ||
             (entry.starts_with(comment.entry) && entry.substr(comment.entry.size()).starts_with('('));
    });
    return out;
  }
  // Of the statement that follows or encloses it.
  constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  std::uint32_t nearest = kNowhere, end = 0;
  for (const syntax::Tree::Statement& s : tree.statements()) {
    end = s.offset + static_cast<std::uint32_t>(s.node->text.size());
    if (end > directive.offset) break;
  }
  auto place = [&](const CompiledKernel& k) {
    const text::Anchors::Place at = anchors.resolve(k.value->kernel.span);
    const bool below = at.source == tree.source().get() && at.begin > directive.offset && at.begin < end;
    return below ? at.begin : kNowhere;
  };
  for (const CompiledKernel& k : kernels) nearest = std::min(nearest, place(k));
  if (nearest != kNowhere) add([&](const CompiledKernel& k) { return place(k) == nearest; });
  return out;
}

std::vector<text::Diagnostic> misread_runs(const syntax::Tree& tree, const Compiled& compiled, bool all,
                                           text::Anchors& anchors) {
  std::vector<text::Diagnostic> out;
  for (const syntax::Directive& directive : tree.directives()) {
    const std::optional<syntax::RunComment> comment = syntax::run_comment(directive);
    if (!comment) continue;
    std::vector<MisreadWord> wrong;
    const RunSettings settings = read_run_comment(*comment, wrong);
    const auto kernels = kernels_of(directive, *comment, compiled.kernels, tree, anchors);
    std::vector<const ir::Kernel*> values;
    for (const CompiledKernel* k : kernels) values.push_back(&k->value->kernel);
    if (std::ranges::any_of(kernels, &CompiledKernel::failed)) {
      // Its tensors and extents may be missing for the error that it has.
    } else if (!values.empty()) {
      check_run_names(settings, values, wrong);
    } else if (all && !comment->entry.empty() && comment->kernels().size() == 1 &&
               comment->entry.find('(') == std::string_view::npos && !defines(tree, comment->entry)) {
      text::Nearest near(comment->entry, text::Nearest::Among::Meant);
      for (const CompiledKernel& k : compiled.kernels) near.consider(k.entry->expression);
      for (const CompiledKernel& k : compiled.kernels) near.consider(k.value->kernel.name);
      wrong.push_back({comment->entry, "there is no entry '" + std::string(comment->entry) + "'",
                       std::string(near.found()), "`tilewright entries FILE` lists them"});
    }
    for (const MisreadWord& w : wrong) {
      text::Diagnostic& d = out.emplace_back();
      d.code = code::kComment;
      d.severity = text::Severity::Error;
      d.message = w.message;
      const auto offset = static_cast<std::uint32_t>(w.at.data() - tree.source()->text().data());
      d.span = {anchors.add(tree.source(), offset), 0, static_cast<std::uint32_t>(w.at.size())};
      d.hint = w.hint;
      if (w.meant.empty()) continue;
      d.hint = "did you mean " + w.meant + "?";
      d.fix = {text::Fix::Kind::Replace, "Change to " + w.meant, w.meant};
    }
  }
  return out;
}

}  // namespace tilewright::session
