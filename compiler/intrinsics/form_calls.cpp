// Calls of forms: made from what a script wrote, and read back.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/form_checks.h"
#include "compiler/intrinsics/form_parts.h"
#include "compiler/ptx/helper.h"
#include "compiler/ptx/operands.h"
#include "compiler/ptx/table.h"

namespace tilewright::intrinsics {
namespace {

using PtxKind = ptx::OperandKind;

std::string_view cut(std::string_view& rest, char c) {
  const std::size_t end = std::min(rest.find(c), rest.size());
  const std::string_view out = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return out;
}

std::optional<std::size_t> operand_named(const ptx::Row& row, std::string_view name) {
  std::size_t i = 0;
  for (const ptx::Operand& o : row.operands) {
    if (o.kind == PtxKind::Literal) continue;
    if (o.name == name) return i;
    ++i;
  }
  return std::nullopt;
}

// One of the parts of a source between bars: ".sem", ".num#", ".action?inc", "add", "d,a".
void read_part(const ptx::Row& row, std::string_view part, bool first, FormSource& out) {
  if (part.starts_with('.') && part.size() > 1) {
    const std::size_t end = std::min(part.find_first_of("#?~%+", 1), part.size());
    std::string_view name = part.substr(1, end - 1);
    if (name.ends_with(':')) {
      name.remove_suffix(1);
      out.part = ':';
    }
    if (std::optional<std::size_t> slot = row.slot_named(name)) out.slots.push_back(*slot);
    if (end == part.size()) return;
    const std::string_view rest = part.substr(end + 1);
    if (part[end] == '#') out.part = rest.empty() ? '#' : rest[0];
    if (part[end] == '~') out.part = '~';
    if (part[end] == '+') {
      read_part(row, rest, first, out);
      out.part = '+';
    }
    if (part[end] == '%') out.part = rest[0] == 'd' ? 'D' : rest[0] == 'a' ? 'A' : 'S';
    if (part[end] != '?') return;
    out.part = rest == "1" ? '1' : '?';
    if (rest != "1") out.is = rest;
    return;
  }
  if (part.starts_with('@')) {
    out.part = '@';
    out.is = operand_named(row, part.substr(1)) ? "True" : "";
    return;
  }
  if (part == "none") return;
  if (!first) {
    out.otherwise = part;
    return;
  }
  for (std::string_view names = part; !names.empty();) {
    const std::string_view name = cut(names, ',');
    if (auto operand = operand_named(row, name)) out.operands.push_back(*operand);
  }
}

int number_after(std::string_view word, char letter) {
  const std::size_t at = word.find(letter);
  int out = 0;
  if (at != word.npos) std::from_chars(word.data() + at + 1, word.data() + word.size(), out);
  return out;
}

int number_at_end(std::string_view word) {
  std::size_t from = word.size();
  while (from > 0 && word[from - 1] >= '0' && word[from - 1] <= '9') --from;
  if (from == word.size() && from > 1) return number_at_end(word.substr(0, from - 1));  // "1d", "L2::128B"
  int out = 0;
  std::from_chars(word.data() + from, word.data() + word.size(), out);
  return out;
}

std::string_view dtype_of(std::string_view ptx) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"f16", "float16"}, {"bf16", "bfloat16"}, {"f32", "float32"}, {"s32", "int32"}, {"s8", "int8"}, {"u8", "uint8"}};
  for (const auto& [name, dtype] : kNames)
    if (name == ptx) return dtype;
  return ptx;
}

// Of "kind::f16": a dtype of the result, of the factors or of their scales.
std::string_view dtype_of_kind(std::string_view kind, char which) {
  struct Kind {
    std::string_view name, d, a, s;
  };
  static constexpr Kind kKinds[] = {
      {"kind::f16", "float32", "float16", ""},   {"kind::tf32", "float32", "tf32", ""},
      {"kind::f8f6f4", "float32", "e4m3", ""},   {"kind::i8", "int32", "int8", ""},
      {"kind::ti16", "int32", "s1z4m11", ""},    {"kind::mxf8f6f4", "float32", "e4m3", "e8m0"},
      {"kind::mxf4", "float32", "e2m1", "e8m0"}, {"kind::mxf4nvf4", "float32", "e2m1", "e4m3"},
  };
  for (const Kind& k : kKinds)
    if (k.name == kind) return which == 'D' ? k.d : which == 'A' ? k.a : k.s;
  return {};
}

bool is_listed(std::string_view choices, std::string_view text) {
  if (choices.empty()) return true;
  for (std::string_view rest = choices;;) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, end) == text) return true;
    if (end == rest.size()) return false;
    rest.remove_prefix(end + 1);
  }
}

bool by_address(const Operand& o) {
  const OperandKind kind = o.kind == OperandKind::List || o.kind == OperandKind::Variadic ? o.item : o.kind;
  return kind == OperandKind::Pointer && o.is_register;
}

// Puts the arguments of one form together.
class Caller {
 public:
  Caller(const Form& form, const ptx::Resolved& resolved, std::span<const ir::Expr> arguments, ir::Expr pred)
      : form_(form), resolved_(resolved), arguments_(arguments), pred_(pred) {}

  // Nothing: the row of the table does not have this.
  std::optional<std::vector<ir::Expr>> arguments() {
    for (std::size_t i = 0; i < form_.own_operands.size(); ++i) {
      if (!add(i)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool add(std::size_t at) {
    const Operand& o = form_.own_operands[at];
    if (at == form_.pred) {
      out_.push_back(pred_ ? pred_ : absent());
      return true;
    }
    if (at == form_.keep) {
      out_.push_back(resolved_.preserve_dst ? ir::bool_imm(true) : absent());
      return true;
    }
    const std::size_t slots = form_.row->slots.size();
    if (at >= form_.first_slot && at < form_.first_slot + slots) {
      const auto& [row, filled] = resolved_.instruction;
      out_.push_back(ir::string_imm(row->token(filled, at - form_.first_slot)));
      return true;
    }
    std::vector<ir::Expr> lanes;
    for (std::size_t i : form_.held[at]) {
      const ptx::Bound& bound = resolved_.operands[i];
      for (int k = 0; k < bound.lanes; ++k) lanes.push_back(arguments_[bound.first + static_cast<std::size_t>(k)]);
    }
    return form_.held[at].empty() ? add_word(o) : add_lanes(o, lanes);
  }

  bool add_lanes(const Operand& o, const std::vector<ir::Expr>& lanes) {
    const bool list = o.kind == OperandKind::List;
    if (list) out_.push_back(ir::int_imm(ir::kInt32, static_cast<std::int64_t>(lanes.size())));
    if (!list && o.kind != OperandKind::Variadic && lanes.empty()) {
      const bool number = o.default_text.empty() && o.kind == OperandKind::Value;
      out_.push_back(number ? ir::int_imm(o.dtype.is_void() ? ir::kInt32 : o.dtype, 0) : default_value(o));
      return true;
    }
    for (ir::Expr lane : lanes) {
      if (!lane) {
        out_.push_back(absent());
        continue;
      }
      const OperandKind kind = list || o.kind == OperandKind::Variadic ? o.item : o.kind;
      const bool element = lane.as<ir::Load>() != nullptr;
      if ((kind == OperandKind::Reference || by_address(o)) && !element) return false;
      out_.push_back(by_address(o) ? ir::call(ir::kHandle, ir::builtin::address_of, {&lane, 1}) : lane);
    }
    return true;
  }

  bool add_word(const Operand& o) {
    const FormSource source = form_.same ? source_of(*form_.row, form_.same->id, o) : FormSource();
    const auto& [row, filled] = resolved_.instruction;
    std::string_view word;
    for (std::size_t slot : source.slots) {
      if (word.empty()) word = row->token(filled, slot);
    }
    if (word.empty()) word = source.otherwise;
    std::string joined;
    if (source.part == '+') {
      for (std::size_t slot : source.slots)
        if (const std::string_view own = row->token(filled, slot); !own.empty())
          joined += (joined.empty() ? "" : ".") + std::string(own);
      word = joined;
    }
    if (source.part == '?' || source.part == '1') {
      const bool holds = source.is.empty() ? !word.empty() : word == source.is;
      out_.push_back(source.part == '1' ? ir::int_imm(ir::kInt32, holds) : ir::bool_imm(holds));
      return true;
    }
    if (source.part == '@') {
      out_.push_back(ir::bool_imm(!source.is.empty()));
      return true;
    }
    if (word.empty()) return add_nothing(o, source);
    if (source.part == '~') word = dtype_of(word);
    if (source.part == 'D' || source.part == 'A' || source.part == 'S') {
      word = dtype_of_kind(word, source.part);
    } else if (source.part == ':') {
      const std::size_t colon = word.rfind(':');
      if (colon != word.npos) word = word.substr(colon + 1);
    } else if (source.part && source.part != '~' && source.part != '+') {
      const int number = source.part == '#' ? number_at_end(word) : number_after(word, source.part);
      out_.push_back(ir::int_imm(ir::kInt32, number));
      return is_listed(o.choices, std::to_string(number));
    }
    out_.push_back(ir::string_imm(word));
    return is_listed(o.choices, word);
  }

  // What the words leave out: an address without a space is generic, all else is at its default.
  bool add_nothing(const Operand& o, const FormSource& source) {
    if (is_listed(o.choices, "") && !o.choices.empty() && (!source.slots.empty() || o.required())) {
      out_.push_back(absent());
      return true;
    }
    if (o.name == "cta_mask") {  // an instruction that reaches its own CTA alone
      out_.push_back(ir::int_imm(o.dtype, 0));
      return true;
    }
    if (o.name == "space" && !source.slots.empty()) {
      out_.push_back(ir::string_imm("generic"));
      return true;
    }
    out_.push_back(o.kind == OperandKind::List ? ir::int_imm(ir::kInt32, 0) : default_value(o));
    return !o.required();
  }

  const Form& form_;
  const ptx::Resolved& resolved_;
  std::span<const ir::Expr> arguments_;
  ir::Expr pred_;
  std::vector<ir::Expr> out_;
};

bool fits(const Form& form, const ptx::Filled& filled) {
  if (!form.same) return true;
  return serves(form.same->id, *form.row, filled) &&
         std::ranges::any_of(form.row->same_as, [&](const ptx::SameAs& same) {
           return same.id == form.same->id && std::ranges::all_of(same.when, [&](const ptx::Test& test) {
                    return test.is.contains(filled[test.slot]);
                  });
         });
}

bool is_offset(ir::Expr e) {
  const auto* call = e.as<ir::Call>();
  return call && call->callee == &address_offset();
}

// An argument as the choice of rows sees it.
ptx::Argument argument_of(const ptx::Row& row, const ptx::Operand& o, const ptx::Filled& filled, ir::Expr e) {
  using Kind = ptx::Argument::Kind;
  ptx::Argument out;
  if (!e) {
    out.kind = Kind::Sink;
    return out;
  }
  if (is_offset(e)) {
    const auto* call = e.as<ir::Call>();
    out.offset = true;
    if (const std::int64_t* bytes = ir::constant(call->args[1])) out.bytes = *bytes;
    e = call->args[0];
  }
  out.dtype = e.dtype();
  if (o.kind == PtxKind::Address || o.kind == PtxKind::Pointer) {
    const bool pointer = e.dtype().is_handle();
    if (pointer) out.kind = Kind::Pointer;
    out.shared = pointer && ptx::space_of(row, o, filled).starts_with("shared");
    return out;
  }
  out.kind = o.kind == PtxKind::Register && o.access != ptx::Access::Read ? Kind::Element : Kind::Value;
  if (const std::int64_t* value = ir::constant(e)) out.value = *value;
  out.predicate = o.kind == PtxKind::Register && o.access == ptx::Access::Read &&
                  ptx::type_of(row, o, filled) == "pred" && e.dtype() != ir::kBool;
  return out;
}

// The number of a choice of a slot.
std::int16_t choice_of(const ptx::Slot& slot, std::string_view token) {
  const auto found = std::ranges::find(slot.choices, token);
  return token.empty() || found == slot.choices.end() ? ptx::kOpen
                                                      : static_cast<std::int16_t>(found - slot.choices.begin());
}

struct Place {
  std::size_t argument, position;
};

// Where in the call the arguments of the instruction stand, and what they are.
struct Reading {
  WrittenForm out;
  std::vector<Place> places;
  std::size_t pred = 0;
};

Reading read(const Form& form, std::span<const ir::Expr> args) {
  Reading out;
  const Arguments a(form, args);
  const ptx::Row& row = *form.row;
  ptx::Candidate instruction{&row, {}};
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    const auto at = static_cast<std::size_t>(a.position(form.operands[form.first_slot + i]));
    instruction.filled.push_back(choice_of(row.slots[i], attribute_text(args[at])));
  }
  ptx::Call call;
  for (std::size_t i = 0; i < form.holders.size(); ++i) {
    const ptx::Operand& o = written(row, i);
    const Operand& holder = form.operands[static_cast<std::size_t>(form.holders[i])];
    const int lanes = ptx::count_of(row, o, instruction.filled);
    std::size_t first = static_cast<std::size_t>(a.position(holder));
    for (std::size_t before : form.held[static_cast<std::size_t>(form.holders[i])]) {
      if (before == i) break;
      first += static_cast<std::size_t>(ptx::count_of(row, written(row, before), instruction.filled));
    }
    for (int k = 0; k < lanes; ++k) {
      const std::size_t position = first + static_cast<std::size_t>(k);
      if (position >= args.size()) throw std::invalid_argument("an operand is missing");
      ir::Expr e = is_absent(args[position]) ? ir::Expr() : args[position];
      if (e && by_address(holder)) e = e.as<ir::Call>()->args[0];
      call.operands.push_back(argument_of(row, o, instruction.filled, e));
      out.places.push_back({out.out.arguments.size(), position});
      out.out.arguments.push_back(e);
    }
  }
  out.pred = static_cast<std::size_t>(a.position(form.operands[form.pred]));
  if (!is_absent(args[out.pred])) {
    out.out.pred = args[out.pred];
    call.pred.emplace();
    call.pred->dtype = out.out.pred.dtype();
  }
  call.preserve_dst = !is_absent(args[static_cast<std::size_t>(a.position(form.operands[form.keep]))]);
  if (auto fault = ptx::operands_refusal(instruction, call, out.out.resolved)) throw std::invalid_argument(*fault);
  return out;
}

// An address as the reference passes it: 32 bits in shared memory, a pointer elsewhere.
ir::Expr carried(const ptx::Row& row, const ptx::Operand& o, const ptx::Filled& filled, ir::Expr e) {
  if (!e || o.kind != PtxKind::Address) return e;
  if (is_offset(e)) {
    const auto* call = e.as<ir::Call>();
    const ir::Expr operands[] = {carried(row, o, filled, call->args[0]), call->args[1]};
    return ir::call(operands[0].dtype(), address_offset(), operands);
  }
  const bool shared = ptx::space_of(row, o, filled).starts_with("shared");
  static const Intrinsic& convert = *row_of_id("C35");
  if (shared && e.dtype().is_handle()) return ir::call(ir::kUInt32, convert, {&e, 1});
  if (!shared && e.dtype() == ir::kUInt64) return ir::call(ir::kHandle, ir::builtin::reinterpret, {&e, 1});
  return e;
}

}  // namespace

FormSource source_of(const ptx::Row& row, std::string_view id, const Operand& operand) {
  FormSource out;
  for (std::string_view rest = form_map(id); !rest.empty();) {
    std::string_view entry = cut(rest, ' ');
    const std::string_view name = cut(entry, '=');
    if (name != operand.name) continue;
    for (bool first = true; !entry.empty(); first = false) read_part(row, cut(entry, '|'), first, out);
    return out;
  }
  if (auto same = operand_named(row, operand.name)) {
    out.operands.push_back(*same);
  } else if (auto slot = row.slot_named(operand.name)) {
    out.slots.push_back(*slot);
  }
  return out;
}

ir::Expr form_call(const ptx::Resolved& resolved, std::span<const ir::Expr> arguments, ir::Expr pred) {
  for (const Form& form : forms_of(*resolved.instruction.row)) {
    if (!fits(form, resolved.instruction.filled)) continue;
    if (auto args = Caller(form, resolved, arguments, pred).arguments()) return ir::call(ir::kVoid, form, *args);
  }
  throw std::logic_error("an instruction has no form");
}

WrittenForm written_form(const Form& form, std::span<const ir::Expr> args) { return read(form, args).out; }

std::vector<ir::Expr> printed_form(const Form& form, std::span<const ir::Expr> args) {
  const WrittenForm call = written_form(form, args);
  const auto& [row, filled] = call.resolved.instruction;
  std::vector<ir::Expr> out;
  for (const ptx::Bound& bound : call.resolved.operands) {
    for (int k = 0; k < bound.lanes; ++k) {
      const ir::Expr e = call.arguments[bound.first + static_cast<std::size_t>(k)];
      if (e) out.push_back(carried(*row, *bound.operand, filled, e));
    }
  }
  if (call.pred) out.push_back(call.pred);
  for (const std::string& word : ptx::printed_words(call.resolved)) out.push_back(ir::string_imm(word));
  return out;
}

ir::Expr forwarded_argument(const Form& form, std::span<const ir::Expr> args, std::size_t position) {
  const Arguments a(form, args);
  const Operand* holder = a.operand_at(position);
  ir::Expr e = args[position];
  if (holder && by_address(*holder)) return e.as<ir::Call>()->args[0];
  const ptx::Row& row = *form.row;
  for (std::size_t i = 0; holder && i < form.holders.size(); ++i) {
    if (&form.operands[static_cast<std::size_t>(form.holders[i])] != holder) continue;
    const ptx::Operand& o = written(row, i);
    if (o.kind != PtxKind::Address) return e;
    ptx::Filled filled;
    for (std::size_t k = 0; k < row.slots.size(); ++k) {
      const auto at = static_cast<std::size_t>(a.position(form.operands[form.first_slot + k]));
      filled.push_back(choice_of(row.slots[k], attribute_text(args[at])));
    }
    if (is_offset(e)) e = e.as<ir::Call>()->args[0];
    return carried(row, o, filled, e);
  }
  return e;
}

Emitted emit_form(const Form& form, std::span<const ir::Expr> args) {
  Emitted out;
  const Reading call = read(form, args);
  const ptx::Helper helper = ptx::helper_of(call.out.resolved);
  out.helper_name = helper.name;
  out.helper_source = helper.source;
  for (std::size_t i : ptx::forwarded(call.out.resolved))
    out.argument_positions.push_back(static_cast<int>(call.places[i].position));
  if (call.out.pred) out.argument_positions.push_back(static_cast<int>(call.pred));
  return out;
}

bool has_instruction(std::string_view arch, ir::Target target) {
  arch.remove_prefix(3);  // "sm_"
  char suffix = 0;
  if (arch.ends_with('a') || arch.ends_with('f')) {
    suffix = arch.back();
    arch.remove_suffix(1);
  }
  int number = 0;
  std::from_chars(arch.data(), arch.data() + arch.size(), number);
  if (!suffix) return target.number() >= number;
  if (number == 90) return target.number() == 90 && target.suffix == 'a';
  // The data-centre processors of one family.
  const bool family = target.major == number / 10 || (number < 107 && target.major == 11);
  return family && target.number() >= number && target.suffix;
}

// The table has one target for all words of a row; where some of them need less, this says so.
static std::string_view lowest_target(const ptx::Candidate& instruction) {
  const auto& [row, filled] = instruction;
  auto word = [&](std::string_view slot) {
    const auto at = row->slot_named(slot);
    return at ? row->token(filled, *at) : std::string_view();
  };
  const bool tensor = row->id.contains("async_bulk_tensor") && row->arch == "sm_100a";
  if (tensor) return word("load_mode").ends_with('4') || !word("cta_group").empty() ? row->arch : "sm_90";
  const std::string_view id = row->id;
  // Boxes of images and masks of 16 bits: what is of sm_107 are reports, masks of 32 bits and ::w without offsets.
  if (id.contains("async_bulk_tensor") &&
      (id.ends_with("_im2col") || id.ends_with("offs_w") || id.ends_with("cast16")) && !id.contains("override") &&
      !id.starts_with("applypriority")) {
    const std::string_view mode = word("load_mode");
    if (!word("report").empty() || word("multicast").ends_with("32b") || mode == "im2col_no_offs::w") return row->arch;
    return mode.contains("::") || !word("cta_group").empty() ? "sm_100a" : "sm_90";
  }
  const bool adds = id == "add" || id == "sub" || id == "mul" || id == "fma";
  if (adds) return word("type") == "f32x2" || !word("srctype").empty() ? row->arch : "sm_75";
  // Blocks of scales are as old as the instruction; keeping B in its collector is new.
  if (id.starts_with("tcgen05_mma_block_scale_block")) return word("collector_b").empty() ? "sm_100a" : row->arch;
  if (id == "cvt_tf32_f32") return word("satfinite").empty() ? "sm_80" : row->arch;
  return row->arch;
}

namespace {

// Has PTX added the form later than what its row of the table is, with a target of its own?
bool has_own_target(const ptx::Candidate& instruction) {
  const auto& [row, filled] = instruction;
  const std::string_view id = row->id;
  if (row->arch.starts_with("sm_107")) return true;
  const auto group = id.contains("async_bulk_tensor") ? row->slot_named("cta_group") : std::nullopt;
  if (group) return !row->token(filled, *group).empty();
  return id.starts_with("tcgen05_ld_red") || id.starts_with("mma_sp");
}

// Integers in tensor memory are of sm_100 alone; the later ones of its family lack them.
bool lacks_integers(const ptx::Candidate& instruction, ir::Target target) {
  const auto kind = instruction.row->slot_named("kind");
  return kind && instruction.row->token(instruction.filled, *kind) == "kind::i8" && target.number() % 10 != 0;
}

bool counts_named_barrier(const ptx::Row& row) {
  return (row.mnemonic == "bar" || row.mnemonic == "barrier") && !row.id.starts_with("bar_warp") &&
         !row.id.starts_with("barrier_cluster");
}

// A constant number or count that no named barrier has.
std::optional<std::string> named_barrier_fault(const WrittenForm& call) {
  for (const ptx::Bound& bound : call.resolved.operands) {
    const ir::Expr given = call.arguments[bound.first];
    const std::int64_t* n = given ? ir::constant(ir::simplify(given)) : nullptr;
    if (n && bound.operand->name == "a" && (*n < 0 || *n > 15))
      return "a CTA has the named barriers 0 to 15, here it is " + std::to_string(*n);
    if (n && bound.operand->name == "b" && (*n < 32 || *n > 1024 || *n % 32 != 0))
      return "a named barrier counts whole warps, a multiple of 32 threads from 32 to 1024, here it is " +
             std::to_string(*n);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> verify_resolved(const Form& form, const ptx::Resolved& call, std::span<const ir::Expr> args,
                                           ir::Target target) {
  try {
    const std::string_view arch = lowest_target(call.instruction);
    const Intrinsic* same = row_of_id(form.row->same_row(call.instruction.filled));
    const bool of_table = same && !has_own_target(call.instruction) && same->availability != Availability::Never &&
                          available(same->availability, target);
    if (!of_table && !has_instruction(arch, target)) {
      return "needs " + std::string(arch) + " (PTX " + std::string(form.row->isa) + "), this is " + target.name();
    }
    if (lacks_integers(call.instruction, target))
      return "kind::i8 needs sm_100a, this is " + target.name() + ", which has no integers in tensor memory";
    ptx::check_helper(call);
    if (counts_named_barrier(*call.instruction.row)) return named_barrier_fault(written_form(form, args));
    return std::nullopt;
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
}

std::optional<std::string> verify_form(const Form& form, std::span<const ir::Expr> args, ir::Target target) {
  try {
    return verify_resolved(form, written_form(form, args).resolved, args, target);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
}

}  // namespace tilewright::intrinsics
