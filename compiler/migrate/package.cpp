#include "compiler/migrate/package.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/migrate/comments.h"
#include "compiler/migrate/names.h"
#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

constexpr text::Dialect kRelease = text::Dialect::V0_27;

// Ids of 0.27 and what reads them in the package; with an axis, one each.
struct Id {
  std::string_view path, name;
  bool by_axis;
};
constexpr Id kIds[] = {
    {"T.cta_id", "block_idx", true},
    {"T.thread_id", "thread_idx", true},
    {"T.cta_id_in_cluster", "cluster_cta_id", true},
    {"T.cluster_id", "cluster_id", true},
    {"T.warp_id", "warp_id", false},
    {"T.lane_id", "lane_id", false},
    {"T.warpgroup_id", "warpgroup_id", false},
    {"T.warp_id_in_wg", "warp_in_warpgroup", false},
    {"T.thread_id_in_wg", "thread_in_warpgroup", false},
    {"T.cta_id_in_pair", "cta_pair_id", false},
};
const Id* id_of(std::string_view path) {
  auto found = std::ranges::find(kIds, path, &Id::path);
  return found == std::end(kIds) ? nullptr : found;
}

// Names that are the same under another one.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"T.prim_func", "function"}, {"T.Buffer", "Tensor"}, {"T.buffer_store", "tensor_store"}, {"T.bind", "bind_"}};

constexpr std::pair<std::string_view, std::string_view> kAttributes[] = {
    {"tirx.launch_bounds_min_blocks_per_sm", "min_blocks_per_sm"},
    {"tirx.launch_bounds_max_blocks_per_cluster", "max_blocks_per_cluster"},
    {"tirx.max_registers", "max_registers_per_thread"}};

constexpr std::string_view kHelpers[] = {"SMEMPool", "MBarrier", "TMABar", "TCGen05Bar", "Pipeline", "PipelineState"};

class ToPackage {
 public:
  ToPackage(const Tree& tree, const Names& names) : tree_(tree), names_(names) {}

  std::vector<Edit> edits;
  std::vector<Decision> decisions;

  void run() {
    for (const Tree::Statement& s : tree_.statements()) {
      at_ = &s;
      if (auto* from = as<ImportFrom>(s.node->statement)) {
        import(*from);
      } else {
        functions(s.node->statement);
        general(s.node->statement);
      }
    }
    if (!helpers_.empty() && import_end_) {
      std::string names;
      for (std::string_view h : helpers_) names.append(names.empty() ? "" : ", ").append(h);
      edits.push_back({import_end_, import_end_, "\nfrom tvm_tirx.backend.cuda.lang import " + names});
    }
    std::ranges::sort(edits, {}, &Edit::begin);
    std::ranges::stable_sort(decisions, {}, &Decision::at);
  }

 private:
  std::uint32_t offset(std::uint32_t at) const { return at_->offset + at; }
  void edit(Extent at, std::string text) { edits.push_back({offset(at.begin), offset(at.end), std::move(text)}); }
  std::string words(const Node* n) const { return written(*at_, n); }
  void decide(const Node* n, std::string why) {
    std::string what = words(n);
    decisions.push_back({offset(n->at.begin), what.substr(0, what.find('\n')), std::move(why), false});
    settled_.insert(n);
  }
  std::string_view indentation(const Node* n) const {
    const std::string_view text = tree_.source()->text();
    const std::size_t line = text.rfind('\n', offset(n->at.begin));
    const std::size_t begin = line == text.npos ? 0 : line + 1;
    return text.substr(begin, offset(n->at.begin) - begin);
  }
  // The lines of a statement that goes.
  void remove(const Node* n) {
    const std::string_view text = tree_.source()->text();
    const std::size_t line = text.rfind('\n', offset(n->at.begin));
    const std::size_t end = text.find('\n', offset(n->at.end));
    edits.push_back({static_cast<std::uint32_t>(line == text.npos ? 0 : line + 1),
                     static_cast<std::uint32_t>(end == text.npos ? text.size() : end + 1), ""});
    settle(n);
  }
  void settle(const Node* n) {
    settled_.insert(n);
    for_children(n, [&](const Node* child) { settle(child); });
  }
  const Node* keyword(const Call& call, std::string_view name) const {
    for (const Keyword& k : call.keywords) {
      if (k.name.text == name) return k.value;
    }
    return nullptr;
  }
  std::string_view t() const { return t_.empty() ? std::string_view("T") : t_; }

  // ---- imports -----------------------------------------------------------------------------------------------------

  void import(const ImportFrom& from) {
    if (from.level != 0 || !(from.module == "tvm" || from.module.starts_with("tvm."))) return;
    auto module = [&](std::string_view is) {
      const std::size_t at = at_->node->text.find(from.module, from.at.begin);
      const auto begin = static_cast<std::uint32_t>(at);
      edit({begin, begin + static_cast<std::uint32_t>(from.module.size())}, std::string(is));
    };
    if (from.module == "tvm.script" && from.names.size() == 1 && from.names[0].name == "tirx") {
      module("tvm_tirx.script");
      t_ = from.names[0].bound.text;
      import_end_ = offset(from.at.end);
    } else if (from.module == "tvm.tirx.layout") {
      module("tvm_tirx.tirx.layout");
      for (const ImportedName& n : from.names) {
        constexpr std::string_view kKnown[] = {"S", "R", "TileLayout", "ComposeLayout", "Axis", "Iter", "Layout"};
        if (std::ranges::find(kKnown, n.name) == std::end(kKnown))
          decide(at_->node->statement, std::string(n.name) + " is not in tvm_tirx.tirx.layout; an axis is Axis.get(\"" +
                                           std::string(n.name) + "\")");
      }
    } else if (from.module.starts_with("tvm.tirx.lang") || from.module.starts_with("tvm.backend.cuda.lang")) {
      module("tvm_tirx.backend.cuda.lang");
    } else if (from.module == "tvm.script.tirx" && from.names.size() == 1 && from.names[0].name == "tile") {
      const bool used = std::ranges::any_of(tree_.statements(), [&](const Tree::Statement& s) {
        return std::ranges::any_of(s.node->names, [&](const Name& n) { return n.text == from.names[0].bound.text; });
      });
      if (!used) return remove(at_->node->statement);
      decide(at_->node->statement, "tvm_tirx has no tile primitives");
    } else {
      decide(at_->node->statement, "what stands for this module in tvm_tirx is not known here");
    }
  }

  // ---- kernels -----------------------------------------------------------------------------------------------------

  void functions(const Node* n) {
    if (auto* def = as<FunctionDef>(n)) {
      const bool kernel = std::ranges::any_of(def->decorators, [&](const Node* d) {
        if (auto* call = as<Call>(d)) d = call->function;
        const std::string path = names_.path(d);
        return path == "T.prim_func" || path == "T.jit";
      });
      if (kernel) return Kernel(*this, *def).run();
    }
    for_children(n, [&](const Node* child) { functions(child); });
  }

  class Kernel {
   public:
    Kernel(ToPackage& all, const FunctionDef& def) : all_(all), def_(def) {}

    void run() {
      for (const Parameter& p : def_.params) parameter_dtype(p);
      for (const Node* s : def_.body) note(s);
      for (const Node* s : def_.body) visit(s);
      symbols();
      if (entry_) launch();
      scalars();
    }

   private:
    std::string words(const Node* n) const { return all_.words(n); }
    std::string path_of_call(const Node* n) const {
      auto* call = as<Call>(n);
      return call ? all_.names_.path(call->function) : std::string();
    }

    void parameter_dtype(const Parameter& p) {
      auto* call = as<Call>(p.annotation);
      if (!call || all_.names_.path(call->function) != "T.Buffer") return;
      const Node* dtype = call->args.size() > 1 ? call->args[1] : all_.keyword(*call, "dtype");
      auto* text = as<StringLit>(dtype);
      tensors_[p.name.text] = text ? std::string(text->value) : dtype ? std::string() : "float32";
    }

    // Assignments to plain names, and names that instructions may write.
    void note(const Node* n) {
      if (auto* a = as<Assign>(n); a && a->targets.size() == 1) {
        if (auto* name = as<NameRef>(a->targets[0])) {
          ++assigned_[name->name.text];
          if (first_.emplace(name->name.text, a).second) order_.push_back(name->name.text);
        }
      } else if (auto* g = as<AugAssign>(n)) {
        if (auto* name = as<NameRef>(g->target)) ++assigned_[name->name.text];
      } else if (auto* a = as<AnnAssign>(n)) {
        if (auto* name = as<NameRef>(a->target)) annotated_.insert(name->name.text);
      } else if (auto* call = as<Call>(n)) {
        const bool chain = all_.names_.path(call->function).starts_with("T.ptx") || of_ptx(call->function);
        for (const Node* arg : call->args) {
          auto* name = chain ? as<NameRef>(arg) : nullptr;
          if (name) written_.insert(name->name.text);
        }
      }
      for_children(n, [&](const Node* child) { note(child); });
    }
    bool of_ptx(const Node* n) const {
      if (auto* s = as<Subscript>(n)) n = s->object;
      while (auto* a = as<Attribute>(n)) {
        if (all_.names_.path(a) == "T.ptx") return true;
        n = a->object;
      }
      return false;
    }

    void visit(const Node* s) {
      const Node* value = nullptr;
      const Node* target = nullptr;
      if (auto* a = as<Assign>(s); a && a->targets.size() == 1) {
        value = a->value;
        target = a->targets[0];
      } else if (auto* e = as<ExprStmt>(s)) {
        value = e->value;
      }
      const std::string path = path_of_call(value);
      auto* call = as<Call>(value);
      if (path == "T.device_entry") {
        entry_ = s;
        return all_.settle(s);
      }
      if (path == "T.match_buffer" && target && match(*call, *target, s)) return;
      if (path == "T.attr" && !target && entry_ && attributes(*call, s)) return;
      if (const Id* id = id_of(path); id && entry_) return declared(*id, *call, target, s);
      if (is_fresh(path, call) && target && as<NameRef>(target)) {
        symbols_[as<NameRef>(target)->name.text] = {path.substr(2), s};
        return;
      }
      for_children(s, [&](const Node* child) { inner(child); });
    }
    static bool is_fresh(std::string_view path, const Call* call) {
      return (path == "T.int32" || path == "T.int64") && call->args.empty() && call->keywords.empty();
    }

    // Ids within expressions and inner blocks.
    void inner(const Node* n) {
      if (auto* a = as<Assign>(n); a && a->targets.size() == 1 && id_of(path_of_call(a->value)) && entry_)
        return declared(*id_of(path_of_call(a->value)), *as<Call>(a->value), a->targets[0], n);
      if (const Id* id = id_of(path_of_call(n)); id && entry_) {
        extents(*id, *as<Call>(n));
        all_.edit(n->at, reading(*id, 0));
        return all_.settle(n);
      }
      for_children(n, [&](const Node* child) { inner(child); });
    }

    std::string reading(const Id& id, std::size_t axis) const {
      const std::string name = std::string(all_.t()) + ".cuda." + std::string(id.name);
      return id.by_axis ? name + "(\"" + std::string(1, "xyz"[axis % 3]) + "\")" : name + "()";
    }

    // The extents of a declaration, as the launch has them.
    void extents(const Id& id, const Call& call) {
      const Node* given = call.args.empty() ? all_.keyword(call, "extents") : call.args[0];
      if (!given) return;
      std::vector<std::string> list;
      if (auto* l = as<List>(given)) {
        for (const Node* e : l->elements) list.push_back(words(e));
      } else if (auto* tuple = as<Tuple>(given)) {
        for (const Node* e : tuple->elements) list.push_back(words(e));
      } else {
        list.push_back(words(given));
      }
      auto& known = extents_[id.path];
      if (known.empty()) known = list;
      needed_.push_back(given);
    }

    void declared(const Id& id, const Call& call, const Node* target, const Node* s) {
      extents(id, call);
      if (!target) return all_.remove(s);
      std::string text;
      auto* tuple = as<Tuple>(target);
      const Exprs names = tuple ? tuple->elements : Exprs();
      if (!tuple) {
        text = words(target) + " = " + reading(id, 0);
      } else {
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (i) text.append("\n").append(all_.indentation(s));
          text += words(names[i]) + " = " + reading(id, i);
        }
      }
      all_.edit(s->at, text);
      all_.settle(s);
    }

    bool attributes(const Call& call, const Node* s) {
      auto* dict = call.args.size() == 1 ? as<Dict>(call.args[0]) : nullptr;
      if (!dict) return false;
      std::vector<std::string> found;
      for (const DictItem& item : dict->items) {
        auto* key = as<StringLit>(item.key);
        for (const auto& [is, name] : kAttributes) {
          if (key && key->value == is) found.push_back(std::string(name) + "=" + words(item.value));
        }
      }
      if (found.size() != dict->items.size()) return false;
      std::ranges::move(found, std::back_inserter(attributes_));
      all_.remove(s);
      return true;
    }

    // A = T.match_buffer(a, shape, dtype): the parameter says it.
    bool match(const Call& call, const Node& target, const Node* s) {
      auto* name = as<NameRef>(&target);
      auto* of = call.args.empty() ? nullptr : as<NameRef>(call.args[0]);
      const Node* shape = call.args.size() > 1 ? call.args[1] : all_.keyword(call, "shape");
      const Node* dtype = call.args.size() > 2 ? call.args[2] : all_.keyword(call, "dtype");
      if (!name || !of || !shape || call.args.size() > 3) return false;
      auto parameter = std::ranges::find(def_.params, of->name.text, [](const Parameter& p) { return p.name.text; });
      if (parameter == def_.params.end() || !parameter->annotation) return false;
      std::string more;
      for (const Keyword& k : call.keywords) {
        if (k.name.text == "shape" || k.name.text == "dtype") continue;
        if (k.name.text != "align" && k.name.text != "layout") return false;
        more += ", " + std::string(k.name.text) + "=" + words(k.value);
      }
      const std::string of_type = dtype ? words(dtype) : "\"float32\"";
      all_.edit({parameter->name.at.begin, parameter->annotation->at.end},
                std::string(name->name.text) + ": " + std::string(all_.t()) + ".Tensor(" + words(shape) + ", " +
                    of_type + more + ")");
      all_.settle(parameter->annotation);
      if (auto* text = as<StringLit>(dtype)) tensors_[name->name.text] = text->value;
      if (!dtype) tensors_[name->name.text] = "float32";
      shapes_.push_back(shape);
      all_.remove(s);
      return true;
    }

    // n = T.int32(), of the shapes: before the function.
    void symbols() {
      std::string before;
      for (const auto& [name, symbol] : symbols_) {
        const bool of_shape = std::ranges::any_of(shapes_, [&](const Node* shape) { return names_it(shape, name); });
        if (!of_shape) continue;
        before += std::string(name) + " = " + std::string(all_.t()) + ".dynamic(\"" + std::string(name) + "\"" +
                  (symbol.first == "int32" ? std::string() : ", \"" + symbol.first + "\"") + ")\n";
        all_.remove(symbol.second);
      }
      if (before.empty()) return;
      const Node* first = def_.decorators.empty() ? static_cast<const Node*>(&def_) : def_.decorators.front();
      const std::string_view indent = all_.indentation(first);
      std::string text;
      for (std::size_t at = 0; at < before.size();) {
        const std::size_t end = before.find('\n', at);
        text.append(indent.substr(0, indent.find('@'))).append(before, at, end + 1 - at);
        at = end + 1;
      }
      const std::string_view source = all_.tree_.source()->text();
      const std::size_t line = source.rfind('\n', all_.offset(first->at.begin));
      const auto at = static_cast<std::uint32_t>(line == source.npos ? 0 : line + 1);
      all_.edits.push_back({at, at, text + "\n\n"});
    }
    bool names_it(const Node* n, std::string_view name) const {
      if (auto* r = as<NameRef>(n)) return r->name.text == name;
      bool found = false;
      for_children(n, [&](const Node* child) { found = found || names_it(child, name); });
      return found;
    }

    static std::string joined(const std::vector<std::string>& list) {
      if (list.size() == 1) return list[0];
      std::string out;
      for (const std::string& e : list) out += (out.empty() ? "" : ", ") + e;
      return "(" + out + ")";
    }

    void launch() {
      for (const Node* given : needed_) {
        for (std::string_view name : order_) {
          if (symbols_.contains(name) || !names_it(given, name) || first_.at(name)->at.begin < entry_->at.begin)
            continue;
          all_.decide(given, "the launch stands in T.device_entry(launch=...), and '" + std::string(name) +
                                 "' is computed below it");
          return;
        }
      }
      std::string block;
      auto of = [&](std::string_view path) {
        return extents_.contains(path) ? extents_.at(path) : std::vector<std::string>();
      };
      if (!of("T.thread_id").empty()) {
        block = joined(of("T.thread_id"));
      } else if (!of("T.warp_id").empty()) {
        block = product(of("T.warp_id")[0], 32);
      } else if (!of("T.warpgroup_id").empty()) {
        block = product(of("T.warpgroup_id")[0], 128);
      } else if (!of("T.lane_id").empty()) {
        block = of("T.lane_id")[0];
      } else {
        return all_.decide(entry_, "T.device_entry(launch=...) says the threads of a CTA, which no id here does");
      }
      if (of("T.cta_id").empty() && !of("T.cluster_id").empty())
        return all_.decide(entry_, "the grid of LaunchConfig counts CTAs: clusters times their CTAs");
      std::string text = std::string(all_.t()) + ".device_entry(launch=" + std::string(all_.t()) +
                         ".cuda.LaunchConfig(grid=" + (of("T.cta_id").empty() ? "1" : joined(of("T.cta_id"))) +
                         ", block=" + block;
      if (!of("T.cta_id_in_cluster").empty()) text += ", cluster=" + joined(of("T.cta_id_in_cluster"));
      text += ")";
      if (!attributes_.empty()) {
        std::string list;
        for (const std::string& a : attributes_) list += (list.empty() ? "" : ", ") + a;
        text += ", kernel_attrs=" + std::string(all_.t()) + ".cuda.KernelAttributes(" + list + ")";
      }
      all_.edit(entry_->at, text + ")");
    }
    static std::string product(const std::string& extent, int by) {
      const bool number = std::ranges::all_of(extent, [](char c) { return c >= '0' && c <= '9'; });
      return number && extent.size() < 6 ? std::to_string(std::stoi(extent) * by)
                                         : "(" + extent + ") * " + std::to_string(by);
    }

    // What is stored to again, or by an instruction, is declared with its dtype: a plain assignment only binds.
    void scalars() {
      for (std::string_view name : order_) {
        const bool stored = assigned_[name] > 1 || written_.contains(name);
        if (!stored || annotated_.contains(name) || symbols_.contains(name)) continue;
        const Assign* a = first_.at(name);
        const std::string path = path_of_call(a->value);
        constexpr std::string_view kOwn[] = {"T.local_scalar", "T.shared_scalar", "T.alloc_scalar", "T.alloc_local",
                                             "T.alloc_shared", "T.alloc_buffer",  "T.decl_buffer",  "T.match_buffer",
                                             "T.meta_var",     "T.smem"};
        if (std::ranges::find(kOwn, path) != std::end(kOwn)) continue;
        const std::string dtype = dtype_of(a->value);
        if (dtype.empty()) {
          all_.decisions.push_back(
              {all_.offset(a->at.begin), words(a).substr(0, words(a).find('\n')),
               "'" + std::string(name) +
                   "' is stored to again, and in tvm_tirx a plain assignment only binds: declare it, " +
                   std::string(name) + ": T.<dtype> = ...",
               false});
          continue;
        }
        all_.edits.push_back({all_.offset(a->targets[0]->at.end), all_.offset(a->targets[0]->at.end),
                              ": " + std::string(all_.t()) + "." + dtype});
      }
    }
    // Where the text alone tells it; empty: it does not.
    std::string dtype_of(const Node* n) const {
      if (as<IntLit>(n)) return "int32";
      if (as<FloatLit>(n)) return "float32";
      if (auto* s = as<Subscript>(n)) {
        auto* tensor = as<NameRef>(s->object);
        auto known = tensor ? tensors_.find(tensor->name.text) : tensors_.end();
        return known == tensors_.end() ? std::string() : known->second;
      }
      if (auto* b = as<BinOp>(n)) {
        const std::string left = dtype_of(b->left), right = dtype_of(b->right);
        const bool of_left = as<IntLit>(b->right) && !left.empty();
        return left == right || of_left ? left : std::string();
      }
      if (auto* name = as<NameRef>(n)) {
        auto known = first_.find(name->name.text);
        return known == first_.end() || known->second->value == n ? std::string() : dtype_of(known->second->value);
      }
      const std::string path = path_of_call(n);
      if (id_of(path)) return "int32";
      auto* call = as<Call>(n);
      if (path == "T.cast" && call->args.size() == 2 && as<StringLit>(call->args[1]))
        return std::string(as<StringLit>(call->args[1])->value);
      if (call && call->args.size() == 1 && path.starts_with("T.") && ir::parse_dtype(std::string_view(path).substr(2)))
        return path.substr(2);
      return {};
    }

    ToPackage& all_;
    const FunctionDef& def_;
    const Node* entry_ = nullptr;
    std::map<std::string_view, int> assigned_;
    std::map<std::string_view, const Assign*> first_;
    std::vector<std::string_view> order_;
    std::set<std::string_view> written_, annotated_;
    std::map<std::string_view, std::pair<std::string, const Node*>> symbols_;
    std::map<std::string_view, std::string> tensors_;
    std::map<std::string_view, std::vector<std::string>> extents_;
    std::vector<const Node*> needed_, shapes_;
    std::vector<std::string> attributes_;
  };

  // ---- names -------------------------------------------------------------------------------------------------------

  void general(const Node* n) {
    if (settled_.contains(n)) return;
    if (auto* call = as<Call>(n)) of_call(*call);
    if (as<Attribute>(n) || as<NameRef>(n)) {
      const std::string path = names_.path(n);
      if (!path.empty() && of_name(n, path)) return;
    }
    for_children(n, [&](const Node* child) { general(child); });
  }

  // T.Buffer(shape) has a dtype there; T.alloc_buffer is told by its scope.
  void of_call(const Call& call) {
    const std::string path = names_.path(call.function);
    if (path == "T.Buffer") {
      for (const Keyword& k : call.keywords) {
        if (k.name.text == "strides" || k.name.text == "elem_offset" || k.name.text == "byte_offset")
          decide(&call, "strides and offsets of a T.Tensor are those of its layout");
      }
      if (call.args.size() == 1 && !keyword(call, "dtype"))
        edits.push_back({offset(call.args[0]->at.end), offset(call.args[0]->at.end), ", \"float32\""});
    }
    if (path != "T.alloc_buffer" && path != "T.decl_buffer") return;
    const Node* scope = keyword(call, "scope");
    auto* text = as<StringLit>(scope);
    const bool known = text && (text->value == "local" || text->value == "shared");
    if (path == "T.alloc_buffer" && known && call.args.size() >= 2) {
      auto* function = as<Attribute>(call.function);
      if (!function) return;
      edit(function->name.at, text->value == "local" ? "alloc_local" : "alloc_shared");
      // From the end of what stands before the keyword to the end of its value.
      std::uint32_t begin = call.args.back()->at.end;
      for (const Keyword& k : call.keywords) {
        if (k.value == scope) break;
        begin = k.value->at.end;
      }
      edit({begin, scope->at.end}, "");
      settled_.insert(call.function);
    }
  }

  // True: nothing more is to be done below the node.
  bool of_name(const Node* n, const std::string& path) {
    if (path == "Tx" || path.starts_with("Tx.")) {
      if (path.starts_with("Tx."))
        decide(n, "tvm_tirx has no tile primitives: write the instructions, or T.cuda.tile.apply");
      return true;
    }
    for (const auto& [was, is] : kRenamed) {
      auto* attribute = as<Attribute>(n);
      if (path != was || !attribute) continue;
      edit(attribute->name.at, std::string(is));
      return true;
    }
    if (path.starts_with("T.")) {
      const std::string_view name = std::string_view(path).substr(2);
      if (std::ranges::find(kHelpers, name) != std::end(kHelpers) && as<Attribute>(n)) {
        helpers_.insert(std::string(name));
        edit(n->at, std::string(name));
        return true;
      }
      const std::size_t dot = name.rfind('.');
      const std::string space = dot == name.npos ? "tirx" : "tirx." + std::string(name.substr(0, dot));
      const script::Record* record =
          script::surface_of(kRelease).find(space, dot == name.npos ? name : name.substr(dot + 1));
      if (record && record->space.starts_with("tirx") && record->kind == script::NameKind::Elsewhere) {
        decide(n, "tvm_tirx has no " + path + ": " + std::string(record->detail));
        return true;
      }
    }
    return false;
  }

  const Tree& tree_;
  const Names& names_;
  const Tree::Statement* at_ = nullptr;
  std::string_view t_;
  std::uint32_t import_end_ = 0;
  std::set<const Node*> settled_;
  std::set<std::string, std::less<>> helpers_;
};

}  // namespace

std::expected<Target, std::string> target_named(std::string_view name) {
  if (name == "tvm_tirx") return Target{kRelease, true};
  auto dialect = script::known_dialect(name);
  if (!dialect) return std::unexpected(dialect.error() + ", and migrate the package tvm_tirx");
  return Target{*dialect, false};
}

Migrated to_package(const Tree& original, text::Dialect from) {
  Migrated out;
  if (from < kRelease) {
    out = migrated(original, from, kRelease);
  } else {
    out.text = original.source()->text();
  }
  const auto tree = Tree::parse(std::make_shared<text::Source>(original.source()->path(), out.text));
  const Names names(*tree, kRelease);
  ToPackage step(*tree, names);
  step.run();
  step.edits = with_comments(out.text, std::move(step.edits));
  std::ranges::move(step.decisions, std::back_inserter(out.decisions));
  auto moved = [&](std::uint32_t at) {
    std::int64_t by = 0;
    for (const Edit& e : step.edits) {
      if (e.begin >= at) break;
      by += static_cast<std::int64_t>(e.text.size()) - (std::min(e.end, at) - e.begin);
    }
    return static_cast<std::uint32_t>(at + by);
  };
  for (Decision& d : out.decisions) d.at = moved(d.at);
  out.edits += step.edits.size();
  out.text = applied(out.text, step.edits);
  return out;
}

}  // namespace tilewright::migrate
