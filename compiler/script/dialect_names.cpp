#include "compiler/script/dialect_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ptx/chain.h"
#include "compiler/script/surface.h"
#include "compiler/syntax/statement_bit.h"
#include "compiler/syntax/walk.h"
#include "compiler/text/releases.h"
#include "compiler/text/word_list.h"

namespace tilewright::script {
namespace {

using namespace syntax;
using enum text::Dialect;
using text::since;
using text::until;

// ---- what no record of the surface tells ------------------------------------------------------------------------

// Modules that some releases lack, with those below them.
struct ModuleRow {
  std::string_view path;
  text::Releases releases;
};
constexpr ModuleRow kModules[] = {
    {"tvm.tirx.cuda.operator", until(V0_26)},
    {"tvm.backend.cuda.operator", until(V0_26)},
    {"tvm.backend.cuda.tile_primitive", since(V0_26)},
    {"tvm.tirx.cuda.iket", since(V0_26)},
    {"tvm.backend.cuda.iket", since(V0_26)},
    {"tvm.backend.cuda.cpp", since(V0_27)},
    {"tvm.backend.cuda.ptx", since(V0_27)},
    {"tvm.backend.cuda.host", since(V0_27)},
    {"tvm.backend.cuda.lang.clc", since(V0_27)},
    {"tvm.sym", since(V0_27)},
    {"tvm.tirx.type", since(V0_27)},
    {"tirx_kernels.tirx_lite", since(V0_27)},
    {"tvm.arith", until(V0_27)},
    {"tvm.tirx.stmt_functor", until(V0_27)},
    {"tvm.tirx.expr_functor", until(V0_27)},
    {"tvm.tirx.functor", until(V0_27)},
};

// Methods and keywords of calls, by the last name of what is called. They are told apart by name alone: the list holds
// what no other object of a script is likely to have.
struct CallRow {
  std::string_view functions;  // with a blank between them
  std::string_view keyword;    // empty: the name itself
  text::Releases releases;
};
constexpr CallRow kCalls[] = {
    {"alloc_mma", "", until(V0_26)},
    {"alloc_tcgen05_mma_AB alloc_tcgen05_mma_A alloc_tcgen05_mma_C alloc_tcgen05_mma_D", "", since(V0_26)},
    {"arrive", "cta_id", until(V0_26)},
    {"arrive", "remote", since(V0_26)},
    {"alloc", "datapath", until(V0_26)},
    {"Buffer alloc_buffer decl_buffer match_buffer alloc_shared alloc_local", "buffer_type", until(V0_26)},
    {"Buffer alloc_buffer decl_buffer match_buffer alloc_shared alloc_local", "axis_separators", until(V0_26)},
    {"int32 int64 uint32 uint64 ptr handle", "is_size_var", until(V0_26)},
    {"buffer_store BufferLoad vload vstore", "predicate", until(V0_27)},
};

// Values of dispatch=.
struct VariantRow {
  std::string_view names;
  text::Releases releases;
};
constexpr VariantRow kVariants[] = {
    {"tma gmem_smem", until(V0_26)},
    {"tma_auto tma_explicit vec_auto vec_16b vec_32b vec_64b vec_128b vec_256b", since(V0_26)},
};

// ---- whether a release has a name ---------------------------------------------------------------------------------

// A call as far as it tells an instruction of 0.27 from one of before.
struct Called {
  bool any = false;  // it is called
  bool no_operands = false;
  bool other_keywords = false;  // than those of each instruction of 0.27
};

// `T.ptx` of 0.27: `rest` is "mbarrier.init.shared.b64".
bool has_chain(std::string_view rest, const Called& called) {
  if (rest == "SINK" || rest == "pred" || rest == "addr") return true;
  std::size_t dot = rest.find('.');
  std::optional<ptx::Chain> chain = ptx::Chain::begin(rest.substr(0, dot));
  while (chain && dot != rest.npos) {
    rest.remove_prefix(dot + 1);
    dot = rest.find('.');
    chain = chain->with(ptx::token_of_word(rest.substr(0, dot)));
  }
  if (!chain) return false;
  if (!called.any) return true;
  const bool bare = std::ranges::any_of(chain->candidates(), [](const ptx::Candidate& c) {
    return std::ranges::all_of(c.row->operands, [](const ptx::Operand& o) {
      return o.kind == ptx::OperandKind::Literal || o.count.form != ptx::Count::Form::Product;
    });
  });
  return chain->complete() && !called.other_keywords && (bare || !called.no_operands);
}

// `path` is "T.ptx.mbarrier.init"; its first part is a space.
bool has_name(text::Dialect release, std::string_view path, const Called& called) {
  const Surface& surface = surface_of(release);
  std::size_t dot = path.find('.');
  std::string_view space = path.substr(0, dot), rest = path.substr(dot + 1);
  if (release == V0_27 && path.starts_with("T.ptx.")) return has_chain(path.substr(6), called);
  // Most below a name of `T` are instructions, whose table answers without records.
  if (space == "T" && rest.contains('.') && intrinsics::is_intrinsic(release, rest)) return true;
  for (;;) {
    dot = rest.find('.');
    const Record* record = surface.find(space, rest.substr(0, dot));
    if (!record) return false;
    if (dot == rest.npos) return true;
    if (record->children.empty() && record->kind != NameKind::Namespace) {
      // What stands below a function or a class is an attribute of what it gives.
      return record->kind != NameKind::Instruction;
    }
    space = record->children.empty() ? "Tx" : record->children;  // `T.tile`, `Tx.warp`: all primitives
    rest.remove_prefix(dot + 1);
  }
}

constexpr std::size_t kReleases = text::kDialects.size();
constexpr auto kChains = static_cast<std::size_t>(V0_27);  // whose instructions are chains
using Has = std::array<bool, kReleases>;

std::string releases_words(const Has& has) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kReleases; ++i) {
    if (has[i]) names.push_back(text::kDialects[i].name);
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

Has has_of(const text::Releases& releases) {
  Has out{};
  for (std::size_t i = 0; i < kReleases; ++i) out[i] = releases.has(text::kDialects[i].dialect);
  return out;
}

// ---- the names of a statement -------------------------------------------------------------------------------------

// What the script calls `T` and `Tx`.
struct Alias {
  std::string_view name, space;
};

bool holds(std::string_view text, std::string_view word) {
  return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

// Does an expression ask which release there is? `tvm.__version__`, `hasattr(T, "Return")`, or one of `flags`, which
// hold the answer.
bool asks_for_release(const Node* condition, const std::vector<std::string_view>& flags) {
  std::vector<const Node*> todo{condition};
  while (!todo.empty()) {
    const Node* n = todo.back();
    todo.pop_back();
    if (!n) continue;
    if (auto* attribute = as<Attribute>(n); attribute && attribute->name.text == "__version__") return true;
    if (auto* name = as<NameRef>(n); name && (name->name.text == "hasattr" || name->name.text == "find_spec"))
      return true;
    if (auto* name = as<NameRef>(n); name && std::ranges::find(flags, name->name.text) != flags.end()) return true;
    for_children(n, [&](const Node* child) { todo.push_back(child); });
  }
  return false;
}

// `IS_NEW = hasattr(T, "Return")` of the module: IS_NEW.
void add_flags(std::vector<std::string_view>& out, const TopLevel& statement) {
  auto* assign = as<Assign>(statement.statement);
  if (!assign) return;
  const bool may_ask = std::ranges::any_of(statement.names, [&](const Name& name) {
    return name.text == "hasattr" || name.text == "find_spec" || std::ranges::find(out, name.text) != out.end();
  });
  if ((!may_ask && !holds(statement.text, "__version__")) || !asks_for_release(assign->value, out)) return;
  for (const Node* target : assign->targets) {
    if (auto* name = as<NameRef>(target)) out.push_back(name->name.text);
  }
}

// Does a `try` say what to do where a module or a name is missing?
bool expects_missing(const Try& statement) {
  auto is_missing = [](const Node* type) {
    auto* name = as<NameRef>(type);
    return name && (name->name.text == "ImportError" || name->name.text == "ModuleNotFoundError" ||
                    name->name.text == "AttributeError");
  };
  return std::ranges::any_of(statement.handlers, [&](const Handler& h) {
    if (!h.type) return false;
    bool any = is_missing(h.type);
    for_children(h.type, [&](const Node* child) { any = any || is_missing(child); });
    return any;
  });
}

void add_aliases(std::vector<Alias>& out, const Node* statement) {
  if (auto* from = as<ImportFrom>(statement); from && from->level == 0) {
    for (const ImportedName& n : from->names) {
      if (from->module == "tvm.script" && (n.name == "tirx" || n.name == "tir")) out.push_back({n.bound.text, "T"});
      if (from->module == "tvm.script.tirx" && n.name == "tile") out.push_back({n.bound.text, "Tx"});
    }
  }
  if (auto* import = as<Import>(statement)) {
    for (const ImportedName& n : import->names) {
      if (n.name == "tvm.script.tirx" && n.bound.text != "tvm") out.push_back({n.bound.text, "T"});
    }
  }
}

// Is there something on the name's line that cannot be parsed? What is half typed decides nothing.
bool is_half_typed(const TopLevel& statement, const NameOfOthers& name) {
  const std::string_view text = statement.text;
  return std::ranges::any_of(statement.errors, [&](const SyntaxError& e) {
    const std::size_t first = std::min<std::size_t>(std::min(e.begin, name.begin), text.size());
    const std::size_t last = std::min<std::size_t>(std::max(e.begin, name.begin), text.size());
    return text.substr(first, last - first).find('\n') == text.npos;
  });
}

// Looks for the names of a statement that releases lack, for all of them in one walk.
class Search {
 public:
  using Found = std::array<std::vector<NameOfOthers>, kReleases>;

  Search(bool certain, const std::vector<Alias>& aliases, const std::vector<std::string_view>& flags)
      : certain_(certain), aliases_(aliases), flags_(flags) {}

  // Could the statement have such a name? What nothing below reacts to need not be walked through: most statements of
  // traced modules, which call no name of the dialect.
  bool concerns(const TopLevel& statement) const {
    if (!certain_) return true;
    const auto has = [&](std::string_view word) { return holds(statement.text, word); };
    return has("import") || has("dispatch") ||
           std::ranges::any_of(aliases_, [&](const Alias& a) { return has(a.name); });
  }

  // All of them by release, in the order of the text.
  Found all_in(const TopLevel& statement) {
    walk(statement.statement);
    for (const Asked& asked : asked_of_chains_) ask_chains(asked);
    for (std::vector<NameOfOthers>& found : found_) std::ranges::sort(found, {}, &NameOfOthers::begin);
    return std::move(found_);
  }

  // The first of each release, without what is half typed. `chains_known`: that of kChains is not asked for. Whether
  // kChains has an instruction takes long to find, so that it is asked in the order of the text, until the first one.
  FirstsOfOthers first_in(const TopLevel& statement, bool chains_known) {
    half_typed_of_ = &statement;
    walk(statement.statement);
    std::ranges::sort(asked_of_chains_, {}, [](const Asked& asked) { return asked.node->at.begin; });
    FirstsOfOthers out;
    for (std::size_t i = 0; i < kReleases; ++i) out[i] = first(found_[i]);
    for (const Asked& asked : asked_of_chains_) {
      if (chains_known || (out[kChains] && out[kChains]->begin <= asked.node->at.begin)) break;
      ask_chains(asked);
      out[kChains] = first(found_[kChains]);
    }
    return out;
  }

 private:
  // An instruction that all other releases have.
  struct Asked {
    const Node* node;
    std::string path;
    Called called;
  };

  void walk(const Node* root) {
    std::vector<const Node*> todo{root};
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      if (visit(n, todo)) for_children(n, [&](const Node* child) { todo.push_back(child); });
    }
  }

  static std::optional<NameOfOthers> first(const std::vector<NameOfOthers>& found) {
    auto at = std::ranges::min_element(found, {}, &NameOfOthers::begin);
    return at == found.end() ? std::nullopt : std::optional(*at);
  }

  // False: its children were looked at.
  bool visit(const Node* n, std::vector<const Node*>& todo) {
    if (auto* call = as<Call>(n)) {
      look_at_call(*call);
      if (!look_at_path(call->function, call)) return true;
      for (const Node* a : call->args) todo.push_back(a);
      for (const syntax::Keyword& k : call->keywords) todo.push_back(k.value);
      return false;
    }
    // What a script has for several releases, each at its place, decides nothing.
    if (auto* guarded = as<Try>(n); guarded && expects_missing(*guarded)) {
      for (const Node* s : guarded->final_body) todo.push_back(s);
      return false;
    }
    if (auto* branch = as<If>(n); branch && asks_for_release(branch->condition, flags_)) return false;
    if (auto* choice = as<IfExp>(n); choice && asks_for_release(choice->condition, flags_)) return false;
    if (auto* dict = as<syntax::Dict>(n)) {
      for (const DictItem& item : dict->items) {
        auto* key = as<StringLit>(item.key);
        if (key && key->value == "dispatch") look_at_variant(item.value);
      }
    }
    if (auto* subscript = as<Subscript>(n); subscript && path_of(subscript->object) == "T.ptx") {
      take(n, "T.ptx[...]", has_of(since(V0_27)));
    } else if (auto* from = as<ImportFrom>(n)) {
      look_at_import(*from);
    } else if (auto* import = as<Import>(n)) {
      for (const ImportedName& name : import->names) look_at_module(import, name.name);
    } else if (as<Attribute>(n)) {
      return !look_at_path(n, nullptr);
    }
    return true;
  }

  // "T.ptx.elect_sync" of what the script calls so; empty: another name.
  std::string path_of(const Node* n) const {
    const Node* at = n;
    while (auto* attribute = as<Attribute>(at)) at = attribute->object;
    auto* root = as<NameRef>(at);
    if (!root || at == n) return {};
    auto alias = std::ranges::find(aliases_, root->name.text, &Alias::name);
    if (alias == aliases_.end()) return {};
    std::vector<std::string_view> names;
    for (; n != at; n = as<Attribute>(n)->object) names.push_back(as<Attribute>(n)->name.text);
    std::string out(alias->space);
    for (std::size_t i = names.size(); i-- > 0;) out.append(".").append(names[i]);
    return out;
  }

  // False: it is no name of the dialect.
  bool look_at_path(const Node* n, const Call* call) {
    const std::string path = path_of(n);
    if (path.empty()) return false;
    Called called;
    if (call) {
      called.any = true;
      called.no_operands = call->args.empty() && call->keywords.empty();
      called.other_keywords = std::ranges::any_of(call->keywords, [](const syntax::Keyword& k) {
        return k.name.text != "pred" && k.name.text != "preserve_dst";
      });
    }
    take_path(n, path, called);
    return true;
  }

  void take_path(const Node* n, const std::string& path, const Called& called) {
    Has has{};
    has[kChains] = true;
    for (std::size_t i = 0; i < kReleases; ++i) {
      if (i != kChains) has[i] = has_name(text::kDialects[i].dialect, path, called);
    }
    const bool others_have = std::ranges::find(has, false) == has.end();
    if (others_have && path.starts_with("T.ptx.")) {
      asked_of_chains_.push_back({n, path, called});
      return;
    }
    has[kChains] = has_name(V0_27, path, called);
    take(n, path, has);
  }

  void ask_chains(const Asked& asked) {
    Has has{};
    has.fill(true);
    has[kChains] = has_name(V0_27, asked.path, asked.called);
    take(asked.node, asked.path, has);
  }

  void look_at_call(const Call& call) {
    std::string_view last;
    if (auto* attribute = as<Attribute>(call.function)) last = attribute->name.text;
    if (auto* name = as<NameRef>(call.function)) last = name->name.text;
    if (last.empty()) return;
    for (const CallRow& row : kCalls) {
      if (certain_ || !text::lists_word(row.functions, last)) continue;
      if (row.keyword.empty()) {
        take(call.function, "." + std::string(last), has_of(row.releases));
        continue;
      }
      for (const syntax::Keyword& k : call.keywords) {
        if (k.name.text == row.keyword) {
          take(k.name.at, std::string(last) + "(" + std::string(row.keyword) + "=)", has_of(row.releases));
        }
      }
    }
    for (const syntax::Keyword& k : call.keywords) {
      if (k.name.text == "dispatch") look_at_variant(k.value);
    }
  }

  void look_at_variant(const Node* n) {
    auto* value = as<StringLit>(n);
    if (!value) return;
    for (const VariantRow& row : kVariants) {
      if (!text::lists_word(row.names, value->value)) continue;
      take(n, "dispatch=\"" + std::string(value->value) + "\"", has_of(row.releases));
    }
  }

  void look_at_module(const Node* n, std::string_view module) {
    for (const ModuleRow& row : kModules) {
      const bool below = module.size() > row.path.size() && module[row.path.size()] == '.';
      if (!module.starts_with(row.path) || (module.size() != row.path.size() && !below)) continue;
      take(n, std::string(module), has_of(row.releases));
    }
  }

  void look_at_import(const ImportFrom& from) {
    if (from.level != 0) return;
    if (from.module == "tirx_kernels" || from.module.starts_with("tirx_kernels.")) {
      look_at_module(&from, from.module);
      for (const ImportedName& n : from.names)
        look_at_module(&from, std::string(from.module) + "." + std::string(n.name));
      return;
    }
    if (!(from.module == "tvm" || from.module.starts_with("tvm."))) return;
    look_at_module(&from, from.module);
    std::string_view space;
    if (from.module == "tvm.tirx.layout" || from.module.ends_with(".tma_utils")) space = "layout";
    if (from.module.starts_with("tvm.tirx.lang")) space = "lang";
    if (from.module == "tvm.script.tirx") space = "T";
    for (const ImportedName& n : from.names) {
      look_at_module(&from, std::string(from.module) + "." + std::string(n.name));
      if (space.empty() || n.name == "*" || n.name == "tile") continue;
      Has has{};
      for (std::size_t i = 0; i < kReleases; ++i) {
        has[i] = surface_of(text::kDialects[i].dialect).find(space, n.name) != nullptr;
      }
      take(n.at, std::string(n.name), has);
    }
  }

  void take(const Node* n, std::string name, const Has& has) { take(n->at, std::move(name), has); }
  void take(Extent at, std::string name, const Has& has) {
    if (std::ranges::find(has, false) == has.end() || std::ranges::find(has, true) == has.end()) return;
    const NameOfOthers found{at.begin, at.end, std::move(name), releases_words(has)};
    if (half_typed_of_ && is_half_typed(*half_typed_of_, found)) return;
    for (std::size_t i = 0; i < kReleases; ++i) {
      if (!has[i]) found_[i].push_back(found);
    }
  }

  bool certain_;
  const std::vector<Alias>& aliases_;
  const std::vector<std::string_view>& flags_;
  const TopLevel* half_typed_of_ = nullptr;  // what is half typed there is left out; null: nothing is left out
  std::vector<Asked> asked_of_chains_;
  Found found_;
};

// ---- what is known of statements ----------------------------------------------------------------------------------

// What was found in a statement, for as long as it is likely to be asked for again: an edit changes one of them.
class Known {
 public:
  // Null: no release lacks a name of the statement. `key` tells apart what the search depends on besides it.
  std::shared_ptr<const FirstsOfOthers> find(const TopLevel& statement, Search search, text::Digest key,
                                             bool chains_known) {
    if (!search.concerns(statement)) return nullptr;
    key.add(std::uint64_t{statement.id} << 1 | std::uint64_t{chains_known});
    {
      std::lock_guard lock(mutex_);
      if (auto it = found_.find(key); it != found_.end()) return it->second;
    }
    FirstsOfOthers firsts = search.first_in(statement, chains_known);
    const bool any = std::ranges::any_of(firsts, [](const auto& name) { return name.has_value(); });
    auto made = any ? std::make_shared<const FirstsOfOthers>(std::move(firsts)) : nullptr;
    std::lock_guard lock(mutex_);
    if (found_.size() >= kMost) found_.clear();
    return found_.try_emplace(key, std::move(made)).first->second;
  }

 private:
  static constexpr std::size_t kMost = 1 << 13;
  std::mutex mutex_;
  std::unordered_map<text::Digest, std::shared_ptr<const FirstsOfOthers>, text::DigestHash> found_;
};

// What the names of a file depend on besides their statement.
struct Around {
  std::vector<Alias> aliases;
  std::vector<std::string_view> flags;
};

Around around(const syntax::Tree& tree) {
  static StatementBit mentions;  // `tvm.script`, wherever it stands in them
  Around out;
  for (const Tree::Statement& s : tree.statements()) {
    const TopLevel& statement = *s.node;
    add_flags(out.flags, statement);
    if (as<Import>(statement.statement) || as<ImportFrom>(statement.statement)) {
      add_aliases(out.aliases, statement.statement);
    } else if (mentions.of(statement, [](const TopLevel& one) { return holds(one.text, "tvm.script"); })) {
      // Within a function, or a `try`.
      std::vector<const Node*> todo{statement.statement};
      while (!todo.empty()) {
        const Node* n = todo.back();
        todo.pop_back();
        add_aliases(out.aliases, n);
        for_children(n, [&](const Node* child) { todo.push_back(child); });
      }
    }
  }
  return out;
}

// What was found in the statements of a file, wherever they stand.
struct InFile {
  FirstsOfOthers names;                             // places in their statement
  std::array<std::size_t, kReleases> statements{};  // that of each name
};

InFile search_file(const syntax::Tree& tree, bool certain) {
  static Known known;
  const Around names = around(tree);
  text::Digest key;
  key.add(std::uint64_t{certain});
  for (const Alias& a : names.aliases) {
    key.add(a.name);
    key.add(a.space);
  }
  key.add(std::uint64_t{names.aliases.size()});
  for (std::string_view flag : names.flags) key.add(flag);
  InFile out;
  for (std::size_t at = 0; at < tree.statements().size(); ++at) {
    const TopLevel& statement = *tree.statements()[at].node;
    const auto found =
        known.find(statement, Search(certain, names.aliases, names.flags), key, out.names[kChains].has_value());
    for (std::size_t i = 0; found && i < kReleases; ++i) {
      if (out.names[i] || !(*found)[i]) continue;
      out.names[i] = (*found)[i];
      out.statements[i] = at;
    }
  }
  return out;
}

// The files that were asked for last: a question to the language server evaluates a file that was evaluated before, and
// a line above a statement moves what is known of it.
class KnownFiles {
 public:
  template <class Make>
  std::shared_ptr<const InFile> find(const text::Digest& key, const Make& make) {
    {
      std::lock_guard lock(mutex_);
      for (const auto& [known, file] : files_) {
        if (file && known == key) return file;
      }
    }
    auto made = std::make_shared<const InFile>(make());
    std::lock_guard lock(mutex_);
    files_[next_++ % files_.size()] = {key, made};
    return made;
  }

 private:
  std::mutex mutex_;
  std::array<std::pair<text::Digest, std::shared_ptr<const InFile>>, 16> files_;
  std::size_t next_ = 0;
};

}  // namespace

FirstsOfOthers firsts_of_others(const syntax::Tree& tree, bool certain) {
  static KnownFiles known;
  text::Digest key;
  key.add(std::uint64_t{certain});
  for (const Tree::Statement& s : tree.statements()) key.add(s.node->id);
  const std::shared_ptr<const InFile> found = known.find(key, [&] { return search_file(tree, certain); });
  FirstsOfOthers out = found->names;
  for (std::size_t i = 0; i < kReleases; ++i) {
    if (!out[i]) continue;
    const std::uint32_t offset = tree.statements()[found->statements[i]].offset;
    out[i]->begin += offset;
    out[i]->end += offset;
  }
  return out;
}

std::optional<NameOfOthers> first_of_others(const syntax::Tree& tree, text::Dialect release, bool certain) {
  return std::move(firsts_of_others(tree, certain)[static_cast<std::size_t>(release)]);
}

std::vector<NameOfOthers> names_of_others(const syntax::Tree& tree, text::Dialect release) {
  const Around names = around(tree);
  std::vector<NameOfOthers> out;
  for (const Tree::Statement& s : tree.statements()) {
    Search::Found found = Search(false, names.aliases, names.flags).all_in(*s.node);
    for (NameOfOthers& name : found[static_cast<std::size_t>(release)]) {
      name.begin += s.offset;
      name.end += s.offset;
      out.push_back(std::move(name));
    }
  }
  return out;
}

}  // namespace tilewright::script
