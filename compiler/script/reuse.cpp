// Evaluating a kernel, or finding that it was evaluated before (memo.h).
#include <algorithm>

#include "compiler/script/fingerprint.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/last_run.h"
#include "compiler/script/tirx/signature.h"

namespace tilewright::script {
namespace {

// Do all places of the diagnostic lie in these statements, or in the prelude? Others could not be found again.
bool stays_within(const text::Diagnostic& d, const std::vector<std::shared_ptr<const syntax::TopLevel>>& statements,
                  const text::Anchors& anchors) {
  auto inside = [&](text::Span span) {
    if (!span) return true;
    for (const auto& s : statements) {
      if (s->id == span.anchor) return true;
    }
    text::Anchors::Place place = anchors.resolve(span);
    return place.source && place.source->path().starts_with("prelude/");
  };
  return inside(d.span) && std::all_of(d.chain.begin(), d.chain.end(), inside) &&
         std::all_of(d.related.begin(), d.related.end(), [&](const text::Related& r) { return inside(r.span); });
}

}  // namespace

std::unique_ptr<LastRun> KernelMemo::take_last_run(const text::Digest&) { return nullptr; }
void KernelMemo::keep_last_run(const text::Digest&, std::unique_ptr<LastRun>) {}

Reuse::Reuse(Interpreter& in, KernelMemo* memo) : in_(in), memo_(memo) {}
Reuse::~Reuse() = default;

// Not the memory that the script may take: a kernel that met a limit is not used again, and take() looks for room.
text::Digest Reuse::surroundings() const {
  text::Digest out;
  out.add(static_cast<std::uint64_t>(in_.target_.number()) << 8 | static_cast<unsigned char>(in_.target_.suffix));
  out.add(static_cast<std::uint64_t>(in_.dialect_));
  out.add(in_.budget_.whole().steps);
  out.add(in_.budget_.whole().depth);
  out.add(in_.find_target_ ? 1 : 0);
  return out;
}

std::optional<text::Digest> Reuse::key_of(Function* f, const Arguments* constexprs, bool is_private, bool persistent,
                                          std::vector<std::shared_ptr<const syntax::TopLevel>>* statements) {
  if (prelude_touched_) return std::nullopt;
  Fingerprint print(in_);
  print.add(surroundings());
  print.add(in_.budget_.depth());
  print.add((is_private ? 1u : 0u) | (persistent ? 2u : 0u) | (constexprs ? 4u : 0u) |
            (defers_annotations(f->closure) ? 8u : 0u));
  print.add(f);
  if (constexprs) {
    auto place = [&](text::Span s) { print.add(std::uint64_t{s.begin} << 32 | s.end); };
    print.add(in_.top_level_);  // where the values are written
    place(constexprs->call);
    for (Value v : constexprs->positional) print.add(v);
    for (const Keyword& k : constexprs->keywords) {
      print.add(k.name);
      print.add(k.value);
      place(k.span);
    }
  }
  std::optional<text::Digest> key = print.digest();
  *statements = print.take_statements();
  return key;
}

Value Reuse::take(Function* f, const std::shared_ptr<KernelRecord>& record,
                  const std::vector<std::shared_ptr<const syntax::TopLevel>>& statements) {
  if (record->statements.size() != statements.size()) return Value::none();
  // What it took counts as if it were taken now; where that is too much, the evaluation says what has to be said.
  if (in_.budget_.is_spent(record->steps)) return Value::none();
  if (!in_.budget_.has_room(in_.heap_.bytes() + record->bytes)) return Value::none();
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (!in_.anchors_.alias(record->statements[i]->id, statements[i]->id)) return Value::none();
  }
  for (const std::string& file : record->prelude) in_.modules_.bind_prelude(file);
  std::size_t bytes = in_.heap_.bytes();
  KernelValue* value = in_.make<KernelValue>();
  value->source = f;
  value->def_anchor = f->anchor;
  value->kernel = record->kernel;
  value->failed = record->failed;
  value->record = record;
  for (const text::Diagnostic& d : record->diagnostics) in_.context_.report(d);
  in_.budget_.spend(record->steps);
  in_.heap_.reset(bytes + record->bytes);
  in_.kernels_.push_back(value);
  return Value::object(value);
}

Value Reuse::evaluate(Function* f, const Arguments* constexprs, bool is_private, bool persistent) {
  if (in_.in_doubt() && !in_.kernel_) {  // one of two ways makes it, and which is not known
    if (in_.errors_.calls.empty() && !f->def->decorators.empty()) {
      const syntax::Node* decorator = f->def->decorators[0];
      in_.unread_.push_back({f, decorator, {f->anchor, decorator->at.begin, decorator->at.end}, in_.doubt_, true});
    }
    return Value::opaque(in_.doubt_);
  }
  // A kernel inside another one is a part of it.
  if (!memo_ || in_.kernel_) return in_.evaluate_kernel_now(f, constexprs, is_private, persistent);

  // The definition of a statement of the module; others come to more than one kernel.
  const bool defined = rerun_ && rerun_->current() == f->keep.get() && f->def == f->keep->statement && !constexprs;
  if (const StatementOutcome* known = defined && !prelude_touched_ ? rerun_->known() : nullptr;
      known && known->kernel) {
    Value v = take(f, known->kernel, known->statements);
    if (!v.is_none()) {
      memo_->use(known->kernel);
      return v;
    }
  }
  std::vector<std::shared_ptr<const syntax::TopLevel>> statements;
  std::optional<text::Digest> key = key_of(f, constexprs, is_private, persistent, &statements);
  if (key) {
    for (const std::shared_ptr<KernelRecord>& record : memo_->find(*key)) {
      Value v = take(f, record, statements);
      if (v.is_none()) continue;
      if (defined) rerun_->made(record, std::move(statements));
      return v;
    }
  }
  std::size_t reported = in_.context_.diagnostics ? in_.context_.diagnostics->size() : 0, bytes = in_.heap_.bytes();
  std::size_t kernels = in_.kernels_.size();
  std::uint64_t steps = in_.budget_.steps(), asked = in_.modules_.asked(), calls = calls_;
  const auto outer_order = std::exchange(in_.drawn_order_, std::nullopt);
  Value v = in_.evaluate_kernel_now(f, constexprs, is_private, persistent);
  const bool is_drawn = in_.drawn_order_.has_value();
  if (outer_order) in_.drawn_order_ = outer_order;
  if (v.is_error()) return v;

  KernelValue* value = v.as<KernelValue>();
  std::shared_ptr<KernelRecord> record = memo_->make();
  value->record = record;
  record->kernel = value->kernel;
  record->failed = value->failed;
  record->steps = in_.budget_.steps() - steps;
  record->bytes = in_.heap_.bytes() - bytes;
  if (in_.context_.diagnostics) {
    record->diagnostics.assign(in_.context_.diagnostics->begin() + static_cast<std::ptrdiff_t>(reported),
                               in_.context_.diagnostics->end());
  }
  if (!key || is_drawn || in_.modules_.asked() != asked || in_.kernels_.size() != kernels + 1) return v;
  // A script that catches errors may have gone on after a stop or a limit: what it made then says nothing.
  if (in_.context_.stop.stop_requested() || in_.budget_.is_spent()) return v;
  if (!in_.budget_.has_room(in_.heap_.bytes()) || in_.budget_.met_limits()) return v;
  // A function that changed what it read would have to change it each time.
  std::vector<std::shared_ptr<const syntax::TopLevel>> again;
  if (key_of(f, constexprs, is_private, persistent, &again) != key) return v;
  for (const text::Diagnostic& d : record->diagnostics) {
    if (!stays_within(d, statements, in_.anchors_)) return v;
  }
  for (auto& [name, module] : in_.modules_.known()) {
    if (name.starts_with("prelude/")) record->prelude.push_back(name);
  }
  record->key = *key;
  calls_ = calls;  // they changed nothing
  if (defined) rerun_->made(record, statements);
  record->statements = std::move(statements);
  record->reusable = true;
  memo_->keep(record);
  return v;
}

}  // namespace tilewright::script
