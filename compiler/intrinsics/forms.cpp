#include "compiler/intrinsics/forms.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/effect_text.h"
#include "compiler/intrinsics/form_parts.h"
#include "compiler/ptx/helper.h"
#include "compiler/ptx/operands.h"
#include "compiler/ptx/table.h"

namespace tilewright::intrinsics {
namespace {

using PtxKind = ptx::OperandKind;

bool several(const ptx::Operand& o) {
  return o.braces || o.count.form == ptx::Count::Form::Coordinates || o.count.form == ptx::Count::Form::Im2col;
}

// The operand of a form for one of the instruction that no row of the table has.
Operand own_operand(const ptx::Operand& o) {
  Operand out;
  out.name = o.name;
  out.default_text = "None";
  if (o.kind == PtxKind::Immediate) {
    out.kind = OperandKind::Attribute;
    return out;
  }
  if (o.kind == PtxKind::Register && o.access != ptx::Access::Read) {
    out.kind = OperandKind::Reference;
    out.access = o.access == ptx::Access::Write ? Access::Out : Access::InOut;
    out.is_register = true;
  } else if (o.kind != PtxKind::Register && o.space != "tmem") {
    out.kind = OperandKind::Pointer;
  }
  if (!several(o)) return out;
  out.item = out.kind;
  out.kind = OperandKind::List;
  return out;
}

Operand attribute(std::string_view name) {
  Operand out;
  out.name = name;
  out.kind = OperandKind::Attribute;
  out.default_text = "''";
  return out;
}

// Makes one form.
class Maker {
 public:
  Maker(Form& form, const ptx::Row& row, const Intrinsic* same) : form_(form), row_(row), same_(same) {}

  void make(std::string_view name) {
    form_.name = name;
    form_.row = &row_;
    form_.same = same_;
    form_.holders.assign(written_count(), -1);
    if (same_) take_operands();
    add_own();
    form_.held.resize(form_.own_operands.size());
    for (std::size_t i = 0; i < form_.holders.size(); ++i)
      form_.held[static_cast<std::size_t>(form_.holders[i])].push_back(i);
    for (std::size_t at = 0; same_ && at < form_.held.size(); ++at)
      if (form_.held[at].size() > 1) form_.held[at] = source_of(row_, same_->id, form_.own_operands[at]).operands;
    form_.operands = form_.own_operands;
    form_.id = same_ ? same_->id : row_.id;
    form_.documentation = same_ ? same_->documentation : std::string_view();
    form_.meaning = same_ ? same_->meaning : form_meaning(row_);
    if (same_) form_.operation = same_->operation;
    form_.emit = [](const Intrinsic& intrinsic, std::span<const ir::Expr> args, ir::Target) {
      return emit_form(*form_of(intrinsic), args);
    };
    same_ ? take_effects() : own_effects();
    form_.effects = form_.own_effects;
    form_.effect = detail::summary(form_.effects, form_.by);
    for (const Operand& o : form_.operands)
      form_.assigns |= (o.kind == OperandKind::Reference || o.item == OperandKind::Reference) && o.access != Access::In;
  }

 private:
  std::size_t written_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(row_.operands, [](const ptx::Operand& o) { return o.kind != PtxKind::Literal; }));
  }

  void take_operands() {
    for (const Operand& o : same_->operands) {
      if (o.kind == OperandKind::Variadic) continue;  // last of all
      take(o, form_.own_operands.size());
      form_.own_operands.push_back(adapted(o));
    }
  }

  // An operand whose value is in the text of the instruction is an attribute.
  Operand adapted(Operand o) const {
    const FormSource source = source_of(row_, same_->id, o);
    for (std::size_t i : source.operands) {
      if (written(row_, i).kind == PtxKind::Immediate) o.kind = OperandKind::Attribute;
    }
    o.keyword_only = false;
    return o;
  }

  void take(const Operand& o, std::size_t holder) {
    for (std::size_t i : source_of(row_, same_->id, o).operands) form_.holders[i] = static_cast<int>(holder);
  }

  void add_own() {
    std::vector<Operand>& operands = form_.own_operands;
    for (std::size_t i = 0; i < form_.holders.size(); ++i) {
      if (form_.holders[i] >= 0 || in_variadic(i)) continue;
      form_.holders[i] = static_cast<int>(operands.size());
      operands.push_back(own_operand(written(row_, i)));
      const bool takes_result = operands.back().kind == OperandKind::Reference && same_ && same_->result;
      if (takes_result && form_.result < 0) form_.result = form_.holders[i];
    }
    form_.pred = operands.size();
    operands.emplace_back();
    operands.back().name = "pred";
    operands.back().default_text = "None";
    form_.keep = operands.size();
    operands.push_back(attribute("preserve_dst"));
    form_.first_slot = operands.size();
    for (const ptx::Slot& slot : row_.slots) operands.push_back(attribute(slot.name));
    if (const Operand* o = variadic()) {
      take(*o, operands.size());
      operands.push_back(*o);
    }
    if (!same_) form_.result = only_result();
  }

  // Where one register is written, its value is stored as any other.
  int only_result() const {
    int found = -1;
    for (std::size_t i = 0; i < form_.own_operands.size(); ++i) {
      const Operand& o = form_.own_operands[i];
      if (o.access == Access::In) continue;
      if (found >= 0 || o.kind != OperandKind::Reference || o.access != Access::Out) return -1;
      found = static_cast<int>(i);
    }
    return found;
  }

  const Operand* variadic() const {
    const bool has = same_ && !same_->operands.empty() && same_->operands.back().kind == OperandKind::Variadic;
    return has ? &same_->operands.back() : nullptr;
  }
  bool in_variadic(std::size_t i) const {
    const Operand* o = variadic();
    return o && std::ranges::count(source_of(row_, same_->id, *o).operands, i) > 0;
  }

  // The effects of the row, whose operands stand where they stood, but for the last.
  void take_effects() {
    const auto last = static_cast<std::int8_t>(same_->operands.size()) - 1;
    auto moved = [&](std::int8_t at) {
      return variadic() && at == last ? static_cast<std::int8_t>(form_.own_operands.size() - 1) : at;
    };
    for (Effect e : same_->effects) {
      for (std::int8_t* at : {&e.operand, &e.until_operand, &e.offset, &e.rank, &e.mask}) *at = moved(*at);
      e.guard = static_cast<std::int8_t>(form_.pred);
      for (Factor& f : e.bytes)
        if (f.kind != Factor::Kind::Number) f.value = moved(static_cast<std::int8_t>(f.value));
      form_.own_effects.push_back(e);
    }
    form_.by = same_->by;
    for (std::size_t i = same_->operands.size() - (variadic() ? 1 : 0); i < form_.pred; ++i)
      if (form_.own_operands[i].kind == OperandKind::Reference)
        form_.own_effects.push_back(register_written(static_cast<int>(i)));
  }

  static Effect register_written(int operand) {
    Effect e;
    e.verb = Verb::Writes;
    e.space.fixed = Space::Register;
    e.operand = static_cast<std::int8_t>(operand);
    return e;
  }

  void own_effects() {
    const std::string_view text = form_effects(row_);
    form_.own_effects.resize(detail::count_effects(form_.operands, text));
    try {
      form_.by = detail::EffectParser(form_.operands, form_.own_effects).parse(text);
    } catch (const char* fault) {
      throw std::logic_error(std::string(row_.id) + ": " + fault);
    }
    for (Effect& e : form_.own_effects) e.guard = static_cast<std::int8_t>(form_.pred);
  }

  Form& form_;
  const ptx::Row& row_;
  const Intrinsic* same_;
};

template <class T>
bool within(const void* at, const T* first, std::size_t count) {
  std::less<const void*> before;
  return !before(at, first) && before(at, first + count);
}

// The forms of each row of compiler/ptx, the one without a row of the table last: made by the first who asks, since a
// script has few of them. Each row has a place for as many as any has, so that all stand between two addresses. Never
// destroyed.
class Forms {
 public:
  static constexpr std::size_t kMost = 6;  // of a row

  Forms() : rows_(ptx::row_count()), bytes_(rows_.size() * kMost * sizeof(Form)) {
    storage_ = static_cast<std::byte*>(::operator new(bytes_));
  }

  std::span<const Form> of(const ptx::Row& row) {
    const std::size_t index = ptx::row_index(row);
    OfRow& known = rows_[index];
    std::call_once(known.once, [&] { known.forms = make(row, known.name, storage_ + index * kMost * sizeof(Form)); });
    return known.forms;
  }
  bool holds(const void* at) const { return within(at, storage_, bytes_); }

 private:
  struct OfRow {
    std::once_flag once;
    std::string name;
    std::span<const Form> forms;
  };

  static std::span<const Form> make(const ptx::Row& row, std::string& name, std::byte* to) {
    name = "ptx." + row.family;
    std::vector<std::string_view> ids;
    for (const ptx::SameAs& same : row.same_as) {
      if (!form_map(same.id).empty() && !std::ranges::count(ids, same.id)) ids.push_back(same.id);
    }
    if (ids.size() >= kMost) throw std::logic_error(std::string(row.id) + ": more forms than kMost");
    Form* first = nullptr;
    for (std::size_t i = 0; i <= ids.size(); ++i) {
      Form* form = new (to + i * sizeof(Form)) Form;
      if (i == 0) first = form;
      Maker(*form, row, i < ids.size() ? row_of_id(ids[i]) : nullptr).make(name);
    }
    return {first, ids.size() + 1};
  }

  std::vector<OfRow> rows_;
  std::size_t bytes_;
  std::byte* storage_;
};

std::atomic<const Forms*> made_forms{nullptr};

Forms& the_forms() {
  static Forms& forms = [] -> Forms& {
    auto* made = new Forms;
    made_forms.store(made, std::memory_order_release);
    return *made;
  }();
  return forms;
}

struct Tags {
  Intrinsic tags[3];
  Operand address[2], tagged[1];
  Tags() {
    const std::string_view names[] = {"ptx.addr", "ptx.pred", "ptx.SINK"};
    const std::string_view signatures[] = {"base, byte_offset", "value", ""};
    for (std::size_t i = 0; i < std::size(tags); ++i) {
      tags[i].name = tags[i].id = names[i];
      tags[i].signature = signatures[i];
    }
    address[0].name = "base";
    address[0].kind = OperandKind::Pointer;
    address[1].name = "byte_offset";
    address[1].kind = OperandKind::Attribute;
    tagged[0].name = "value";
    tags[0].operands = address;
    tags[0].meaning = Meaning::None;
    tags[1].operands = tagged;
  }
};
const Tags& the_tags() {
  static const Tags tags;
  return tags;
}

}  // namespace

const ptx::Operand& written(const ptx::Row& row, std::size_t i) {
  for (const ptx::Operand& o : row.operands) {
    if (o.kind == PtxKind::Literal) continue;
    if (i-- == 0) return o;
  }
  throw std::logic_error("an instruction has fewer operands");
}

const Intrinsic& address_offset() { return the_tags().tags[0]; }
const Intrinsic& predicate_tag() { return the_tags().tags[1]; }
const Intrinsic& sink_tag() { return the_tags().tags[2]; }

const Intrinsic* form_callee(const ir::Callee* callee) {
  const Forms* forms = made_forms.load(std::memory_order_acquire);
  if (forms && forms->holds(callee)) return static_cast<const Form*>(callee);
  return within(callee, the_tags().tags, 3) ? static_cast<const Intrinsic*>(callee) : nullptr;
}

const Form* form_of(const Intrinsic& row) {
  const Forms* forms = made_forms.load(std::memory_order_acquire);
  return forms && forms->holds(&row) ? static_cast<const Form*>(&row) : nullptr;
}

std::vector<const Form*> all_forms() {
  std::vector<const Form*> out;
  for (const ptx::Row& row : ptx::rows()) {
    for (const Form& form : forms_of(row)) out.push_back(&form);
  }
  return out;
}

std::span<const Form> forms_of(const ptx::Row& row) { return the_forms().of(row); }

}  // namespace tilewright::intrinsics
