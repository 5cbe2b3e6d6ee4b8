// Instructions of 0.27 by which lanes and threads meet: votes, shuffles, matches, reductions, barriers of the hardware.
#include <utility>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/machine/compile_instructions.h"

namespace tilewright::simulate {

using namespace ir;

// A mask of lanes; a register of a signed type holds its value extended.
void Compiler::store_mask(Expr to, Register mask) {
  store_element(to, to.dtype().is_int() ? make(Op::Normalise, to.dtype(), mask) : mask);
}

// Which lanes a predicate holds in: in any, in all, in all or none, or their mask. False: it is no vote.
bool Compiler::vote(const Instruction27& in) {
  const std::string_view id = in.id();
  if (id != "vote_sync" && id != "vote_sync_ballot") return false;
  const Register zero = constant_register(0);
  const Register mask = scalar(in.operand("membermask"));
  const Register holds = make(Op::NotEqual, kBool, scalar(in.operand("a")), zero);
  auto asked = [&](Site::Kind kind, Register of) {
    Site s;
    s.kind = kind;
    s.type = kUInt32;
    s.args = {mask, of};
    return meet(std::move(s), kUInt32)[0];
  };
  if (id == "vote_sync_ballot") {
    store_mask(in.operand("d"), asked(Site::Kind::Ballot, holds));
    return true;
  }
  const std::string_view mode = in.word("mode");
  Register out = asked(Site::Kind::Any, holds);
  if (mode != "any") {
    const Register none = make(Op::Equal, kBool, out, zero);
    const Register all = make(Op::Equal, kBool, asked(Site::Kind::Any, make(Op::Not, kBool, holds)), zero);
    out = mode == "all" ? all : make(Op::BitOr, kUInt32, all, none);
  }
  store_element(in.operand("d"), make(Op::NotEqual, kBool, out, zero));
  return true;
}

// shfl.sync with and without the predicate that says whether the source lane was in range. `c` is a clamp in its low
// five bits and the mask of a segment in bits 8 to 12 (PTX ISA, "shfl.sync").
bool Compiler::shuffle(const Instruction27& in) {
  if (in.id() != "shfl_sync" && in.id() != "shfl_sync_p") return false;
  const std::string_view mode = in.word("mode");
  const std::int64_t* clamp = constant(in.operand("c"));
  const std::int64_t width = clamp ? 32 - (*clamp >> 8 & 31) : 0;
  const bool plain = clamp && (*clamp & 31) == (mode == "up" ? 0 : 31) && (width & (width - 1)) == 0;
  const DataType type = in.bound("d")->dtype;
  const Register mask = scalar(in.operand("membermask")), from = scalar(in.operand("a")),
                 lane = scalar(in.operand("b"));
  Site s;
  s.type = type;
  if (plain) {
    s.kind = mode == "idx"    ? Site::Kind::ShuffleIndex
             : mode == "up"   ? Site::Kind::ShuffleUp
             : mode == "down" ? Site::Kind::ShuffleDown
                              : Site::Kind::ShuffleXor;
    s.args = {mask, from, lane, number(width)};
  } else {
    s.kind = Site::Kind::ShuffleClamped;
    s.args = {mask, from, lane, scalar(in.operand("c"))};
    s.text = mode;
  }
  Register in_range = 0;
  const bool asks = in.id() == "shfl_sync_p" && in.operand("p");
  if (asks) {
    Site range = s;
    range.kind = Site::Kind::ShuffleInRange;
    range.args[3] = scalar(in.operand("c"));
    range.text = mode;
    in_range = meet(std::move(range), kUInt32)[0];
  }
  const Register value = meet(std::move(s), type)[0];
  if (in.operand("d")) store_element(in.operand("d"), value);
  if (asks) store_element(in.operand("p"), in_range);
  return true;
}

// Which lanes have the same value (PTX ISA, "match.sync").
bool Compiler::match(const Instruction27& in) {
  if (!in.begins("match_")) return false;
  Site s;
  s.kind = in.begins("match_any") ? Site::Kind::MatchAny : Site::Kind::MatchAll;
  s.type = in.bound("a")->dtype;
  s.args = {scalar(in.operand("membermask")), scalar(in.operand("a"))};
  const Register same = meet(std::move(s), kUInt32)[0];
  if (in.operand("d")) store_mask(in.operand("d"), same);
  if (in.bound("p") && in.operand("p"))
    store_element(in.operand("p"), make(Op::NotEqual, kBool, same, constant_register(0)));
  return true;
}

// redux.sync; of floats numbers count before NaN unless .NaN asks for it, which all lanes then get.
bool Compiler::reduce_lanes(const Instruction27& in) {
  if (!in.begins("redux_sync")) return false;
  const DataType type = in.bound("d")->dtype;
  const Register mask = scalar(in.operand("membermask"));
  Register value = scalar(in.operand("a"));
  if (!in.word("abs").empty()) value = make(Op::BitAnd, kUInt32, value, constant_register(0x7fffffff));
  Site s;
  s.kind = Site::Kind::ReduceSync;
  s.type = type;
  s.args = {mask, value};
  s.text = in.word("op");
  Register out = meet(std::move(s), type)[0];
  if (in.id() == "redux_sync_f32") {
    const Register nan = constant_register(0x7fffffff);
    if (!in.word("NaN").empty()) {
      Site any;
      any.kind = Site::Kind::Any;
      any.type = kUInt32;
      any.args = {mask, make(Op::NotEqualF, kBool, value, value)};
      out = make(Op::Select, type, meet(std::move(any), kUInt32)[0], nan, out);
    }
    out = make(Op::Select, type, make(Op::NotEqualF, kBool, out, out), nan, out);
  }
  store_element(in.operand("d"), out);
  return true;
}

// Values that lanes exchange in other ways, and barriers of a warp. False: of another kind.
bool Compiler::exchange_lanes(const Instruction27& in) {
  const std::string_view id = in.id();
  if (shuffle(in) || match(in) || reduce_lanes(in)) return true;
  auto lanes = [&](Site::Kind kind, DataType type, std::vector<Register> args) {
    Site s;
    s.kind = kind;
    s.type = type;
    s.args = std::move(args);
    return s;
  };
  if (id == "elect_sync") {
    const Register mask = scalar(in.operand("membermask"));
    const Register chosen = meet(lanes(Site::Kind::Elect, kUInt32, {mask}), kUInt32)[0];
    if (in.operand("d")) {
      const Register all = meet(lanes(Site::Kind::Ballot, kUInt32, {mask, chosen}), kUInt32)[0];
      const Register lane = make(Op::Sub, kInt32, make(Op::FirstBit, kUInt32, all), constant_register(1));
      store_element(in.operand("d"), lane);
    }
    if (in.operand("p")) store_element(in.operand("p"), chosen);
    return true;
  }
  if (id == "activemask") {
    store_mask(in.operand("d"), meet(lanes(Site::Kind::ActiveMask, kUInt32, {}), kUInt32)[0]);
    return true;
  }
  if (id == "movmatrix") {
    Site s = lanes(Site::Kind::WarpCall, in.bound("d")->dtype, {scalar(in.operand("a"))});
    s.call = &transpose_call();
    s.text = intrinsics::say(in.form, kernel_.kernel->dialect).substr(2);
    store_element(in.operand("d"), meet(std::move(s), in.bound("d")->dtype)[0]);
    return true;
  }
  if (id == "bar_warp_sync") {
    meet(lanes(Site::Kind::WarpSync, kVoid, {}), kVoid);
    return true;
  }
  return false;
}

// bar and barrier of a CTA, with and without a number of threads and a reduction (PTX ISA 9.7.13.1).
bool Compiler::meet_barrier(const Instruction27& in) {
  const bool sync = in.id() == "bar_sync" || in.id() == "barrier_sync";
  const bool reduces = in.begins("bar_red") || in.begins("barrier_red");
  if (!sync && !reduces) return false;
  Site s;
  s.type = kInt32;
  const bool counts = in.bound("b") != nullptr;
  const bool all = is_constant(in.operand("a"), 0) && !counts;
  const std::string_view op = in.id().contains("popc") ? "popc" : in.word("op");
  if (reduces) s.items = {make(Op::NotEqual, kBool, scalar(in.operand("c")), constant_register(0))};
  if (all) {
    s.kind = sync          ? Site::Kind::CtaSync
             : op == "and" ? Site::Kind::CtaAnd
             : op == "or"  ? Site::Kind::CtaOr
                           : Site::Kind::CtaCount;
    if (reduces) s.args = std::exchange(s.items, {});
  } else {
    s.kind = Site::Kind::NamedSync;
    s.args = {scalar(in.operand("a"))};
    s.count = Site::kWholeCta;
    if (counts) s.args.push_back(scalar(in.operand("b")));
    s.text = op;
  }
  if (sync) {
    meet(std::move(s), kVoid);
    return true;
  }
  store_element(in.operand("d"), meet(std::move(s), kInt32)[0]);
  return true;
}

// mbarriers in the words that no row of the table has: arrivals without an order, in other scopes, with a state and
// bytes, by multicast, and those that must not end the phase (PTX ISA 9.7.13.15).
bool Compiler::count_barrier(const Instruction27& in) {
  if (!in.begins("mbarrier_arrive") && !in.begins("mbarrier_expect_tx") && !in.begins("mbarrier_complete_tx"))
    return false;
  auto form = std::make_shared<BarrierCount>();
  using What = BarrierCount::What;
  form->what = in.begins("mbarrier_arrive_drop") ? What::Drop
               : in.begins("mbarrier_arrive")    ? What::Arrive
               : in.begins("mbarrier_expect")    ? What::Expect
                                                 : What::Complete;
  const bool arrives = form->what == What::Arrive || form->what == What::Drop;
  form->expects = arrives && in.id().contains("expect_tx");
  form->incomplete = in.id().contains("no_complete");
  form->multicast = in.id().contains("multicast");
  const bool bytes = form->expects || !arrives;
  // With a state the operand of the bytes has the other's name.
  const Expr more = in.operand("tx_count") ? in.operand("tx_count") : in.operand("count");
  Site s = site_as(in, "E4");
  s.call = &barrier_count_call();
  s.type = kInt64;
  s.args = {scalar(in.operand("addr")), !bytes && more ? scalar(more) : Access::kNoRegister,
            bytes ? scalar(more) : Access::kNoRegister,
            form->multicast ? scalar(in.operand("cta_mask")) : Access::kNoRegister};
  s.form = std::move(form);
  const Expr state = in.operand("state");
  const Register token = meet(std::move(s), state ? kInt64 : kVoid)[0];
  if (state) store_element(state, token);
  return true;
}

// Waits that also say whether what was counted came with a report. Copies report where a word of theirs asks for it,
// and those are not executed: of what is, nothing reports, so that the predicate is false and the report no value.
bool Compiler::wait_with_report(const Instruction27& in) {
  const bool waits = in.begins("mbarrier_test_wait") || in.begins("mbarrier_try_wait");
  if (!waits || !in.id().contains("_report")) return false;
  Site s = site_as(in, in.id().contains("_parity") ? "E29" : "E6");
  s.type = kUInt32;
  s.own_window = true;
  s.args = {scalar(in.operand("addr")), scalar(in.operand("phase"))};
  const Register done = meet(std::move(s), kUInt32)[0];
  if (const Expr to = in.operand("wait_complete")) store_element(to, done);
  if (const Expr to = in.operand("report_predicate")) store_element(to, constant_register(0));
  if (const Expr to = in.operand("report_value")) {
    Site nothing;
    nothing.text = ir::to_string(to) + " has no value: the wait's second predicate says whether there is a report";
    nothing.origin = origin_;
    program_.sites.push_back(std::move(nothing));
    const Register value = temporary();
    emit({Op::NoValue, to.dtype(), value, 0, static_cast<Register>(program_.sites.size() - 1)});
    store_element(to, value);
  }
  return true;
}

// Whether a barrier is in one of the two layouts (PTX ISA 9.3, "mbarrier.check_layout").
bool Compiler::ask_layout(const Instruction27& in) {
  if (in.id() != "mbarrier_check_layout") return false;
  Site s = site_as(in, "E6");
  s.call = &barrier_layout_call();
  s.type = kUInt32;
  s.own_window = true;
  s.flag = in.word("layout") == "layout::v1";
  s.args = {scalar(in.operand("addr"))};
  const Register matches = meet(std::move(s), kUInt32)[0];
  if (const Expr to = in.operand("matches")) store_element(to, matches);
  return true;
}

// tcgen05.alloc and dealloc of all of tensor memory (PTX ISA 9.4, ".exclusive").
bool Compiler::allocate_alone(const Instruction27& in) {
  const bool frees = in.id() == "tcgen05_dealloc_exclusive";
  if (!frees && in.id() != "tcgen05_alloc_exclusive") return false;
  Site s = site_as(in, frees ? "P75" : "P74");
  s.kind = Site::Kind::WarpCall;
  s.code = 1;  // tensor_memory_calls.cpp: kAlone
  s.flag = frees && in.word("cta_group") == "cta_group::2";
  s.args = {scalar(in.operand(frees ? "taddr" : "dst")), scalar(in.operand("ncols"))};
  meet(std::move(s), kVoid);
  return true;
}

// tcgen05.commit that tells when A of the products before it has been read (PTX ISA 9.4, ".sync_restrict").
bool Compiler::commit_reads(const Instruction27& in) {
  if (!in.begins("tcgen05_commit_sync_restrict")) return false;
  Site s = site_as(in, "P85");
  const Expr mask = in.operand("cta_mask");
  s.code = 1;  // tensor_core_calls.cpp: kFollowsReads
  s.flag = bool(mask);
  program_.tracks_reads = true;
  s.args = {scalar(in.operand("mbar")), mask ? scalar(mask) : Access::kNoRegister, Access::kNoRegister};
  meet(std::move(s), kVoid);
  return true;
}

// ldmatrix of elements of 8 bits and of 6 and 4 bits that become such, register by register (matrix_bytes.cpp).
bool Compiler::load_bytes(const Instruction27& in) {
  const bool is_signed = in.id() == "ldmatrix_s8_s4";
  if (in.id() != "ldmatrix_m16n16_b8" && in.id() != "ldmatrix_b8fmt" && !is_signed) return false;
  const Register at = scalar(in.operand("p"));
  std::vector<std::pair<Expr, Register>> results;
  for (int k = 0; k < in.bound("r")->lanes; ++k) {
    auto form = std::make_shared<MatrixBytes>();
    form->which = k;
    form->transposed = in.id() == "ldmatrix_m16n16_b8" || in.word("shape") == "m16n16";
    form->bits = in.word("src_fmt") == "b6x16_p32" ? 6 : in.word("src_fmt") == "b4x16_p64" || is_signed ? 4 : 8;
    form->is_signed = is_signed;
    const Expr to = in.operand("r", k);
    Site s;
    s.kind = Site::Kind::WarpCall;
    s.type = kUInt32;
    s.call = &matrix_bytes_call();
    s.text = intrinsics::say(in.form, kernel_.kernel->dialect).substr(2);
    s.own_window = true;
    s.args = {at};
    s.form = std::move(form);
    const Register word = meet(std::move(s), kUInt32)[0];
    if (to) results.emplace_back(to, same_bits(kUInt32, to.dtype(), word));
  }
  for (const auto& [to, word] : results) store_element(to, word);
  return true;
}

}  // namespace tilewright::simulate
