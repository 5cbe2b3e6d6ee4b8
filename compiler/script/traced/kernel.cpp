#include "compiler/script/traced/kernel.h"

#include <algorithm>

#include "compiler/script/mode_guard.h"
#include "compiler/script/tirx/signature.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/traced/truth.h"

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
    if (Str* name = attribute_of_function("__name__").as<Str>()) kernel_.set_name(in_.keep(name->text));
    return take_target() && take_contract() && open_session() && signature() && parameters() && enter() && body() &&
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
    const Value function = in_.modules().prelude_of(std::string(kEntryFile), name);
    if (function.is_error()) return function;
    return in_.call(function, {arguments.begin(), arguments.size()}, options_.call);
  }

  // The target that the kernel is written for, where no other one is given.
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

  // A parameter as the function has it, or as the script says that it has.
  struct Parameter {
    std::string_view name;
    Value annotation;  // Error tag: none
    text::Span span;   // of the annotation, else of the name
    bool by_name = false;
  };

  Value attribute_of_function(std::string_view name) const {
    Dict* attributes = f_->attributes.as<Dict>();
    Value* found = attributes ? in_.dict_find(attributes, in_.string(name)) : nullptr;
    return found ? *found : Value::none();
  }

  // f.__signature__ = inspect.Signature([...])
  bool said_parameters(Instance* signature) {
    Value* found = signature->find("parameters");
    Dict* parameters = found ? found->as<Dict>() : nullptr;
    if (!parameters) return fail(code::kParameter, at_name(), "the __signature__ of this function is not known here");
    for (auto& [name, value] : parameters->items) {
      Instance* p = value.as<Instance>();
      const Value annotation = *p->find("annotation"), kind = *p->find("kind");
      Class* none = annotation.as<Class>();
      constexpr std::int64_t kKeywordOnly = 3;
      written_.push_back({in_.keep(in_.str(name)), none && none->name == "_empty" ? Value::error() : annotation,
                          at_name(), kind.is_int() && kind.i == kKeywordOnly});
    }
    return true;
  }

  // f.__annotations__ = {...}, or what stands behind the colons.
  bool own_parameters() {
    Dict* said = attribute_of_function("__annotations__").as<Dict>();
    if (!said && defers_annotations(f_->closure)) {
      return fail(code::kParameter, at_name(),
                  "the annotations of a traced kernel are read when it is decorated, and `from __future__ import "
                  "annotations` makes texts of them",
                  "drop that import");
    }
    ModeGuard guard(in_);
    guard.enter(false, f_->anchor, f_->keep);
    for (const syntax::Parameter& p : f_->def->params) {
      if (p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords) {
        return fail(code::kParameter, at(p.name.at), "a kernel cannot have *args or **kwargs");
      }
      Value annotation = Value::error();
      if (said) {
        Value* found = in_.dict_find(said, in_.string(p.name.text));
        if (found) annotation = *found;
      } else if (p.annotation) {
        annotation = in_.eval(p.annotation, f_->closure);
        if (annotation.is_error()) return false;
      }
      written_.push_back({p.name.text, annotation, at(p.annotation ? p.annotation->at : p.name.at),
                          p.kind == syntax::ParamKind::KeywordOnly});
    }
    return true;
  }

  // The parameters, and that `host` stands among them where the host prepares something.
  bool signature() {
    Instance* said = attribute_of_function("__signature__").as<Instance>();
    if (!(said ? said_parameters(said) : own_parameters())) return false;
    const bool has_prelude = !given("host_prelude").is_none();
    auto host = std::ranges::find(written_, std::string_view("host"), &Parameter::name);
    if (!has_prelude && host != written_.end()) {
      return fail(code::kParameter, host->span, "'host' is what host_prelude= gives, and there is none",
                  "name the parameter otherwise, or give host_prelude= to the decorator");
    }
    if (has_prelude && (host == written_.end() || !host->by_name)) {
      return fail(code::kParameter, at_name(), "host_prelude= needs a parameter 'host' that is given by name",
                  "write `*, host` at the end of the parameters");
    }
    if (has_prelude) written_.erase(host);
    for (const Parameter& p : written_) {
      if (!p.annotation.is_error()) continue;
      return fail(code::kParameter, p.span,
                  "parameter '" + std::string(p.name) + "' of a traced kernel needs an annotation",
                  "for example " + std::string(p.name) + ": txl.gptr[txl.f32]");
    }
    return true;
  }

  // Numbers first: the shapes of tensors may be made of them.
  bool parameters() {
    params_ = in_.make<Dict>();
    Dict* scalars = in_.make<Dict>();
    std::vector<Value> numbers;
    for (const Parameter& p : written_) {
      Value& number = numbers.emplace_back();
      if (!p.annotation.as<Str>() && !p.annotation.as<DataTypeValue>()) continue;
      auto dtype = in_.as_dtype(p.annotation, p.span);
      if (!dtype) return false;
      const ir::Var* var = in_.drafts().variable(*dtype, ir::VarRole::Parameter);
      in_.drafts().name(var, p.name);
      number = Value::expr(var);
      in_.dict_set(scalars, in_.string(p.name), number);
    }
    for (std::size_t i = 0; i < written_.size(); ++i) {
      const Parameter& p = written_[i];
      Value value = numbers[i];
      if (value.is_expr()) {
        kernel_.parameter(value.as_expr().as<ir::Var>());
      } else {
        value = parameter(p, scalars);
      }
      if (value.is_error()) return false;
      arguments_.push_back(value);
      in_.dict_set(params_, in_.string(p.name), value);
    }
    return true;
  }

  Value parameter(const Parameter& p, Dict* scalars) {
    const Value annotation = p.annotation;
    if (annotation.is_poison()) return annotation;
    Native* native = annotation.as<Native>();
    TypeAnnotation* type = annotation.as<TypeAnnotation>();
    if ((native && native->name == "TensorMap") || (type && type->kind == TypeAnnotation::Kind::TensorMap)) {
      return Value::expr(kernel_.parameter(p.name, ir::kTensorMap));
    }
    Instance* pointer = annotation.as<Instance>();
    if (pointer && pointer->find("_is_gptr")) return tensor(p, pointer, scalars);
    if (annotation.is_opaque()) {
      return in_.fail(code::kOpaque, p.span,
                      "the type of '" + std::string(p.name) + "' is not known here: " + in_.whence(annotation),
                      in_.remedy(annotation));
    }
    return in_.fail(code::kParameter, p.span,
                    std::string(type_name(annotation)) + " is not the type of a parameter of a traced kernel",
                    "use txl.gptr[dtype], txl.TensorMap or a dtype such as txl.i32");
  }

  Value tensor(const Parameter& p, Instance* pointer, Dict* scalars) {
    const text::Span span = p.span;
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
      for (std::int64_t i = 0; i < rank; ++i) options.shape.push_back(extent(p.name, i));
    }
    return in_.buffer_value(kernel_.tensor_parameter(p.name, in_.drafts().buffer(options, span)));
  }

  // An extent that the launch finds in the tensor.
  ir::Expr extent(std::string_view of, std::int64_t dimension) {
    ir::Var* var = in_.drafts().variable(ir::kInt64, ir::VarRole::Extent);
    var->range = {0, ir::Interval::kMax};
    in_.drafts().name(var, std::string(of) + "_dim" + std::to_string(dimension));
    return var;
  }

  bool enter() {
    if (const Value unknown = in_.unknown_within(given("grid")); unknown.is_opaque()) {
      return fail(code::kOpaque, option("grid")->span, "the grid is not known here: " + in_.whence(unknown),
                  in_.remedy(unknown));
    }
    host_ = prelude_call("_enter", {kernel_.session, Value::object(params_), given("grid"), given("host_prelude"),
                                    Value::boolean(option("grid")->value.is_bool() && !option("grid")->value.b)});
    return !host_.is_error();
  }

  bool body() {
    const Keyword host[] = {{"host", host_, {}}};
    Arguments arguments;
    arguments.positional = arguments_;
    if (!given("host_prelude").is_none()) arguments.keywords = host;
    const std::size_t frames = kernel_.ifs.size();
    if (in_.call_function(f_, arguments).is_error()) return false;
    if (kernel_.ifs.size() == frames) return true;
    return fail(code::kCondition, at_name(),
                "a frame of this kernel was not closed: a generator that yields in it "
                "did not go on",
                "use a generator that yields in a frame with @contextmanager");
  }

  bool leave() { return !prelude_call("_leave", {kernel_.session}).is_error(); }

  Interpreter& in_;
  Function* f_;
  const Arguments& options_;
  KernelState& kernel_;
  std::vector<Parameter> written_;
  std::vector<Value> arguments_;
  Dict* params_ = nullptr;
  Value host_;
};

}  // namespace

bool refuses_truth(Interpreter& in) { return in.kernel() && in.kernel()->traced && !in.in_script_mode(); }

Value no_truth(Interpreter& in, text::Span at, std::string_view what, std::string_view instead) {
  return in.fail(code::kCondition, at,
                 std::string(what) +
                     " of run-time values has no meaning while a kernel is traced: Python asks for "
                     "their truth at once",
                 "write " + std::string(instead) + "(...)");
}

Flow trace_kernel(Interpreter& in, Function* f, const Arguments& options) {
  if (Trace(in, f, options).run()) return Flow::Normal;
  in.kernel()->failed = true;
  return in.report_pending() ? Flow::Normal : Flow::Error;
}

}  // namespace tilewright::script
