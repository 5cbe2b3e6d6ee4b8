#include "compiler/script/traced/kernel.h"

#include <algorithm>

#include "compiler/script/mode_guard.h"
#include "compiler/script/tirx/signature.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kEntryFile = "0.27/traced_entry.py";

class Trace {
 public:
  Trace(Interpreter& in, Function* f, const Arguments& options)
      : in_(in), f_(f), options_(options), kernel_(*in.kernel()) {}

  // False: an error is pending.
  bool run() {
    kernel_.traced = true;
    if (defers_annotations(f_->closure)) {
      return fail(code::kParameter, at_name(),
                  "the annotations of a traced kernel are read when it is decorated, and `from __future__ import "
                  "annotations` makes texts of them",
                  "drop that import");
    }
    return take_target() && take_contract() && open_session() && annotations() && parameters() && enter() && body() &&
           leave();
  }

 private:
  bool fail(std::string_view code, text::Span at, std::string message, std::string hint = {}) {
    in_.fail(code, at, std::move(message), std::move(hint));
    return false;
  }
  text::Span at_name() const { return {f_->anchor, f_->def->name.at.begin, f_->def->name.at.end}; }
  text::Span at(syntax::Extent extent) const { return {f_->anchor, extent.begin, extent.end}; }

  const Keyword* option(std::string_view name) const {
    auto found = std::ranges::find(options_.keywords, name, &Keyword::name);
    return found == options_.keywords.end() ? nullptr : &*found;
  }
  Value given(std::string_view name) const { return option(name) ? option(name)->value : Value::none(); }
  // A call of a function of the prelude, as if the decorator made it.
  Value prelude_call(std::string_view name, std::initializer_list<Value> arguments) {
    const Value function = in_.prelude_of(std::string(kEntryFile), name);
    if (function.is_error()) return function;
    return in_.call(function, {arguments.begin(), arguments.size()}, options_.call);
  }

  // The target that the kernel is written for, where nobody asked for another one.
  bool take_target() {
    const Keyword* arch = option("arch");
    auto text = in_.as_string(arch->value, arch->span, "arch=");
    if (!text) return false;
    auto target = ir::parse_target(*text);
    if (!target) {
      return fail(code::kValue, arch->span, "there is no architecture \"" + std::string(*text) + "\"",
                  "for example \"sm_90a\" or \"sm_100a\"");
    }
    kernel_.set_attribute("tirx.cuda_arch", ir::string_imm(in_.keep(*text)));
    if (in_.finds_target()) kernel_.target = *target;
    return true;
  }

  bool take_contract() {
    const Keyword* functions = option("allowed_func_calls");
    if (!functions->value.is_none()) {
      auto names = in_.iterate(functions->value, functions->span);
      if (!names) return false;
      for (Value name : *names) kernel_.allowed_functions.push_back(in_.str(name));
    }
    auto checks = in_.truth(given("check_ir"), option("check_ir")->span);
    if (checks) kernel_.checks_contract = *checks;
    return checks.has_value();
  }

  bool open_session() {
    const Value session = prelude_call(
        "_open", {in_.string(f_->def->name.text), given("warps"), given("arch"), given("min_blocks_per_sm")});
    if (session.is_error()) return false;
    kernel_.session = session;
    return true;
  }

  bool is_host(const syntax::Parameter& p) const { return p.name.text == "host"; }

  // What stands behind the colons, in the order of the parameters.
  bool annotations() {
    const bool has_prelude = !given("host_prelude").is_none();
    const syntax::Parameter* host = nullptr;
    ModeGuard guard(in_);
    guard.enter(false, f_->anchor, f_->keep);
    for (const syntax::Parameter& p : f_->def->params) {
      if (is_host(p)) host = &p;
      if (is_host(p) && has_prelude) {
        annotations_.push_back(Value::none());
        continue;
      }
      if (!p.annotation || p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords) {
        return fail(code::kParameter, at(p.name.at),
                    "parameter '" + std::string(p.name.text) + "' of a traced kernel needs an annotation",
                    "for example " + std::string(p.name.text) + ": txl.gptr[txl.f32]");
      }
      Value annotation = in_.eval(p.annotation, f_->closure);
      if (annotation.is_error()) return false;
      annotations_.push_back(annotation);
    }
    if (!has_prelude && host) {
      return fail(code::kParameter, at(host->name.at), "'host' is what host_prelude= gives, and there is none",
                  "name the parameter otherwise, or give host_prelude= to the decorator");
    }
    if (has_prelude && (!host || host->kind != syntax::ParamKind::KeywordOnly)) {
      return fail(code::kParameter, at_name(), "host_prelude= needs a parameter 'host' that is given by name",
                  "write `*, host` at the end of the parameters");
    }
    return true;
  }

  // Numbers first: the shapes of tensors may be made of them.
  bool parameters() {
    params_ = in_.make<Dict>();
    Dict* scalars = in_.make<Dict>();
    const auto& written = f_->def->params;
    std::vector<Value> numbers(written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
      const Value annotation = annotations_[i];
      if (is_host(written[i]) || !(annotation.as<Str>() || annotation.as<DataTypeValue>())) continue;
      auto dtype = in_.as_dtype(annotation, at(written[i].annotation->at));
      if (!dtype) return false;
      const ir::Var* var = in_.drafts().variable(*dtype, ir::VarRole::Parameter);
      in_.drafts().name(var, written[i].name.text);
      numbers[i] = Value::expr(var);
      in_.dict_set(scalars, in_.string(written[i].name.text), numbers[i]);
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      const syntax::Parameter& p = written[i];
      if (is_host(p) && !given("host_prelude").is_none()) continue;
      Value value = numbers[i];
      if (value.is_expr()) {
        kernel_.parameter(value.as_expr().as<ir::Var>());
      } else {
        value = parameter(p, annotations_[i], scalars);
      }
      if (value.is_error()) return false;
      arguments_.push_back(value);
      in_.dict_set(params_, in_.string(p.name.text), value);
    }
    return true;
  }

  Value parameter(const syntax::Parameter& p, Value annotation, Dict* scalars) {
    const text::Span span = at(p.annotation->at);
    if (annotation.is_poison()) return annotation;
    Native* native = annotation.as<Native>();
    TypeAnnotation* type = annotation.as<TypeAnnotation>();
    if ((native && native->name == "TensorMap") || (type && type->kind == TypeAnnotation::Kind::TensorMap)) {
      return Value::expr(kernel_.parameter(p.name.text, ir::kTensorMap));
    }
    Instance* pointer = annotation.as<Instance>();
    if (pointer && pointer->find("_is_gptr")) return tensor(p, pointer, scalars, span);
    if (annotation.is_opaque()) {
      return in_.fail(code::kOpaque, span, "the type of this parameter is not known here: " + in_.whence(annotation),
                      in_.remedy(annotation));
    }
    return in_.fail(code::kParameter, span,
                    std::string(type_name(annotation)) + " is not the type of a parameter of a traced kernel",
                    "use txl.gptr[dtype], txl.TensorMap or a dtype such as txl.i32");
  }

  Value tensor(const syntax::Parameter& p, Instance* pointer, Dict* scalars, text::Span span) {
    builder::BufferOptions options;
    auto dtype = in_.as_dtype(*pointer->find("dtype"), span);
    if (!dtype) return Value::error();
    options.dtype = *dtype;
    const Value factory = *pointer->find("shape_factory"), shape = *pointer->find("shape");
    if (!factory.is_none()) {
      const Value argument = Value::object(scalars);
      const Value made = in_.call(factory, {&argument, 1}, span);
      auto extents = made.is_error() ? std::nullopt : in_.as_extents(made, span, "the shape of this tensor");
      if (!extents) return Value::error();
      options.shape = *extents;
    } else if (!shape.is_none()) {
      auto extents = in_.as_extents(shape, span, "the shape of this tensor");
      if (!extents) return Value::error();
      options.shape = *extents;
    } else {
      const std::int64_t rank = pointer->find("ndim")->i;
      for (std::int64_t i = 0; i < rank; ++i) options.shape.push_back(extent(p.name.text, i));
    }
    return in_.buffer_value(kernel_.tensor_parameter(p.name.text, in_.drafts().buffer(options, at(p.name.at))));
  }

  // An extent that the launch finds in the tensor.
  ir::Expr extent(std::string_view of, std::int64_t dimension) {
    ir::Var* var = in_.drafts().variable(ir::kInt64, ir::VarRole::Extent);
    var->range = {0, ir::Interval::kMax};
    in_.drafts().name(var, std::string(of) + "_dim" + std::to_string(dimension));
    return var;
  }

  bool enter() {
    host_ = prelude_call("_enter", {kernel_.session, Value::object(params_), given("grid"), given("host_prelude"),
                                    Value::boolean(option("grid")->value.is_bool() && !option("grid")->value.b)});
    return !host_.is_error();
  }

  bool body() {
    const Keyword host[] = {{"host", host_, {}}};
    Arguments arguments;
    arguments.positional = arguments_;
    if (!given("host_prelude").is_none()) arguments.keywords = host;
    return !in_.call_function(f_, arguments).is_error();
  }

  bool leave() { return !prelude_call("_leave", {kernel_.session}).is_error(); }

  Interpreter& in_;
  Function* f_;
  const Arguments& options_;
  KernelState& kernel_;
  std::vector<Value> annotations_;
  std::vector<Value> arguments_;
  Dict* params_ = nullptr;
  Value host_;
};

}  // namespace

Flow trace_kernel(Interpreter& in, Function* f, const Arguments& options) {
  if (Trace(in, f, options).run()) return Flow::Normal;
  in.kernel()->failed = true;
  return in.report_pending() ? Flow::Normal : Flow::Error;
}

}  // namespace tilewright::script
