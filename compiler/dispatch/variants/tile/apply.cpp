// T.cuda.tile.apply: one named instruction, repeated over the repetitions of its views (dialects.md 8).
//
// The dimensions of a view are the threads of the scope, the repetitions, and what one instruction takes of it. What
// that is belongs to the instruction: words of memory, rows of matrices, fragments, groups of registers.
#include <algorithm>
#include <array>

#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/tile_views.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ptx/chain.h"

namespace tilewright::dispatch::variants::tile_apply {
namespace {

using ir::Expr;
using ir::StorageScope;
using tile::Given;
using tile::Group;
using tile::Index;
using tile::View;

using Made = std::expected<void, Reason>;

constexpr std::string_view kArithmetic[] = {"mov", "add",  "sub", "mul", "div", "max", "min", "fma",
                                            "cvt", "sqrt", "ex2", "lg2", "rcp", "abs", "neg"};

// The leading number of "v4", "x2" or "16x8": 4, 2, 16.
int number_in(std::string_view token) {
  int out = 0;
  bool begun = false;
  for (char c : token) {
    if (c >= '0' && c <= '9') {
      out = out * 10 + (c - '0');
      begun = true;
    } else if (begun) {
      break;
    }
  }
  return out;
}

class Apply {
 public:
  explicit Apply(CallContext& context)
      : context_(context), out_(context.call.origin), text_(tile::instruction_of(context)) {}

  Planned plan() {
    auto chain = ptx::Chain::parse(text_);
    if (!chain) return decline(chain.error());
    for (const ptx::Candidate& c : chain->candidates()) {
      if (!ptx::fault_of(c)) forms_.push_back(c);
    }
    if (forms_.empty()) return decline(cat(text_, " is not a whole instruction"));
    if (auto made = by_family(); !made) return decline(std::move(made.error()));
    if (Reason r = unread(); !r.empty()) return decline(std::move(r));
    Plan plan{.body = out_.finish()};
    plan.facts.push_back({"instruction", std::string(text_)});
    tile::tell_repetitions(plan, text_, group_, *repeats_);
    plan.constants = std::move(told_);
    return plan;
  }

 private:
  // ---- what the instruction is -----------------------------------------------------------------------------------

  const ptx::Row& row() const { return *forms_.front().row; }
  std::string_view token(std::string_view slot) const {
    const auto at = row().slot_named(slot);
    return at ? row().token(forms_.front().filled, *at) : std::string_view();
  }
  bool has_word(std::string_view word) const {
    const std::string all = cat(".", text_, ".");
    return all.find(cat(".", word, ".")) != all.npos;
  }

  Made by_family() {
    const std::string_view id = row().id, mnemonic = row().mnemonic;
    if (id == "ld" || id == "st" || id == "ld_vec" || id == "st_vec") return memory();
    if (mnemonic == "ldmatrix" || mnemonic == "stmatrix") return matrices();
    if (mnemonic == "mma") return product();
    if (id == "cp_async_bulk_s2c") return distributed();
    if (text_.starts_with("cp.async.ca.") || text_.starts_with("cp.async.cg.")) return asynchronous();
    if (std::ranges::find(kArithmetic, mnemonic) != std::end(kArithmetic)) return registers();
    return refuse(cat(text_,
                      " has no pattern here: ld, st, ldmatrix, stmatrix, mma.m16n8k8 and m16n8k16, "
                      "cp.async.ca and .cg, cp.async.bulk to another CTA, and arithmetic on registers have"));
  }

  const ir::Operand* operand(std::size_t i) const {
    return i < context_.call.args.size() ? &context_.call.args[i] : nullptr;
  }
  bool has_operands(std::size_t count) const { return context_.call.args.size() == count; }
  Expr parameter(std::string_view name) {
    read_.push_back(name);
    return option(context_.call, name);
  }
  bool preserves() {
    const Expr given = parameter("preserve_dst");
    return given && ir::is_constant(ir::simplify(given), 1);
  }
  Reason unread() const {
    for (const ir::ConfigItem& item : context_.call.config) {
      if (item.key == "instruction" || !item.value.value) continue;
      if (std::ranges::find(read_, item.key) == read_.end()) return cat(text_, " takes no ", item.key, "=");
    }
    return {};
  }

  std::expected<View, Reason> view(std::string_view name, std::size_t i, Index atom,
                                   std::initializer_list<StorageScope> scopes, int bits,
                                   std::optional<std::vector<std::size_t>> axes = {}) {
    auto v = View::of(name, *operand(i), group_, std::move(atom), repeats_, std::move(axes));
    if (!v) return v;
    if (Reason r = v->not_in(scopes); !r.empty()) return std::unexpected(std::move(r));
    if (Reason r = bits > 0 ? v->not_bits(bits) : Reason(); !r.empty()) return std::unexpected(std::move(r));
    return v;
  }

  Made enter(bool by_warp) {
    auto group = tile::group_of(context_, by_warp);
    if (!group) return refuse(std::move(group.error()));
    group_ = std::move(*group);
    return {};
  }

  Given in_register(const View& v, Expr m) const {
    const Expr index[] = {m};
    return {Given::Kind::Register, ir::load(context_.kernel.flat_view(&v.buffer()), index)};
  }
  static Given pointer(Expr e) { return {Given::Kind::Pointer, e}; }

  Made issue(const std::vector<Given>& given, Expr pred = {}, bool preserve = false) {
    auto call = tile::instruction_call(context_, text_, given, pred, preserve);
    if (!call) return refuse(std::move(call.error()));
    out_.add<ir::Evaluate>(*call);
    return {};
  }

  void tell(const Index& repeat, const std::string& what) { tile::tell_repetition(told_, repeat, what); }
  static std::string place(const View& v, const Index& repeat, std::span<const Expr> atom) {
    std::string out;
    for (Expr e : v.element(repeat, atom)) out += cat(out.empty() ? "" : ", ", ir::to_string(e));
    return cat(v.spoken(), "[", out, "]");
  }
  static std::string registers_text(const View& v, const std::vector<Expr>& of) {
    std::string out;
    for (std::size_t i = 0; i < of.size() && i < 8; ++i) out += cat(i ? ", " : "", ir::to_string(of[i]));
    return cat("registers ", out, of.size() > 8 ? ", ..." : "", " of ", v.spoken());
  }

  // ---- ld, st: (*group, *repeat, word) ---------------------------------------------------------------------------

  Made memory() {
    if (!has_operands(2)) return refuse(cat(text_, " takes dst and src"));
    const bool load = row().mnemonic == "ld";
    const std::string_view space = token("space"), type = token("type");
    const int count = std::max(1, number_in(token("vec"))), bits = number_in(type);
    const bool global = space == "global", shared = space == "shared" || space == "shared::cta";
    if (!global && !shared && space != "local")
      return refuse(cat(text_, " says no space of memory: global, shared or local"));
    if (auto made = enter(false); !made) return made;
    const std::initializer_list<StorageScope> kGlobal = {StorageScope::Global}, kLocal = {StorageScope::Local},
                                              kShared = {StorageScope::Shared, StorageScope::SharedDyn};
    const auto& outside = global ? kGlobal : shared ? kShared : kLocal;
    auto dst = view("dst", 0, {count}, load ? kLocal : outside, bits);
    if (!dst) return refuse(std::move(dst.error()));
    auto src = view("src", 1, {count}, load ? outside : kLocal, bits);
    if (!src) return refuse(std::move(src.error()));
    const View &memory = load ? *src : *dst, &regs = load ? *dst : *src;
    const Expr pred = parameter("pred"), policy = parameter("cache_policy");
    const bool preserve = preserves();
    std::vector<Expr> written;
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      std::vector<Index> words;
      for (int i = 0; i < count; ++i) words.push_back({i});
      if (Reason r = memory.not_contiguous(group_, repeat, words, std::max(1, count * bits / 8)); !r.empty())
        return refuse(std::move(r));
      std::vector<Given> given;
      std::vector<Expr> own;
      for (int i = 0; i < count; ++i) {
        auto m = regs.register_of(group_, repeat, 1, [&](int) { return Index{i}; });
        if (!m) return refuse(std::move(m.error()));
        own.push_back(*m);
        given.push_back(in_register(regs, *m));
      }
      written.insert(written.end(), own.begin(), own.end());
      const Expr first[] = {Expr(0)};
      const Expr where = memory.pointer(repeat, first);
      given.insert(load ? given.end() : given.begin(), pointer(where));
      if (policy) given.push_back({Given::Kind::Value, policy});
      if (auto made = issue(given, pred, preserve); !made) return made;
      tell(repeat, cat(count * bits / 8, " bytes a thread, ", place(memory, repeat, first), load ? " to " : " from ",
                       registers_text(regs, own)));
    }
    return load ? refused_overlap(regs, written) : Made{};
  }

  static Made refused_overlap(const View& v, const std::vector<Expr>& written) {
    Reason r = v.overlaps(written);
    return r.empty() ? Made{} : refuse(std::move(r));
  }

  // ---- ldmatrix, stmatrix: (*group, *repeat, matrix, row, word) --------------------------------------------------

  Made matrices() {
    if (!has_operands(2)) return refuse(cat(text_, " takes dst and src"));
    if (!has_word("m8n8") || !has_word("b16")) return refuse("matrices of m8n8.b16 have a pattern, no others");
    const bool load = row().mnemonic == "ldmatrix";
    const int count = std::max(1, number_in(token("num")));
    if (auto made = enter(true); !made) return made;
    const std::initializer_list<StorageScope> kLocal = {StorageScope::Local},
                                              kShared = {StorageScope::Shared, StorageScope::SharedDyn};
    auto dst = view("dst", 0, {count, 8, 4}, load ? kLocal : kShared, 32);
    if (!dst) return refuse(std::move(dst.error()));
    auto src = view("src", 1, {count, 8, 4}, load ? kShared : kLocal, 32);
    if (!src) return refuse(std::move(src.error()));
    const View &shared = load ? *src : *dst, &regs = load ? *dst : *src;
    const Expr lane = context_.scope_id(ir::ScopeBinding::WarpThread);
    std::vector<Expr> written;
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      std::vector<Given> given;
      std::vector<Expr> own;
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int row = 0; row < 8; ++row) {
          const Index words[] = {{matrix, row, 0}, {matrix, row, 1}, {matrix, row, 2}, {matrix, row, 3}};
          if (Reason r = shared.not_contiguous(group_, repeat, words, 16); !r.empty()) return refuse(std::move(r));
        }
        auto m = regs.register_of(group_, repeat, 32, [&](int l) { return Index{matrix, l / 4, l % 4}; });
        if (!m) return refuse(std::move(m.error()));
        own.push_back(*m);
        given.push_back(in_register(regs, *m));
      }
      written.insert(written.end(), own.begin(), own.end());
      // Lanes 8 i to 8 i + 7 give the rows of matrix i; the others repeat them.
      const Expr row_of_lane[] = {ir::simplify(ir::floormod(lane / Expr(8), Expr(count))), ir::floormod(lane, Expr(8)),
                                  Expr(0)};
      const Expr where = shared.pointer(repeat, row_of_lane);
      given.insert(load ? given.end() : given.begin(), pointer(where));
      if (auto made = issue(given); !made) return made;
      const Expr origin[] = {Expr(0), Expr(0), Expr(0)};
      tell(repeat, cat(count, " matrices of 8 rows of 16 bytes, from ", place(shared, repeat, origin), " on, ",
                       registers_text(regs, own)));
    }
    return load ? refused_overlap(regs, written) : Made{};
  }

  // ---- mma.m16n8k8 and m16n8k16: D, C (..., M, N, 16, 8), A (..., M, K, 16, k/2), B (..., N, K, 8, k/2) -------------

  Made product() {
    if (!has_operands(4)) return refuse(cat(text_, " takes D, A, B and C"));
    const std::string_view shape = token("shape");
    const bool types = text_.ends_with(".f32.f16.f16.f32") || text_.ends_with(".f32.bf16.bf16.f32");
    if ((shape != "m16n8k8" && shape != "m16n8k16") || !types)
      return refuse("m16n8k8 and m16n8k16 of f16 or bf16 with sums in f32 have a pattern, no others");
    const int k = shape == "m16n8k8" ? 8 : 16;
    if (auto made = enter(true); !made) return made;
    const std::size_t ng = group_.axes.size();
    auto extents = [&](std::size_t i) {
      Index out;
      for (const ir::Range& r : operand(i)->region.ranges) {
        const std::int64_t* n = ir::constant(ir::simplify(r.extent));
        out.push_back(n ? *n : 0);
      }
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(ng, out.size())));
      return out;
    };
    if (!operand(0)->region.buffer || !operand(1)->region.buffer)
      return refuse("D and A are tensors or regions of them");
    const Index of_d = extents(0), of_a = extents(1);
    if (of_d.size() < 4 || of_a.size() != of_d.size())
      return refuse("D has the dimensions M and N before its fragment of (16, 8), and A has M and K before its own");
    const std::size_t nb = of_d.size() - 4;
    Index repeats(of_d.begin(), of_d.end() - 2);
    const std::int64_t nk = of_a[nb + 1];
    repeats.push_back(nk);
    repeats_ = repeats;
    auto axes = [&](std::size_t a, std::size_t b) {
      std::vector<std::size_t> out;
      for (std::size_t i = 0; i < nb; ++i) out.push_back(i);
      out.push_back(nb + a);
      out.push_back(nb + b);
      return out;
    };
    const std::initializer_list<StorageScope> kLocal = {StorageScope::Local};
    auto d = view("D", 0, {16, 8}, kLocal, 32, axes(0, 1));
    if (!d) return refuse(std::move(d.error()));
    auto a = view("A", 1, {16, k / 2}, kLocal, 32, axes(0, 2));
    if (!a) return refuse(std::move(a.error()));
    auto b = view("B", 2, {8, k / 2}, kLocal, 32, axes(1, 2));
    if (!b) return refuse(std::move(b.error()));
    std::optional<View> c;
    if (operand(3)->region.buffer) {
      auto made = view("C", 3, {16, 8}, kLocal, 32, axes(0, 1));
      if (!made) return refuse(std::move(made.error()));
      c = std::move(*made);
    }
    return products(k, *d, *a, *b, c);
  }

  // Registers of one fragment in a thread.
  template <class Coordinate>
  std::expected<std::vector<Expr>, Reason> fragment(const View& v, const Index& repeat, int count,
                                                    Coordinate&& coordinate) const {
    std::vector<Expr> out;
    for (int reg = 0; reg < count; ++reg) {
      auto m = v.register_of(group_, repeat, 32, [&](int lane) { return coordinate(lane, reg); });
      if (!m) return std::unexpected(std::move(m.error()));
      out.push_back(*m);
    }
    return out;
  }

  Made products(int k, const View& d, const View& a, const View& b, const std::optional<View>& c) {
    auto of_a = [](int lane, int reg) { return Index{lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2)}; };
    auto of_b = [](int lane, int reg) { return Index{lane / 4, lane % 4 + 4 * reg}; };
    auto of_d = [](int lane, int reg) { return Index{lane / 4 + 8 * (reg / 2), 2 * (lane % 4) + reg % 2}; };
    std::vector<Expr> written;
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      auto ds = fragment(d, repeat, 4, of_d);
      if (!ds) return refuse(std::move(ds.error()));
      auto as = fragment(a, repeat, k / 4, of_a);
      if (!as) return refuse(std::move(as.error()));
      auto bs = fragment(b, repeat, k / 8, of_b);
      if (!bs) return refuse(std::move(bs.error()));
      std::vector<Given> given;
      auto add = [&](const View& v, const std::vector<Expr>& of) {
        for (Expr m : of) given.push_back(in_register(v, m));
      };
      add(d, *ds);
      add(a, *as);
      add(b, *bs);
      const bool begins = repeat.back() == 0;  // the others add to D
      if (!begins) {
        add(d, *ds);
      } else if (c) {
        auto cs = fragment(*c, repeat, 4, of_d);
        if (!cs) return refuse(std::move(cs.error()));
        add(*c, *cs);
      } else {
        for (int i = 0; i < 4; ++i) given.push_back({Given::Kind::Value, operand(3)->value});
      }
      if (begins) written.insert(written.end(), ds->begin(), ds->end());
      if (auto made = issue(given); !made) return made;
      tell(repeat, cat("D ", registers_text(d, *ds), ", A ", registers_text(a, *as), ", B ", registers_text(b, *bs),
                       begins ? c ? ", sums begin with C" : ", sums begin with a number" : ", added to D"));
    }
    return refused_overlap(d, written);
  }

  // ---- cp.async.ca, .cg: (*group, *repeat, element) --------------------------------------------------------------

  Made asynchronous() {
    if (!has_operands(2)) return refuse(cat(text_, " takes dst and src"));
    const Expr bytes = parameter("chunk_bytes");
    const std::int64_t* size = bytes ? ir::constant(ir::simplify(bytes)) : nullptr;
    if (!size || (*size != 4 && *size != 8 && *size != 16)) return refuse("chunk_bytes= is 4, 8 or 16");
    if (auto made = enter(false); !made) return made;
    std::array<std::optional<View>, 2> views;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (!operand(i)->region.buffer) return refuse(cat(i ? "src" : "dst", " is no tensor and no region of one"));
      const ir::DataType dtype = operand(i)->region.buffer->dtype;
      const int bits = dtype.storage_bits() * dtype.lanes;
      if (*size * 8 % bits != 0)
        return refuse(cat("chunk_bytes=", *size, " is no whole number of ", ir::dtype_name(dtype)));
      auto v = i == 0 ? view("dst", 0, {*size * 8 / bits}, {StorageScope::Shared, StorageScope::SharedDyn}, 0)
                      : view("src", 1, {*size * 8 / bits}, {StorageScope::Global}, 0);
      if (!v) return refuse(std::move(v.error()));
      views[i] = std::move(*v);
    }
    const Expr pred = parameter("pred"), source = parameter("src_size"), ignored = parameter("ignore_src"),
               policy = parameter("cache_policy");
    if (source && ignored) return refuse("src_size= and ignore_src= exclude each other");
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      for (const auto& v : views) {
        std::vector<Index> elements;
        for (std::int64_t i = 0; i < v->atom().front(); ++i) elements.push_back({i});
        if (Reason r = v->not_contiguous(group_, repeat, elements, static_cast<int>(*size)); !r.empty())
          return refuse(std::move(r));
      }
      const Expr first[] = {Expr(0)};
      std::vector<Given> given = {pointer(views[0]->pointer(repeat, first)),
                                  pointer(views[1]->pointer(repeat, first)),
                                  {Given::Kind::Value, Expr(*size)}};
      if (source) given.push_back({Given::Kind::Value, source});
      if (ignored) given.push_back({Given::Kind::Value, ignored, true});
      if (policy) given.push_back({Given::Kind::Value, policy});
      if (auto made = issue(given, pred); !made) return made;
      tell(repeat,
           cat(*size, " bytes a thread, ", place(*views[1], repeat, first), " to ", place(*views[0], repeat, first)));
    }
    return {};
  }

  // ---- cp.async.bulk into another CTA's shared memory: (*group, *repeat, element) --------------------------------

  Made distributed() {
    if (!has_operands(2)) return refuse(cat(text_, " takes dst and src"));
    const Expr bytes = parameter("chunk_bytes"), barrier = parameter("mbar"), cta = parameter("remote_cta_id"),
               pred = parameter("pred");
    const std::int64_t* size = bytes ? ir::constant(ir::simplify(bytes)) : nullptr;
    if (!size || *size <= 0 || *size % 16 != 0) return refuse("chunk_bytes= is a multiple of 16");
    if (!barrier || !cta)
      return refuse(cat(text_, " takes mbar=, the barrier that its bytes arrive at, and remote_cta_id=, whose memory ",
                        "dst and the barrier are taken for"));
    if (auto made = enter(false); !made) return made;
    std::array<std::optional<View>, 2> views;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const std::string_view name = i ? "src" : "dst";
      if (!operand(i)->region.buffer) return refuse(cat(name, " is no tensor and no region of one"));
      const ir::DataType dtype = operand(i)->region.buffer->dtype;
      const int bits = dtype.storage_bits() * dtype.lanes;
      if (*size * 8 % bits != 0)
        return refuse(cat("chunk_bytes=", *size, " is no whole number of ", ir::dtype_name(dtype)));
      auto v = view(name, i, {*size * 8 / bits}, {StorageScope::Shared, StorageScope::SharedDyn}, 0);
      if (!v) return refuse(std::move(v.error()));
      views[i] = std::move(*v);
    }
    // The addresses in the other CTA: of the barrier, and of what a repetition writes.
    const ir::Buffer* there = local_words("remote_addresses", 2);
    auto word = [&](int i) {
      const Expr at[] = {Expr(i)};
      return ir::load(there, at);
    };
    const Expr rank = ir::cast(ir::kUInt32, cta);
    static const intrinsics::Intrinsic& window = *intrinsics::row_of_id("C36");
    auto in_window = [&](int i) { return Given{Given::Kind::Value, row_call(window, {word(i)})}; };
    auto map = [&](int i, Given address) -> Made {
      auto call = tile::instruction_call(
          context_, "mapa.u64", {{Given::Kind::Register, word(i)}, address, {Given::Kind::Value, rank}}, {}, false);
      if (!call) return refuse(std::move(call.error()));
      out_.add<ir::Evaluate>(*call);
      return Made{};
    };
    if (auto made = map(0, {Given::Kind::Value, barrier}); !made) return made;
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      for (const auto& v : views) {
        std::vector<Index> elements;
        for (std::int64_t i = 0; i < v->atom().front(); ++i) elements.push_back({i});
        if (Reason r = v->not_contiguous(group_, repeat, elements, 16); !r.empty()) return refuse(std::move(r));
      }
      const Expr first[] = {Expr(0)};
      if (auto made = map(1, pointer(views[0]->pointer(repeat, first))); !made) return made;
      if (auto made = issue({in_window(1),
                             pointer(views[1]->pointer(repeat, first)),
                             {Given::Kind::Value, ir::int_imm(ir::kUInt32, *size)},
                             in_window(0)},
                            pred);
          !made)
        return made;
      tell(repeat, cat(*size, " bytes, ", place(*views[1], repeat, first), " to ", place(*views[0], repeat, first),
                       " of CTA ", ir::to_string(cta), " of the cluster"));
    }
    return {};
  }

  const ir::Buffer* local_words(std::string_view name, int count) {
    auto* words = Arena::current().make<ir::Buffer>();
    const Expr shape[] = {Expr(count)};
    words->name = name;
    words->data = ir::make_var(name, ir::kHandle, ir::VarRole::Data);
    words->dtype = ir::kUInt64;
    words->shape = Arena::current().copy(std::span<const Expr>(shape));
    words->scope = StorageScope::Local;
    out_.add<ir::Alloc>(words);
    return words;
  }

  // ---- arithmetic: each operand ends in its group of registers ---------------------------------------------------

  Made registers() {
    // The form whose registers are those of the views.
    const ptx::Candidate* found = nullptr;
    std::vector<const ptx::Operand*> slots;
    for (const ptx::Candidate& form : forms_) {
      std::vector<const ptx::Operand*> own;
      for (const ptx::Operand& o : form.row->operands) {
        if (o.kind != ptx::OperandKind::Literal) own.push_back(&o);
      }
      const bool fits = own.size() == context_.call.args.size() && std::ranges::all_of(own, [&](const ptx::Operand* o) {
                          const std::size_t i = static_cast<std::size_t>(std::ranges::find(own, o) - own.begin());
                          return operand(i)->region.buffer ||
                                 (o->access == ptx::Access::Read && o->kind == ptx::OperandKind::Register);
                        });
      if (!fits || found) continue;
      found = &form;
      slots = std::move(own);
    }
    if (!found) return refuse(cat("no form of ", text_, " has ", context_.call.args.size(), " operands like these"));
    if (auto made = enter(false); !made) return made;
    std::vector<std::optional<View>> views;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      views.emplace_back();
      const ir::Operand& o = *operand(i);
      if (!o.region.buffer) continue;
      const std::int64_t* last =
          o.region.ranges.empty() ? nullptr : ir::constant(ir::simplify(o.region.ranges.back().extent));
      if (!last || *last > 16) return refuse(cat(slots[i]->name, " ends with the registers of the instruction"));
      auto v = view(slots[i]->name, i, {*last}, {StorageScope::Local}, 0);
      if (!v) return refuse(std::move(v.error()));
      views.back() = std::move(*v);
    }
    if (!repeats_) repeats_ = Index{};
    const Expr pred = parameter("pred");
    const bool preserve = preserves();
    std::vector<std::vector<Expr>> written(slots.size());
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      std::vector<Given> given;
      std::string told;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (!views[i]) {
          given.push_back({Given::Kind::Value, operand(i)->value});
          continue;
        }
        std::vector<Expr> own;
        for (std::int64_t word = 0; word < views[i]->atom().front(); ++word) {
          auto m = views[i]->register_of(group_, repeat, 1, [&](int) { return Index{word}; });
          if (!m) return refuse(std::move(m.error()));
          own.push_back(*m);
          given.push_back(in_register(*views[i], *m));
        }
        told += cat(told.empty() ? "" : ", ", slots[i]->name, " ", registers_text(*views[i], own));
        written[i].insert(written[i].end(), own.begin(), own.end());
      }
      if (auto made = issue(given, pred, preserve); !made) return made;
      tell(repeat, told);
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i]->access == ptx::Access::Read || !views[i]) continue;
      if (auto made = refused_overlap(*views[i], written[i]); !made) return made;
    }
    return {};
  }

  CallContext& context_;
  ir::BodyBuilder out_;
  std::string_view text_;
  std::vector<ptx::Candidate> forms_;
  Group group_;
  std::optional<Index> repeats_;
  std::vector<std::string> told_;
  std::vector<std::string_view> read_;
};

}  // namespace

std::span<const Predicate> predicates() { return {}; }
Planned plan(CallContext& context) { return Apply(context).plan(); }

}  // namespace tilewright::dispatch::variants::tile_apply
