#include "compiler/ptx/call.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "compiler/ptx/faults.h"
#include "compiler/ptx/operands.h"
#include "compiler/ptx/row_text.h"
#include "compiler/ptx/table.h"
#include "compiler/ptx/words.h"

namespace tilewright::ptx {
namespace {

using Kind = Argument::Kind;
using Fault = std::optional<std::string>;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string spoken(const Argument& argument) {
  if (argument.predicate) return "a T.ptx.pred(...)";
  if (argument.offset) return "a T.ptx.addr(...)";
  switch (argument.kind) {
    case Kind::Value:
    case Kind::Element: return expr::dtype_name(argument.dtype);
    case Kind::Integer:
      return "the integer " + (argument.value ? std::to_string(*argument.value) : std::string("literal"));
    case Kind::Real: return "a float literal";
    case Kind::Boolean: return "a bool literal";
    case Kind::Pointer: return argument.shared ? "a pointer into shared memory" : "a pointer";
    case Kind::Sink: return "T.ptx.SINK";
    case Kind::Other: break;
  }
  return argument.spoken.empty() ? "something else" : argument.spoken;
}

std::string names_of(const std::vector<expr::DataType>& dtypes) {
  std::string out;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    if (i > 0) out += i + 1 == dtypes.size() ? " or " : ", ";
    out += expr::dtype_name(dtypes[i]);
  }
  return out;
}

bool is_flag(expr::DataType dtype) { return dtype == expr::kBool || dtype == expr::kUInt32 || dtype == expr::kInt32; }

// The lanes of one operand of one row.
class Binder {
 public:
  Binder(const Row& row, const Filled& filled, std::span<const Argument> lanes, Bound& bound)
      : row_(row),
        filled_(filled),
        lanes_(lanes),
        bound_(bound),
        operand_(*bound.operand),
        name_(quoted(operand_.name)) {}

  Fault bind() {
    bool is_pred = operand_.kind == OperandKind::Register && type_of(row_, operand_, filled_) == "pred";
    for (const Argument& lane : lanes_) {
      if (lane.kind == Kind::Sink) continue;
      if (lane.offset && !operand_.takes_offset) return name_ + " takes no T.ptx.addr(...)";
      if (lane.predicate && !is_pred) return name_ + " is no predicate, it takes no T.ptx.pred(...)";
    }
    if (Fault fault = sinks()) return fault;
    if (lanes_.empty() && operand_.kind != OperandKind::Register) return std::nullopt;
    switch (operand_.kind) {
      case OperandKind::Immediate: return immediate(lanes_[0]);
      case OperandKind::Pointer: return pointer(lanes_[0]);
      case OperandKind::Address: return address(lanes_[0]);
      default: break;
    }
    bound_.dtype = expr::kUInt32;
    if (!is_pred) return registers();
    return lanes_.empty() ? std::nullopt : predicate(lanes_[0]);
  }

 private:
  Fault sinks() const {
    auto sunk = std::ranges::count(lanes_, Kind::Sink, &Argument::kind);
    if (sunk == 0) return std::nullopt;
    if (!operand_.sinkable) return name_ + " takes no T.ptx.SINK";
    if (sunk == std::ssize(lanes_))
      return "all " + std::to_string(sunk) + " registers of " + name_ + " are T.ptx.SINK, one must be real";
    return std::nullopt;
  }

  Fault immediate(const Argument& argument) const {
    bool constant = argument.kind == Kind::Integer || (argument.kind == Kind::Value && argument.value.has_value());
    if (!constant) {
      bool integral = argument.typed() && argument.dtype.is_integral() && !argument.dtype.is_vector();
      if (operand_.values.empty() && integral) return std::nullopt;  // unrolling may make it constant
      return name_ + " is part of the instruction's text and must be an integer constant, not " + spoken(argument);
    }
    std::int64_t value = argument.value.value_or(0);
    if (row_.byte_immediate && (value < 0 || value > 255))
      return name_ + " must be in 0..255, here it is " + std::to_string(value);
    if (operand_.values.empty()) return std::nullopt;
    std::string text = std::to_string(value);
    if (std::ranges::find(operand_.values, text) != operand_.values.end()) return std::nullopt;
    std::string choices;
    for (std::string_view v : operand_.values) choices += (choices.empty() ? "" : ", ") + std::string(v);
    return name_ + " must be one of " + choices + ", here it is " + text;
  }

  Fault pointer(const Argument& argument) const {
    if (argument.kind == Kind::Pointer) return std::nullopt;
    return name_ + " must be a pointer, not " + spoken(argument);
  }

  Fault address(const Argument& argument) const {
    std::string_view space = space_of(row_, operand_, filled_);
    bool is32 = argument.typed() && argument.dtype == expr::kUInt32;
    if (space == "tmem") {
      if (is32) return std::nullopt;
      return name_ + " is an address in tensor memory and must be uint32 (T.cuda.get_tmem_addr), not " +
             spoken_base(argument);
    }
    if (space.starts_with("shared")) {
      if (argument.kind == Kind::Pointer || is32) return std::nullopt;
      return name_ + " is a " + std::string(space) + " address: a pointer into shared memory or a uint32, not " +
             spoken_base(argument);
    }
    std::string words = space.empty() ? "generic" : std::string(space);
    if (argument.kind == Kind::Pointer) {
      if (!argument.shared) return std::nullopt;
      return name_ + " is a " + words + " address, here it is a pointer into shared memory";
    }
    if (argument.typed() && argument.dtype == expr::kUInt64) return std::nullopt;
    if (is32) return name_ + " is a " + words + " address of 64 bits; uint32 is one in shared memory";
    return name_ + " is a " + words + " address: a pointer or a uint64, not " + spoken_base(argument);
  }

  static std::string spoken_base(Argument argument) {
    argument.offset = false;
    return spoken(argument);
  }

  Fault predicate(const Argument& argument) const {
    if (operand_.access != Access::Read) {
      if (argument.kind == Kind::Element && !argument.predicate && argument.dtype == expr::kUInt32) return std::nullopt;
      return name_ + " is a predicate that is written: a uint32 scalar or element of a buffer, not " + spoken(argument);
    }
    if (argument.predicate) {
      if (argument.kind == Kind::Integer || argument.kind == Kind::Boolean) return std::nullopt;
      if (argument.typed() && is_flag(argument.dtype)) return std::nullopt;
      return "T.ptx.pred(...) for " + name_ + " takes a bool, a uint32 or an int32";
    }
    if (argument.kind == Kind::Boolean || (argument.typed() && argument.dtype == expr::kBool)) return std::nullopt;
    return name_ + " is a predicate: a bool, or T.ptx.pred(x) around an integer, not " + spoken(argument);
  }

  Fault registers() const {
    std::vector<expr::DataType> carriers = carriers_of(row_, operand_, filled_);
    std::optional<expr::DataType> dtype;
    for (const Argument& lane : lanes_) {
      if (lane.kind == Kind::Sink) continue;
      if (operand_.access != Access::Read && lane.kind != Kind::Element)
        return name_ +
               " is written and must be a scalar or an element of a buffer (declare it first: T.local_scalar(\"" +
               expr::dtype_name(carriers[0]) + "\")), not " + spoken(lane);
      if (lane.literal()) continue;
      if (!lane.typed())
        return name_ + " is " + type() + " and must be " + names_of(carriers) + ", not " + spoken(lane);
      if (dtype && *dtype != lane.dtype)
        return "the " + std::to_string(lanes_.size()) + " registers of " + name_ +
               " must have one dtype, here they are " + expr::dtype_name(*dtype) + " and " +
               expr::dtype_name(lane.dtype);
      dtype = lane.dtype;
    }
    bound_.dtype = dtype.value_or(carriers[0]);
    if (std::ranges::find(carriers, bound_.dtype) == carriers.end())
      return name_ + " is " + type() + " and must be " + names_of(carriers) + ", not " + expr::dtype_name(bound_.dtype);
    for (const Argument& lane : lanes_)
      if (Fault fault = number(lane, bound_.dtype, carriers.size() > 1)) return fault;
    return std::nullopt;
  }

  // A number of Python as a register of `dtype`; `several` where the type has other carriers, too.
  Fault number(const Argument& lane, expr::DataType dtype, bool several) const {
    if (lane.kind == Kind::Real && !dtype.is_float())
      return name_ + " is " + type() + ", a float literal would be cut off: write T." + expr::dtype_name(dtype) +
             "(...) for a number" + (several ? ", or T.float32(...) for its bits" : "");
    if (lane.kind != Kind::Integer || !lane.value || !dtype.is_integral()) return std::nullopt;
    bool low = *lane.value < 0 &&
               (dtype.is_uint() || (dtype.bits < 64 && *lane.value < -(std::int64_t{1} << (dtype.bits - 1))));
    bool high = dtype.bits < 64 && *lane.value >= std::int64_t{1} << (dtype.bits - dtype.is_int());
    if (!low && !high) return std::nullopt;
    return name_ + " is " + type() + ", " + std::to_string(*lane.value) + " does not fit " + expr::dtype_name(dtype);
  }

  std::string type() const { return dotted(type_of(row_, operand_, filled_)); }

  const Row& row_;
  const Filled& filled_;
  std::span<const Argument> lanes_;
  Bound& bound_;
  const Operand& operand_;
  std::string name_;
};

// "2 operands (d, a)".
std::string expected_operands(const std::vector<Bound>& layout, std::size_t count) {
  std::string out = std::to_string(count) + (count == 1 ? " operand" : " operands");
  std::string names;
  for (const Bound& bound : layout) {
    if (bound.lanes == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(bound.operand->name);
    if (bound.lanes > 1) names += "[" + std::to_string(bound.lanes) + "]";
  }
  return names.empty() ? out : out + " (" + names + ")";
}

Fault check_predication(const Row& row, const Call& call) {
  if (call.preserve_dst && !row.writes()) return "preserve_dst=True needs an operand that is written, this has none";
  if (call.preserve_dst && !call.pred) return "preserve_dst=True needs pred=";
  if (!call.pred) return std::nullopt;
  const Argument& pred = *call.pred;
  if (pred.kind == Kind::Boolean || (pred.typed() && is_flag(pred.dtype))) return std::nullopt;
  return "pred= must be a bool, a uint32 or an int32, not " + spoken(pred);
}

bool number(std::string_view text, std::size_t& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// Puts back what the printed operands do not say: the sinks, which leave no argument, then the predicates.
std::optional<std::string> apply_marker(std::string_view marker, Call& call) {
  std::vector<std::size_t> sinks, predicates;
  for (std::string_view flag : split(marker, ',')) {
    std::size_t at = 0;
    if (flag == "pred") {
      if (call.operands.empty()) return "the marker says pred, and there is no operand";
      call.pred = call.operands.back();
      call.operands.pop_back();
    } else if (flag == "keep") {
      call.preserve_dst = true;
    } else if (flag.size() > 1 && (flag[0] == 's' || flag[0] == 'p') && number(flag.substr(1), at)) {
      (flag[0] == 's' ? sinks : predicates).push_back(at);
    } else {
      return "the marker holds \"" + std::string(flag) + "\"; it is made of pred, keep, p<i> and s<i>";
    }
  }
  std::ranges::sort(sinks);
  for (std::size_t at : sinks) {
    if (at > call.operands.size()) return "the marker puts a sink at " + std::to_string(at) + ", after the operands";
    Argument sink;
    sink.kind = Kind::Sink;
    call.operands.insert(call.operands.begin() + static_cast<std::ptrdiff_t>(at), sink);
  }
  for (std::size_t at : predicates) {
    if (at >= call.operands.size())
      return "the marker puts a predicate at " + std::to_string(at) + ", after the operands";
    call.operands[at].predicate = true;
  }
  return std::nullopt;
}

Fault check_offset(const Argument& argument) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min(),
                         kHigh = std::numeric_limits<std::int32_t>::max();
  if (!argument.offset || !argument.bytes || (*argument.bytes >= kLow && *argument.bytes <= kHigh)) return std::nullopt;
  return "the offset of T.ptx.addr is " + std::to_string(*argument.bytes) + ", beyond a signed int32";
}

// Whether the instruction has as many operands as the call.
bool takes_so_many(const Candidate& candidate, const Call& call) {
  std::size_t count = 0;
  for (const Operand& operand : candidate.row->operands) {
    if (operand.kind != OperandKind::Literal)
      count += static_cast<std::size_t>(count_of(*candidate.row, operand, candidate.filled));
  }
  return count == call.operands.size();
}

// Whether a register that is no predicate takes a bool literal.
bool takes_bool_as_integer(const Resolved& call) {
  return std::ranges::any_of(call.operands, [&](const Bound& bound) {
    if (bound.operand->kind != OperandKind::Register) return false;
    if (type_of(*call.instruction.row, *bound.operand, call.instruction.filled) == "pred") return false;
    auto first = call.arguments.begin() + static_cast<std::ptrdiff_t>(bound.first);
    return std::any_of(first, first + bound.lanes, [](const Argument& a) { return a.kind == Kind::Boolean; });
  });
}

// One line for each reason, those of rows that lack words last.
std::string refused_by_all(const Chain& chain,
                           std::vector<std::pair<std::string, std::vector<std::string_view>>> refusals) {
  constexpr std::size_t kLines = 12, kNames = 4;
  std::ranges::stable_partition(refusals, [](const auto& r) { return !r.first.contains(" is missing"); });
  std::string message =
      "none of the " + std::to_string(chain.candidates().size()) + " forms of " + chain.text() + " takes this call:";
  std::size_t left = 0;
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    const auto& [reason, ids] = refusals[i];
    if (i >= kLines) {
      left += ids.size();
      continue;
    }
    message += "\n  ";
    for (std::size_t k = 0; k < ids.size() && k < kNames; ++k) message += (k > 0 ? ", " : "") + std::string(ids[k]);
    if (ids.size() > kNames) message += " and " + std::to_string(ids.size() - kNames) + " more";
    message += ": " + reason;
  }
  if (left > 0) message += "\n  and " + std::to_string(left) + (left == 1 ? " more form" : " more forms");
  return message;
}

}  // namespace

std::vector<std::size_t> Resolved::sinks() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].kind == Kind::Sink) out.push_back(i);
  return out;
}

std::optional<std::string> refusal_of(const Candidate& candidate, const Call& call, Resolved& out) {
  if (Fault fault = fault_of(candidate)) return fault;
  return operands_refusal(candidate, call, out);
}

std::optional<std::string> operands_refusal(const Candidate& candidate, const Call& call, Resolved& out) {
  const Row& row = *candidate.row;
  out = {candidate, {}, call.operands, call.pred, call.preserve_dst};
  std::size_t count = 0;
  for (const Operand& operand : row.operands) {
    if (operand.kind == OperandKind::Literal) continue;
    int lanes = count_of(row, operand, candidate.filled);
    out.operands.push_back({&operand, count, lanes, expr::kVoid});
    count += static_cast<std::size_t>(lanes);
  }
  if (call.operands.size() != count)
    return "takes " + expected_operands(out.operands, count) + ", the call has " + std::to_string(call.operands.size());
  if (Fault fault = check_predication(row, call)) return fault;
  for (Bound& bound : out.operands) {
    std::span<const Argument> lanes(call.operands.data() + bound.first, static_cast<std::size_t>(bound.lanes));
    for (const Argument& lane : lanes)
      if (Fault fault = check_offset(lane)) return fault;
    if (Fault fault = Binder(row, candidate.filled, lanes, bound).bind()) return fault;
  }
  return std::nullopt;
}

std::expected<Resolved, std::string> resolve(const Chain& chain, const Call& call) {
  std::vector<Resolved> found;
  for (const Candidate& candidate : chain.candidates()) {
    Resolved one;
    if (!has_fault(candidate) && takes_so_many(candidate, call) && !operands_refusal(candidate, call, one))
      found.push_back(std::move(one));
  }
  if (found.size() > 1) std::erase_if(found, takes_bool_as_integer);
  if (found.size() == 1) return std::move(found[0]);
  if (found.size() > 1)
    return std::unexpected(chain.text() + ": the forms " + std::string(found[0].instruction.row->id) + " and " +
                           std::string(found[1].instruction.row->id) +
                           " both take this call; a pointer for an address in shared memory tells them apart");
  std::vector<std::pair<std::string, std::vector<std::string_view>>> refusals;  // a reason, and the rows that have it
  for (const Candidate& candidate : chain.candidates()) {
    Resolved one;
    const Fault fault = refusal_of(candidate, call, one);
    if (!fault) continue;
    auto same = std::ranges::find(refusals, *fault, [](const auto& r) { return r.first; });
    if (same == refusals.end()) same = refusals.insert(same, {*fault, {}});
    same->second.push_back(candidate.row->id);
  }
  if (refusals.size() == 1) return std::unexpected(chain.text() + ": " + refusals[0].first);
  return std::unexpected(refused_by_all(chain, refusals));
}

std::expected<Resolved, std::string> resolve_printed(std::string_view name, const Printed& printed) {
  std::optional<Chain> chain = Chain::begin(name);
  if (!chain) return std::unexpected("there is no instruction family " + std::string(name) + " in T.ptx");
  Call call{printed.operands, {}, false};
  if (printed.words.empty()) return resolve(*chain, call);
  if (std::optional<std::string> fault = apply_marker(printed.words.back(), call)) return std::unexpected(*fault);
  for (std::size_t i = 0; i + 1 < printed.words.size(); ++i) {
    if (printed.words[i].empty()) continue;
    std::expected<Chain, std::string> next = chain->then(printed.words[i]);
    if (!next) return std::unexpected(next.error());
    chain = std::move(*next);
  }
  auto found = resolve(*chain, call);
  auto is_number = [](const Argument& a) { return a.kind == Argument::Kind::Integer && a.value; };
  if (found || std::ranges::none_of(call.operands, [&](const Argument& a) { return is_number(a) && *a.value < 0; }))
    return found;
  // Numbers of int32 are printed without their type, and -1 is no word of unsigned bits.
  for (Argument& a : call.operands) {
    if (!is_number(a)) continue;
    a.kind = Argument::Kind::Value;
    a.dtype = expr::kInt32;
  }
  auto typed = resolve(*chain, call);
  if (!typed) return found;
  for (Argument& a : typed->arguments) {
    if (a.kind == Argument::Kind::Value && a.dtype == expr::kInt32 && a.value) a.kind = Argument::Kind::Integer;
  }
  return typed;
}

std::vector<std::string> printed_words(const Resolved& call) {
  const auto& [row, filled] = call.instruction;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < row->slots.size(); ++i) out.emplace_back(row->token(filled, i));
  std::string marker;
  auto add = [&](const std::string& flag) { marker += (marker.empty() ? "" : ",") + flag; };
  if (call.pred) add("pred");
  if (call.preserve_dst) add("keep");
  for (const Bound& bound : call.operands) {
    bool is_pred = bound.operand->kind == OperandKind::Register && bound.operand->access == Access::Read &&
                   type_of(*row, *bound.operand, filled) == "pred";
    if (is_pred && bound.lanes > 0) add("p" + std::to_string(bound.first));
  }
  for (std::size_t at : call.sinks()) add("s" + std::to_string(at));
  out.push_back(marker);
  return out;
}

}  // namespace tilewright::ptx
