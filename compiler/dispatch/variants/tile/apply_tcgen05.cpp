// T.cuda.tile.apply of tcgen05.mma and tcgen05.cp: tiles of shared memory by descriptors, and tensor memory
// (dialects.md 8).
//
// The views say where each element lies, the instruction where it looks for it: in shared memory on the walk of a
// descriptor, in tensor memory at lanes and columns. Both must agree: nothing is moved, and no other mode is tried.
#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "compiler/dispatch/blocks/matrix_descriptor.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/shared_operand.h"
#include "compiler/dispatch/blocks/tile_views.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/descriptor_words.h"
#include "compiler/intrinsics/rows/tcgen05.h"
#include "compiler/layout/tensor_memory.h"
#include "compiler/ptx/chain.h"

namespace tilewright::dispatch::variants::tile_apply_tcgen05 {
namespace {

using ir::Expr;
using ir::StorageScope;
using layout::Axis;
using tile::Given;
using tile::Group;
using tile::Index;
using tile::View;

using Made = std::expected<void, Reason>;
constexpr std::int64_t kLanes = 128, kColumns = 512;  // of tensor memory
constexpr std::string_view kOperands[] = {"D", "A", "B", "SFA", "SFB"};

class Apply {
 public:
  explicit Apply(CallContext& context)
      : context_(context), out_(context.call.origin), text_(tile::instruction_of(context)) {}

  Planned plan() {
    if (auto made = begin(); !made) return decline(std::move(made.error()));
    if (auto made = copies_ ? copy() : product(); !made) return decline(std::move(made.error()));
    for (const ir::ConfigItem& item : context_.call.config) {
      if (item.key != "instruction" && item.value.value && std::ranges::find(read_, item.key) == read_.end())
        return decline(cat(text_, " takes no ", item.key, "="));
    }
    Plan plan{.body = out_.finish()};
    plan.facts.push_back({"instruction", std::string(text_)});
    tile::tell_repetitions(plan, text_, group_, *repeats_);
    plan.constants = std::move(fixed_);
    std::ranges::move(told_, std::back_inserter(plan.constants));
    return plan;
  }

 private:
  bool has_word(std::string_view word) const {
    return cat(".", text_, ".").find(cat(".", word, ".")) != std::string::npos;
  }

  Made begin() {
    auto chain = ptx::Chain::parse(text_);
    if (!chain) return refuse(chain.error());
    const ptx::Candidate* form = nullptr;
    for (const ptx::Candidate& c : chain->candidates()) {
      if (!form && !ptx::fault_of(c)) form = &c;
    }
    if (!form) return refuse(cat(text_, " is not a whole instruction"));
    copies_ = text_.starts_with("tcgen05.cp.");
    for (auto [word, why] : {std::pair("sp", "its metadata is no operand of T.cuda.tile.apply"),
                             std::pair("decompress::lut::b", "its table is no operand of T.cuda.tile.apply"),
                             std::pair("ashift", "its rows are not those of the views")}) {
      if (has_word(word))
        return refuse(cat("tcgen05.mma with .", word, " has no pattern, here and in the package: ", why,
                          "; write the instruction itself, T.ptx[\"", text_, "\"]"));
    }
    group_two_ = has_word("cta_group::2");
    scaled_ = has_word("block_scale");
    auto group = tile::group_of(context_, false);
    if (!group) return refuse(std::move(group.error()));
    if (!group->axes.empty())
      return refuse(cat("one thread starts ", copies_ ? "tcgen05.cp" : "tcgen05.mma",
                        ": write scope=\"thread\", where T.cuda.elect_sync() chose one"));
    return {};
  }

  Expr parameter(std::string_view name) {
    read_.push_back(name);
    return option(context_.call, name);
  }
  // The constants of a keyword; empty: it is not given, or one of them is not known.
  Index numbers(std::string_view name) {
    read_.push_back(name);
    Index out;
    for (const ir::ConfigItem& item : context_.call.config) {
      if (item.key != name || !item.value.value) continue;
      const std::int64_t* n = ir::constant(ir::simplify(item.value.value));
      if (!n) return {};
      out.push_back(*n);
    }
    return out;
  }
  bool flag(std::string_view name) {
    const Index given = numbers(name);
    return !given.empty() && given[0] != 0;
  }
  std::string words(std::string_view name, std::string_view otherwise) {
    const auto* text = parameter(name).as<ir::StringImm>();
    return std::string(text ? text->value : otherwise);
  }

  std::expected<View, Reason> view(std::string_view name, std::size_t i, Index atom,
                                   std::initializer_list<StorageScope> scopes,
                                   std::optional<std::vector<std::size_t>> axes = {}) {
    if (i >= context_.call.args.size()) return std::unexpected(cat(text_, " takes another view, ", name));
    auto v = View::of(name, context_.call.args[i], group_, std::move(atom), repeats_, std::move(axes));
    if (!v) return v;
    if (Reason r = v->not_in(scopes); !r.empty()) return std::unexpected(std::move(r));
    if (v->buffer().scope == StorageScope::Tmem && !v->buffer().allocated_addr)
      return std::unexpected(cat(
          v->spoken(), " has no address in tensor memory: declare it with T.cuda.decl_tmem, or take it from a pool"));
    return v;
  }

  // ---- shared memory ----------------------------------------------------------------------------------------------

  // What one repetition takes of a view.
  static ir::Region region_of(const View& v, const Index& repeat) {
    const std::vector<Expr> origin(v.atom().size(), Expr(0));
    const std::vector<Expr> first = v.element(repeat, origin);
    std::vector<ir::Range> ranges;
    for (std::size_t d = 0; d < first.size(); ++d) {
      const std::size_t outer = first.size() - v.atom().size();
      ranges.push_back({first[d], d < outer ? Expr(1) : Expr(v.atom()[d - outer])});
    }
    ir::Region out = v.region();
    out.ranges = Arena::current().copy(ranges);
    return out;
  }
  static std::string place(const View& v, const Index& repeat) {
    std::string out;
    for (const ir::Range& r : region_of(v, repeat).ranges) {
      out += cat(out.empty() ? "" : ", ", ir::to_string(r.min));
      if (!ir::is_constant(r.extent, 1)) out += cat(":", ir::to_string(ir::simplify(r.min + r.extent)));
    }
    const std::string_view name = ir::spoken_name(v.buffer());
    return cat(name.empty() ? v.name() : name, "[", out, "]");
  }

  // The descriptor of what a repetition reads: encoded once for each buffer and way of walking, and moved from there.
  std::expected<Expr, Reason> descriptor(const View& v, const Index& repeat, bool mn_major) {
    const ir::Region region = region_of(v, repeat);
    auto operand = shared_operand(region, false, Unswizzled::Described);
    if (!operand) return std::unexpected(std::move(operand.error()));
    if (operand->mn_major != mn_major)
      return std::unexpected(cat(v.name(), " is ", operand->mn_major ? "MN-major" : "K-major", " by its layout: ",
                                 v.name() == "A" ? "a" : "b", "_major= says \"", mn_major ? "mn" : "k", "\""));
    if (Reason r = operand->unreadable(0, operand->mn, 0, operand->k); !r.empty()) return std::unexpected(std::move(r));
    auto known = std::ranges::find_if(encoded_, [&](const Encoded& e) {
      return e.buffer == operand->buffer && e.ldo == operand->ldo && e.sdo == operand->sdo;
    });
    if (known == encoded_.end()) {
      static const intrinsics::Intrinsic& row = row_of("matrix_descriptor");
      const std::string name = encoded_.empty() ? "desc" : cat("desc_", encoded_.size());
      const Expr value = add_descriptor(context_, out_, Arena::current().copy(std::string_view(name)), row,
                                        operand->buffer, {operand->ldo, operand->sdo, operand->mode});
      encoded_.push_back({operand->buffer, operand->ldo, operand->sdo, value});
      known = std::prev(encoded_.end());
      fixed_.push_back(descriptor_words(*operand, v.name(), false));
    }
    return moved_descriptor(known->value, operand->offset(0, 0));
  }

  // ---- tensor memory ----------------------------------------------------------------------------------------------

  struct Cell {
    Expr lane = 0, column = 0;
  };
  std::expected<Cell, Reason> cell(const View& v, const Index& repeat, const Index& atom) const {
    auto placed = v.place({}, repeat, atom);
    if (!placed) return std::unexpected(std::move(placed.error()));
    Cell out;
    for (auto [axis, value] : *placed) {
      if (axis == Axis::TLane)
        out.lane = value;
      else if (axis == Axis::TCol)
        out.column = value;
      else
        return std::unexpected(cat("the layout of ", v.spoken(), " has axis ", layout::axis_name(axis),
                                   ": tensor memory has TLane and TCol"));
    }
    return out;
  }

  static std::string at(const View& v, const Index& atom) {
    std::string out;
    for (std::int64_t i : atom) out += cat(out.empty() ? "" : ", ", i);
    return cat("element (", out, ") of ", v.spoken());
  }

  // Each element lies where `expected(atom)` says, counted from the first: that one's place, columns of its own size.
  template <class Expected>
  std::expected<Cell, Reason> placed_as(const View& v, const Index& repeat, Expected&& expected) const {
    auto first = cell(v, repeat, Index(v.atom().size()));
    if (!first) return first;
    for (const Index& atom : tile::indices_below(v.atom())) {
      auto here = cell(v, repeat, atom);
      if (!here) return here;
      const auto [lane, column] = expected(atom);
      if (ir::provably_equal(here->lane, first->lane + Expr(lane)) &&
          ir::provably_equal(here->column, first->column + Expr(column)))
        continue;
      return std::unexpected(cat(at(v, atom), " lies in lane ", ir::to_string(here->lane), ", column ",
                                 ir::to_string(here->column), "; the instruction has it in lane ",
                                 ir::to_string(ir::simplify(first->lane + Expr(lane))), ", column ",
                                 ir::to_string(ir::simplify(first->column + Expr(column)))));
    }
    return first;
  }
  // The same, in cells of 32 bits.
  template <class Expected>
  std::expected<Cell, Reason> fits(const View& v, const Index& repeat, Expected&& expected) const {
    auto first = placed_as(v, repeat, expected);
    if (!first) return first;
    const std::int64_t in_cell = 32 / v.bits();
    if (!ir::provably_divisible(first->column, in_cell))
      return std::unexpected(cat(v.spoken(), " begins at column ", ir::to_string(first->column), " of ", v.bits(),
                                 " bits, within a cell of 32"));
    first->column = ir::simplify(first->column / Expr(in_cell));
    return first;
  }

  Expr address(const View& v, const Cell& first) const {
    static const intrinsics::Intrinsic& row = *intrinsics::row_of_id("C37");
    return row_call(row, {v.buffer().allocated_addr, first.lane, first.column});
  }
  static std::string words(const Cell& first) {
    return cat("lane ", ir::to_string(first.lane), ", column ", ir::to_string(first.column));
  }

  static std::string replicas(const layout::Layout* l) {
    std::string out;
    if (!l || !l->tile) return out;
    for (const layout::Iter& it : l->tile->replica) {
      if (it.extent.is_constant() && it.extent.value() == 1) continue;
      out += cat(out.empty() ? "" : ", ", layout::to_string(it.extent), " at ", layout::to_string(it.stride), "@",
                 layout::axis_name(it.axis));
    }
    return out;
  }
  static Reason other_replicas(const View& v, const std::string& wanted, std::string_view does = "writes") {
    const std::string has = replicas(v.buffer().layout);
    if (has == wanted) return {};
    return cat(v.spoken(),
               has.empty() ? " has no copies in its layout" : cat(" has the copies ", has, " in its layout"),
               ", the instruction ", does, " ", wanted.empty() ? std::string("one") : wanted);
  }

  Made issue(const std::vector<Given>& given, Expr pred) {
    auto call = tile::instruction_call(context_, text_, given, pred, false);
    if (!call) return refuse(std::move(call.error()));
    out_.add<ir::Evaluate>(*call);
    return {};
  }
  static Given number(Expr e) { return {Given::Kind::Value, e}; }

  // ---- tcgen05.cp: (*repeat, row, word) ---------------------------------------------------------------------------

  // Lanes from the first row to row i, copies of all of them, and how far from the first lane the last one lies.
  struct Rows {
    std::int64_t rows = 0, words = 0;
    bool halves = false;  // warpx2::01_23: rows 32 to 63 in the third warp's lanes
    std::string copies;
    std::int64_t last = 0;
    std::int64_t lane(std::int64_t row) const {
      if (rows == 4) return 32 * row;  // one lane of each warp
      return halves ? row / 32 * 64 + row % 32 : row;
    }
  };
  std::expected<Rows, Reason> shape() const {
    for (auto [name, rows, count] : {std::tuple{"128x256b", 128, 8},
                                     {"128x128b", 128, 4},
                                     {"64x128b", 64, 4},
                                     {"32x128b", 32, 4},
                                     {"4x256b", 4, 8}}) {
      if (!has_word(name)) continue;
      Rows out{rows, count, has_word("warpx2::01_23"), {}, rows == 4 ? 96 : rows - 1};
      if (out.halves) out = {rows, count, true, "2 at 32@TLane", 127};
      if (has_word("warpx2::02_13")) out = {rows, count, false, "2 at 64@TLane", 127};
      if (has_word("warpx4")) out = {rows, count, false, "4 at 32@TLane", 127};
      return out;
    }
    return std::unexpected(cat(text_, " has no pattern: 128x256b, 128x128b, 64x128b, 32x128b and 4x256b have"));
  }

  Made copy() {
    if (context_.call.args.size() != 2) return refuse(cat(text_, " takes dst and src"));
    auto rows = shape();
    if (!rows) return refuse(std::move(rows.error()));
    auto dst = view("dst", 0, {rows->rows, rows->words}, {StorageScope::Tmem});
    if (!dst) return refuse(std::move(dst.error()));
    auto src = view("src", 1, {rows->rows, rows->words}, {StorageScope::Shared, StorageScope::SharedDyn});
    if (!src) return refuse(std::move(src.error()));
    for (const View* v : {&*dst, &*src}) {
      if (Reason r = v->not_bits(32); !r.empty()) return refuse(std::move(r));
    }
    if (Reason r = other_replicas(*dst, rows->copies); !r.empty()) return refuse(std::move(r));
    const Expr pred = parameter("pred");
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      auto first = fits(*dst, repeat, [&](const Index& i) { return std::pair(rows->lane(i[0]), i[1]); });
      if (!first) return refuse(std::move(first.error()));
      if (!ir::provably_divisible(first->column, 4))
        return refuse(cat("dst begins at column ", ir::to_string(first->column), ": it must be a multiple of 4"));
      const std::int64_t *lane = ir::constant(first->lane), *column = ir::constant(first->column);
      if ((lane && *lane + rows->last >= kLanes) || (column && *column + rows->words > kColumns))
        return refuse(cat("the copy begins at ", words(*first), " and reaches beyond tensor memory, which has ", kLanes,
                          " lanes and ", kColumns, " columns"));
      auto from = descriptor(*src, repeat, false);
      if (!from) return refuse(std::move(from.error()));
      if (auto made = issue({number(address(*dst, *first)), number(*from)}, pred); !made) return made;
      tile::tell_repetition(
          told_, repeat,
          cat("reads ", place(*src, repeat), ", ", rows->rows, " rows of ", rows->words * 4, " bytes, and writes ",
              rows->words, " columns of ", rows->rows, " lanes from ", words(*first),
              rows->copies.empty() ? std::string() : cat(" on, in copies: ", rows->copies)));
    }
    return {};
  }

  // ---- tcgen05.mma: D (..., M, N, rows, n), A (..., M, K, rows, k), B (..., N, K, n, k); scale factors of A and B
  // (..., M, K, rows, v) and (..., N, K, n, v) -----------------------------------------------------------------------

  struct Product {
    std::int64_t m = 0, n = 0, k = 0, group = 1;
    bool ws = false, a_mn = false, b_mn = false, a_tmem = false;
    std::uint32_t instruction = 0;
    std::string kind{};
    Index a_atom{};
    std::int64_t scale_vector = 0;  // factors of a row in one instruction; 0: dense
  };

  // The extents of a view behind the threads, or nothing.
  Index extents(std::size_t i) const {
    Index out;
    if (i >= context_.call.args.size()) return out;
    for (const ir::Range& r : context_.call.args[i].region.ranges) {
      const std::int64_t* n = ir::constant(ir::simplify(r.extent));
      out.push_back(n ? *n : 0);
    }
    return out;
  }

  std::expected<Product, Reason> instruction() {
    Product p{.group = group_two_ ? 2 : 1, .ws = has_word("ws")};
    const Index shape = numbers("instruction_shape");
    if (shape.size() != 3 || std::ranges::min(shape) < 1)
      return std::unexpected("instruction_shape= is (M, N, K) of one instruction, three constants");
    p.m = shape[0];
    p.n = shape[1];
    p.k = shape[2];
    if (context_.call.args.size() != (scaled_ ? 5 : 3))
      return std::unexpected(
          cat(text_, " takes ", scaled_ ? "D, A, B and their scale factors, SFA and SFB" : "D, A and B"));
    if (p.ws && p.n != 64 && p.n != 128 && p.n != 256)
      return std::unexpected(cat("N of tcgen05.mma.ws is 64, 128 or 256, not ", p.n));
    for (auto [name, into] : {std::pair("a_major", &p.a_mn), std::pair("b_major", &p.b_mn)}) {
      const std::string major = words(name, "k");
      if (major != "k" && major != "mn") return std::unexpected(cat(name, "= is \"k\" or \"mn\", not \"", major, "\""));
      *into = major == "mn";
    }
    for (std::size_t i = 0; i < context_.call.args.size(); ++i) {
      if (!context_.call.args[i].region.buffer)
        return std::unexpected(cat(kOperands[i], " is no tensor and no region of one"));
    }
    p.a_tmem = context_.call.args[1].region.buffer->scope == StorageScope::Tmem;
    if (p.a_tmem && p.a_mn) return std::unexpected("A in tensor memory is K-major: its rows are lanes");
    p.a_atom = {p.m / p.group, p.k};
    if (p.a_tmem && p.ws && p.m == 64) p.a_atom.insert(p.a_atom.begin(), 2);
    if (Reason r = describe(p); !r.empty()) return std::unexpected(std::move(r));
    return p;
  }

  // The instruction descriptor, checked by its row.
  Reason describe(Product& p) {
    auto type = [&](std::size_t i, std::string_view given) {
      std::string own = ir::dtype_name(context_.call.args[i].region.buffer->dtype);
      if (!given.empty()) own = words(given, own);
      return ir::string_imm(Arena::current().copy(std::string_view(own == "float32" && i > 0 ? "tf32" : own)));
    };
    static const intrinsics::Intrinsic &dense = row_of("instruction_descriptor"),
                                       &with_scales = row_of("instruction_descriptor_scaled");
    const intrinsics::Intrinsic& row = scaled_ ? with_scales : dense;
    std::vector<Expr> args = {Expr(0), type(0, {}), type(1, "a_format"), type(2, "b_format")};
    if (scaled_) args.insert(args.end(), {type(3, {}), type(4, {}), Expr(0), Expr(0)});
    args.insert(args.end(), {Expr(p.m), Expr(p.n), Expr(p.k), ir::bool_imm(p.a_mn), ir::bool_imm(p.b_mn), Expr(p.group),
                             ir::bool_imm(flag("neg_a")), ir::bool_imm(flag("neg_b"))});
    if (!scaled_) args.push_back(ir::bool_imm(flag("sat_d")));
    const Expr call = row_call(row, std::move(args));
    const std::span<const Expr> bound = call.as<ir::Call>()->args;
    if (auto failure = row.check(row, bound, context_.target())) return *failure;
    const intrinsics::Arguments arguments(row, bound);
    auto kind = intrinsics::tcgen05::kind_of(arguments);
    if (!kind) return kind.error();
    p.kind = kind->name;
    if (!has_word(cat("kind::", p.kind)))
      return cat("the types of D, A", scaled_ ? ", B and the scale factors" : " and B", " are those of kind::", p.kind,
                 ", the instruction says another: ", text_);
    p.scale_vector = kind->scale_vector;
    if (scaled_ && !has_word(cat("scale_vec::", p.scale_vector, "X")))
      return cat("kind::", p.kind, " with scale factors of ",
                 ir::dtype_name(context_.call.args[3].region.buffer->dtype), " takes ", p.scale_vector,
                 " of a row: write .scale_vec::", p.scale_vector, "X");
    p.instruction = intrinsics::tcgen05::instruction_descriptor_bits(arguments);
    return {};
  }

  Made product() {
    auto made = instruction();
    if (!made) return refuse(std::move(made.error()));
    const Product& p = *made;
    const Index of_d = extents(0), of_a = extents(1);
    if (of_d.size() < 4 || of_a.size() < of_d.size())
      return refuse(cat("D has the repetitions along M and N before its atom of (", p.m / p.group, ", ", p.n,
                        "), A those along M and K before its own"));
    const std::size_t nb = of_d.size() - 4;
    Index repeats(of_d.begin(), of_d.end() - 2);
    repeats.push_back(of_a[of_a.size() - p.a_atom.size() - 1]);
    repeats_ = repeats;
    auto axes = [&](std::size_t a, std::size_t b) {
      std::vector<std::size_t> out;
      for (std::size_t i = 0; i < nb; ++i) out.push_back(i);
      out.push_back(nb + a);
      out.push_back(nb + b);
      return out;
    };
    const std::initializer_list<StorageScope> kTensor = {StorageScope::Tmem},
                                              kShared = {StorageScope::Shared, StorageScope::SharedDyn};
    auto d = view("D", 0, {p.m / p.group, p.n}, kTensor, axes(0, 1));
    if (!d) return refuse(std::move(d.error()));
    auto a = view("A", 1, p.a_atom, p.a_tmem ? kTensor : kShared, axes(0, 2));
    if (!a) return refuse(std::move(a.error()));
    auto b = view("B", 2, {p.n / p.group, p.k}, kShared, axes(1, 2));
    if (!b) return refuse(std::move(b.error()));
    if (scaled_) {
      for (std::size_t i : {3u, 4u}) {
        auto v =
            view(kOperands[i], i, {i == 3 ? p.m / p.group : p.n, p.scale_vector}, kTensor, axes(i == 3 ? 0 : 1, 2));
        if (!v) return refuse(std::move(v.error()));
        if (Reason r = v->not_bits(8); !r.empty()) return refuse(std::move(r));
        scales_.push_back(std::move(*v));
      }
    }
    char bits[16];
    std::snprintf(bits, sizeof bits, "0x%08x", p.instruction);
    fixed_.push_back(cat("instruction descriptor ", bits, ": ",
                         intrinsics::words(intrinsics::instruction_fields(p.instruction, p.kind))));
    return products(p, *d, *a, *b);
  }

  std::expected<Cell, Reason> operand_cell(const Product& p, const View& v, const Index& repeat) const {
    // Only with 64 rows does .ws put them elsewhere.
    const layout::MmaInstruction instruction{p.m, p.group, p.ws && p.m == 64, false};
    auto expected = layout::tmem_mma_operand_layout(v.name(), v.atom(), instruction);
    if (!expected) return std::unexpected(std::move(expected.error().message));
    if (Reason r = other_replicas(v, replicas(&*expected)); !r.empty()) return std::unexpected(std::move(r));
    layout::Shape shape;
    for (std::int64_t n : v.atom()) shape.push_back(layout::Dim(n));
    return fits(v, repeat, [&](const Index& atom) {
      std::pair<std::int64_t, std::int64_t> out{0, 0};
      if (auto placed = layout::apply(*expected, atom, shape)) {
        for (auto [axis, value] : *placed) (axis == Axis::TLane ? out.first : out.second) = value;
      }
      return out;
    });
  }

  // The factors of row r in lane r mod 32 of each quarter, cell r / 32 from the first: where that is, and from which of
  // the four bytes of a cell on.
  struct ScaleCell {
    Cell cell;
    Expr byte;
  };
  std::expected<ScaleCell, Reason> scale_cell(const Product& p, const View& v, const Index& repeat) const {
    if (Reason r = other_replicas(v, "4 at 32@TLane", "reads"); !r.empty()) return std::unexpected(std::move(r));
    auto first = placed_as(v, repeat, [](const Index& i) { return std::pair(i[0] % 32, 4 * (i[0] / 32) + i[1]); });
    if (!first) return std::unexpected(std::move(first.error()));
    if (const std::int64_t* lane = ir::constant(ir::simplify(first->lane)); lane && *lane != 0)
      return std::unexpected(cat(v.spoken(), " begins at lane ", *lane,
                                 ": its copies reach beyond tensor memory, which has ", kLanes, " lanes"));
    if (!ir::provably_divisible(first->column, p.scale_vector))
      return std::unexpected(cat("the factors of ", v.name(), " begin at byte ", ir::to_string(first->column), " of ",
                                 v.spoken(), ", not at a multiple of ", p.scale_vector));
    return ScaleCell{{first->lane, ir::simplify(ir::floordiv(first->column, Expr(4)))},
                     ir::simplify(ir::floormod(first->column, Expr(4)))};
  }
  // The instruction descriptor with the bytes where the factors begin (gemm.md 4.3).
  static Expr with_scales(std::uint32_t bits, Expr a, Expr b) {
    std::vector<Expr> fields;
    for (auto [byte, at] : {std::pair(a, 29), std::pair(b, 4)}) {
      if (const std::int64_t* known = ir::constant(byte))
        bits |= static_cast<std::uint32_t>(*known << at);
      else
        fields.push_back(ir::binary(ir::ExprKind::Shl, ir::cast(ir::kUInt32, byte), ir::int_imm(ir::kUInt32, at)));
    }
    Expr out = ir::int_imm(ir::kUInt32, bits);
    for (Expr field : fields) out = ir::binary(ir::ExprKind::BitOr, out, field);
    return out;
  }

  Made products(const Product& p, const View& d, const View& a, const View& b) {
    const Expr accumulate = parameter("accum"), pred = parameter("pred");
    std::vector<Expr> masks = scaled_ ? std::vector<Expr>() : lanes_off(p);
    if (!p.ws && !scaled_ && masks.size() != static_cast<std::size_t>(4 * p.group))
      return refuse(cat("disable_output_lane= has four words for each CTA, ", 4 * p.group));
    std::optional<Cell> to;
    Index of_last;
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      const Index of(repeat.begin(), repeat.end() - 1);
      if (!to || of != of_last) {
        auto cell = operand_cell(p, d, repeat);
        if (!cell) return refuse(std::move(cell.error()));
        to = *cell;
        of_last = of;
      }
      std::vector<Given> given = {number(address(d, *to))};
      std::string from = place(a, repeat);
      if (p.a_tmem) {
        auto cell = operand_cell(p, a, repeat);
        if (!cell) return refuse(std::move(cell.error()));
        given.push_back(number(address(a, *cell)));
        from += cat(" at ", words(*cell));
      } else {
        auto matrix = descriptor(a, repeat, p.a_mn);
        if (!matrix) return refuse(std::move(matrix.error()));
        given.push_back(number(*matrix));
      }
      auto matrix = descriptor(b, repeat, p.b_mn);
      if (!matrix) return refuse(std::move(matrix.error()));
      given.push_back(number(*matrix));
      std::string scaled;
      if (scaled_) {
        std::array<ScaleCell, 2> at;
        for (std::size_t i : {0u, 1u}) {
          auto cell = scale_cell(p, scales_[i], repeat);
          if (!cell) return refuse(std::move(cell.error()));
          at[i] = *cell;
          scaled += cat(i ? ", " : ", scaled by ", place(scales_[i], repeat), " at column ",
                        ir::to_string(cell->cell.column), ", byte ", ir::to_string(cell->byte));
        }
        given.push_back(number(with_scales(p.instruction, at[0].byte, at[1].byte)));
        for (std::size_t i : {0u, 1u}) given.push_back(number(address(scales_[i], at[i].cell)));
      } else {
        given.push_back(number(ir::int_imm(ir::kUInt32, p.instruction)));
      }
      for (std::size_t i = 0; !p.ws && i < masks.size(); ++i) given.push_back(number(ir::cast(ir::kUInt32, masks[i])));
      const bool adds = repeat.back() != 0;
      given.push_back({Given::Kind::Value,
                       adds         ? ir::bool_imm(true)
                       : accumulate ? ir::cast(ir::kBool, accumulate)
                                    : ir::bool_imm(false),
                       true});
      if (p.ws) given.push_back(number(masks.empty() ? ir::int_imm(ir::kUInt64, 0) : ir::cast(ir::kUInt64, masks[0])));
      if (auto made = issue(given, pred); !made) return made;
      tile::tell_repetition(
          told_, repeat,
          cat("D ", place(d, repeat), " at ", words(*to), adds || accumulate ? " += " : " = ", from, " times ",
              place(b, repeat), scaled, !adds && accumulate ? cat(", added where ", ir::to_string(accumulate)) : ""));
    }
    return {};
  }

  // What the last operands of an instruction switch off: words of lanes, or columns of .ws.
  std::vector<Expr> lanes_off(const Product& p) {
    const std::string_view name = p.ws ? "zero_column_mask" : "disable_output_lane";
    read_.push_back(name);
    std::vector<Expr> out;
    for (const ir::ConfigItem& item : context_.call.config) {
      if (item.key == name && item.value.value) out.push_back(item.value.value);
    }
    if (out.empty() && !p.ws) out.assign(static_cast<std::size_t>(4 * p.group), Expr(0));
    return out;
  }

  struct Encoded {
    const ir::Buffer* buffer;
    std::int64_t ldo, sdo;
    Expr value;
  };

  CallContext& context_;
  ir::BodyBuilder out_;
  std::string_view text_;
  bool copies_ = false, group_two_ = false, scaled_ = false;
  Group group_;
  std::optional<Index> repeats_;
  std::vector<Encoded> encoded_;
  std::vector<View> scales_;  // SFA, SFB
  std::vector<std::string> fixed_, told_;
  std::vector<std::string_view> read_;
};

}  // namespace

std::span<const Predicate> predicates() { return {}; }
Planned plan(CallContext& context) { return Apply(context).plan(); }

}  // namespace tilewright::dispatch::variants::tile_apply_tcgen05
