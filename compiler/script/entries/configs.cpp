#include "compiler/script/entries/configs.h"

#include <algorithm>

#include "compiler/script/entries/finder.h"
#include "compiler/script/python/support.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

void ConfigEntries::find() {
  auto* made = finder_.e_.module->find("CONFIGS");
  auto* by = finder_.e_.module->find("get_kernel");
  if (!made || !by) return;
  Function* f = by->value.as<Function>();
  if (!f || f->mode != FunctionMode::Host) return;
  const List* list = made->value.as<List>();
  const Tuple* tuple = made->value.as<Tuple>();
  if (!list && !tuple) return;
  get_kernel_ = f;
  // Of a list that another file makes the place is that of the function.
  const text::Span function{f->anchor, f->def->name.at.begin, f->def->name.at.end};
  for (Value v : list ? list->items : tuple->items) configs_.push_back({v, nullptr, function});
  find_lines();
}

// Of each line the place where it is written: the last assignment holds.
void ConfigEntries::find_lines() {
  for (const syntax::Tree::Statement& s : finder_.e_.tree->statements()) {
    const syntax::Node *target = nullptr, *value = nullptr;
    if (auto* a = syntax::as<syntax::Assign>(s.node->statement)) {
      target = a->targets.empty() ? nullptr : a->targets.back();
      value = a->value;
    } else if (auto* a = syntax::as<syntax::AnnAssign>(s.node->statement)) {
      target = a->target;
      value = a->value;
    }
    auto* name = syntax::as<syntax::NameRef>(target);
    if (!name || name->name.text != "CONFIGS" || !value) continue;
    syntax::Exprs written;
    if (auto* l = syntax::as<syntax::List>(value)) written = l->elements;
    if (auto* t = syntax::as<syntax::Tuple>(value)) written = t->elements;
    const bool each = written.size() == configs_.size() && std::ranges::none_of(written, [](const syntax::Node* n) {
                        return syntax::as<syntax::Starred>(n);
                      });
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      const syntax::Node* at = each ? written[i] : target;
      configs_[i].node = each ? at : nullptr;
      configs_[i].span = {s.node->id, at->at.begin, at->at.end};
    }
  }
}

std::string ConfigEntries::missing_everywhere() const {
  std::string out;
  for (const syntax::Parameter& p : get_kernel_->def->params) {
    const bool by_name = p.kind == syntax::ParamKind::Positional || p.kind == syntax::ParamKind::KeywordOnly;
    if (!by_name || p.default_value) continue;
    const bool given = std::ranges::any_of(configs_, [&](const Config& c) {
      const Dict* d = c.value.as<Dict>();
      return !d || std::ranges::any_of(d->items, [&](auto& item) {
        const Str* key = item.first.template as<Str>();
        return key && key->text == p.name.text;
      });
    });
    if (!given) out += (out.empty() ? "'" : ", '") + std::string(p.name.text) + "'";
  }
  return out;
}

void ConfigEntries::run() {
  if (!configs_.empty()) missing_everywhere_ = missing_everywhere();
  for (std::size_t i = 0; i < configs_.size(); ++i) {
    if (std::ranges::find(finder_.e_.entries, config_text(i), &Entry::expression) != finder_.e_.entries.end()) continue;
    if (i > 0 && !finder_.options_.all_entries) {
      finder_.e_.other_entries.push_back({EntryKind::Configs, config_text(i), configs_[i].span, {}});
      continue;
    }
    const std::size_t told = finder_.e_.diagnostics.size(), entries = finder_.e_.entries.size();
    config(i, EntryKind::Configs, {});
    if (i > 0 && leaves_the_rest(i, told, entries)) return;
  }
}

bool ConfigEntries::leaves_the_rest(std::size_t i, std::size_t told, std::size_t entries) {
  std::vector<text::Diagnostic>& all = finder_.e_.diagnostics;
  const auto is_limit = [](const text::Diagnostic& d) { return d.code == code::kLimit; };
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(told);
  if (const auto limit = std::find_if(from, all.end(), is_limit); limit != all.end()) limit_ = limit->message;
  if (limit_.empty()) return false;
  all.erase(std::remove_if(from, all.end(), is_limit), all.end());
  finder_.e_.entries.erase(finder_.e_.entries.begin() + static_cast<std::ptrdiff_t>(entries), finder_.e_.entries.end());
  const std::size_t after = configs_.size() - i - 1;
  text::Diagnostic& d = all.emplace_back();
  d.code = code::kUnchecked;
  d.severity = text::Severity::Information;
  d.span = configs_[i].span;
  d.message = config_text(i) +
              (after > 0 ? " and the lines of CONFIGS after it, " + std::to_string(after + 1) + " in all, are"
                         : std::string(" is")) +
              " not checked: with those before, " + limit_;
  d.hint = "check one alone: --entry '" + config_text(i) + "', or raise the limit in tilewright.toml";
  for (std::size_t left = i; left < configs_.size(); ++left)
    finder_.e_.unchecked.push_back(
        {config_text(left), "with the lines of CONFIGS before it, " + limit_, configs_[left].span});
  return true;
}

bool ConfigEntries::run_listed(const std::string& text, EntryKind kind, text::Span span) {
  for (std::size_t i = 0; i < configs_.size(); ++i) {
    if (text != config_text(i)) continue;
    if (kind == EntryKind::Requested) finder_.seen_.clear();
    config(i, kind, span);
    return true;
  }
  return false;
}

const syntax::Parameter* ConfigEntries::parameter(std::string_view name) const {
  for (const syntax::Parameter& p : get_kernel_->def->params) {
    const bool by_name = p.kind == syntax::ParamKind::Positional || p.kind == syntax::ParamKind::KeywordOnly;
    if (by_name && p.name.text == name) return &p;
  }
  return nullptr;
}

void ConfigEntries::config(std::size_t i, EntryKind kind, text::Span span) {
  const Config& c = configs_[i];
  const Dict* line = c.value.as<Dict>();
  if (!line) {
    if (c.value.is_opaque() || c.value.is_poison()) return;
    return misfit(c.span, text::Severity::Error,
                  "a line of CONFIGS is a dict of arguments for get_kernel, not " + std::string(type_name(c.value)));
  }
  Given given = taken(c, *line);
  if (suffices(i, given)) call_config(i, kind, span, given.keywords);
}

ConfigEntries::Given ConfigEntries::taken(const Config& c, const Dict& line) {
  const bool takes_all = std::ranges::any_of(
      get_kernel_->def->params, [](const syntax::Parameter& p) { return p.kind == syntax::ParamKind::VarKeywords; });
  Given out;
  for (auto& [key, value] : line.items) {
    Str* s = key.as<Str>();
    if (!s) continue;
    const syntax::Parameter* p = parameter(s->text);
    const bool is_label = s->text == "label" && !(p && !p->default_value);
    if (!is_label && (p || takes_all))
      out.keywords.push_back({finder_.in_.keep(s->text), value, c.span});
    else if (!is_label)
      out.dropped.push_back(finder_.in_.keep(s->text));
  }
  return out;
}

bool ConfigEntries::suffices(std::size_t i, Given& given) {
  const Config& c = configs_[i];
  std::string missing;
  bool misspelt = false;
  for (const syntax::Parameter& p : get_kernel_->def->params) {
    if (parameter(p.name.text) != &p) continue;
    if (std::ranges::any_of(given.keywords, [&](const Keyword& k) { return k.name == p.name.text; })) continue;
    const auto wrong = std::ranges::find_if(given.dropped, [&](std::string_view key) {
      text::Nearest near(key);
      near.consider(p.name.text);
      return !near.found().empty();
    });
    const bool required = !p.default_value;
    if (wrong != given.dropped.end()) {
      misspelt = misspelt || required;
      misfit(key_span(c, *wrong), required ? text::Severity::Error : text::Severity::Warning,
             "get_kernel takes no '" + std::string(*wrong) + "'" +
                 (required ? ", and needs '" + std::string(p.name.text) + "'" : std::string()),
             std::string(p.name.text), key_is_written(c, *wrong));
      given.dropped.erase(wrong);
    } else if (required) {
      missing += (missing.empty() ? "'" : ", '") + std::string(p.name.text) + "'";
    }
  }
  if (!missing.empty() && missing == missing_everywhere_) {
    if (i > 0) return false;
    misfit(c.span, text::Severity::Information, "get_kernel needs " + missing + ", which no line of CONFIGS gives");
    finder_.e_.diagnostics.back().hint = "name an entry in a comment: # tilewright: entry get_kernel(...)";
  } else if (!missing.empty()) {
    misfit(c.span, text::Severity::Error, "get_kernel needs " + missing + ", which this line of CONFIGS does not give");
  }
  return !misspelt && missing.empty();
}

void ConfigEntries::call_config(std::size_t i, EntryKind kind, text::Span span, const std::vector<Keyword>& keywords) {
  if (finder_.e_.entries.size() >= finder_.options_.max_entries || finder_.e_.stopped) return;
  const std::size_t before = finder_.in_.kernels().size();
  Arguments args;
  args.keywords = keywords;
  args.call = configs_[i].span;
  args.function = {get_kernel_->anchor, get_kernel_->def->name.at.begin, get_kernel_->def->name.at.end};
  Value v = finder_.in_.call_function(get_kernel_, args);
  if (v.is_error()) return config_failure(i, finder_.in_.take_pending());
  if (Jit* jit = v.as<Jit>()) v = finder_.specialise(jit);
  std::vector<KernelValue*> kernels;
  finder_.collect(v, kernels);
  if (kernels.empty())
    kernels.assign(finder_.in_.kernels().begin() + static_cast<std::ptrdiff_t>(before), finder_.in_.kernels().end());
  if (!kernels.empty()) finder_.served(get_kernel_);
  finder_.add(kind, config_text(i), span ? span : args.function, kernels);
}

void ConfigEntries::config_failure(std::size_t i, Pending p) {
  finder_.told(p);
  if ((p.fatal && p.diagnostic.code != code::kLimit) || (p.refused && finder_.tile_script_)) {
    finder_.e_.diagnostics.push_back(p.diagnostic);
    finder_.served(get_kernel_);
    finder_.e_.stopped = finder_.e_.stopped || p.fatal;
    return;
  }
  finder_.e_.stopped =
      finder_.e_.stopped || (p.fatal && !finder_.in_.go_on_after(p));  // by a limit, which may be ours alone
  if (p.type == python::kTestOutcome || p.diagnostic.code.empty()) return;
  const std::string_view code = p.diagnostic.code;
  if (code == code::kLimit && i > 0) {
    limit_ = p.diagnostic.message;
    return;
  }
  const bool own = finder_.e_.anchors.resolve(p.diagnostic.span).source == finder_.e_.tree->source().get();
  // With a package that is not evaluated, a condition on what it knows may have led here.
  const bool raised = code == code::kRaised && p.exception.as<Instance>() &&
                      std::ranges::none_of(finder_.e_.module->bindings, [](auto& b) { return b.value.is_opaque(); });
  const bool refused = own && (raised || code == code::kArguments || code == code::kJit ||
                               p.type == "KeyError");  // config["n"] of a get_kernel(**config)
  const std::string message = config_text(i) + " makes no kernel: " + p.diagnostic.message;
  const bool again = std::ranges::any_of(failures_, [&](const text::Diagnostic& d) {
    return d.code == code && d.span == p.diagnostic.span && d.message == p.diagnostic.message;
  });
  if (again) return;
  misfit(configs_[i].span, refused ? text::Severity::Error : text::Severity::Information, message);
  if (p.diagnostic.span && p.diagnostic.span != configs_[i].span)
    finder_.e_.diagnostics.back().related.push_back({p.diagnostic.span, p.diagnostic.message});
  failures_.push_back(std::move(p.diagnostic));
}

const syntax::StringLit* ConfigEntries::key_is_written(const Config& c, std::string_view key) const {
  if (auto* dict = syntax::as<syntax::Dict>(c.node)) {
    for (const syntax::DictItem& item : dict->items) {
      auto* s = syntax::as<syntax::StringLit>(item.key);
      if (s && s->value == key) return s;
    }
  }
  return nullptr;
}

text::Span ConfigEntries::key_span(const Config& c, std::string_view key) const {
  if (auto* s = key_is_written(c, key)) return {c.span.anchor, s->at.begin, s->at.end};
  if (auto* call = syntax::as<syntax::Call>(c.node)) {
    for (const syntax::Keyword& k : call->keywords) {
      if (k.name.text == key) return {c.span.anchor, k.name.at.begin, k.name.at.end};
    }
  }
  return c.span;
}

void ConfigEntries::misfit(text::Span at, text::Severity severity, std::string message, const std::string& meant,
                           const syntax::StringLit* key) {
  ++misfits_;
  text::Diagnostic& d = finder_.e_.diagnostics.emplace_back();
  d.code = code::kConfig;
  d.severity = severity;
  d.message = std::move(message);
  d.span = at;
  if (meant.empty()) return;
  d.hint = "did you mean '" + meant + "'?";
  const bool is_key = key || at.end - at.begin == meant.size();
  if (is_key) d.fix = {text::Fix::Kind::Replace, "Change to " + meant, key ? "\"" + meant + "\"" : meant};
}

}  // namespace tilewright::script
