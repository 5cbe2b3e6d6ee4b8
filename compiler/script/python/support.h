// What the files of the host-Python library share: unknown arguments, budgets, types of values, ordering.
//
// Everything here runs on behalf of a script that may be hostile: whatever makes something large first asks reserve(),
// loops call Interpreter::step(), and containers are copied before script code (a key function, an __eq__) may change
// them.
#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// The argument that leaves a call without an answer: a poison value before an opaque one; nothing when all are known.
std::optional<Value> unknown_argument(const Arguments& args);

// Wraps a native that wants to see known values only: unknown ones pass through as the result.
template <NativeFunction F>
Value known(Interpreter& in, const Arguments& args, Value self) {
  if (auto unknown = unknown_argument(args)) return *unknown;
  return F(in, args, self);
}

// Counts `bytes` about to be allocated against the script's budget; false with a pending error when they exceed it.
bool reserve(Interpreter& in, text::Span span, std::uint64_t bytes);
// Charges steps for a loop of ours over `items` cheap things.
bool work(Interpreter& in, text::Span span, std::size_t items);

// A result for what this evaluator does not follow: `why` names where it came from.
Value opaque_function(Interpreter& in, const Arguments& args, Value self);
Value opaque_named(Interpreter& in, const std::string& why);

// ---- arguments ------------------------------------------------------------------------------------------------

// Checks the number of positional arguments and that there are no keywords; false with a pending error otherwise.
bool takes(Interpreter& in, const Arguments& args, std::string_view function, std::size_t least, std::size_t most);
const Keyword* keyword(const Arguments& args, std::string_view name);
Value wrong_type(Interpreter& in, text::Span span, std::string_view function, std::string_view expected, Value got);
// Calls a value with positional arguments.
Value call(Interpreter& in, Value function, std::initializer_list<Value> args, text::Span span);
// The text of str(v) / repr(v); nothing when the script's own __str__ failed.
std::optional<std::string> text_of(Interpreter& in, Value v);
std::optional<std::string> repr_of(Interpreter& in, Value v);
// Puts a taken exception back.
Value raise_again(Interpreter& in, const Pending& pending, text::Span span);
// Whether the pending exception, taken or not, is of the Python class `type` or one derived from it.
bool is_exception(Interpreter& in, const Pending& pending, std::string_view type);
// Attribute or nothing; an AttributeError is swallowed, any other error stays pending.
std::optional<Value> find_attribute(Interpreter& in, Value object, std::string_view name, text::Span span);

// ---- types ----------------------------------------------------------------------------------------------------

Class* make_class(Interpreter& in, std::string_view name, std::initializer_list<Class*> bases,
                  NativeFunction construct = nullptr);
// The class bound to `key` in the builtin scope: "int", or a hidden one with a dot in its key, such as "enum.Enum".
Class* class_named(Interpreter& in, std::string_view key);
// The same, made on first use. Dotted keys are no identifiers, so scripts never see them.
Class* shared_class(Interpreter& in, std::string_view key, const std::function<Class*()>& make);
Class* type_of(Interpreter& in, Value v);
bool is_subclass(const Class* cls, const Class* base);
// isinstance(), which is not known of what is not, nor of a class that is not; a tuple of classes may nest.
Value instance_answer(Interpreter& in, Value v, Value classinfo);
// The same where all is known.
bool is_instance(Interpreter& in, Value v, Value classinfo);
bool is_callable(Value v);
// What `except ... as e` binds: of an error of ours an exception of that class, whose text is not Python's.
Value exception_value(Interpreter& in, const Pending& pending);
// What leaves the text of a value unknown; None: nothing does.
Value unknown_in_text(Interpreter& in, Value v);
Instance* make_exception(Interpreter& in, Class* cls, std::vector<Value> args);
// Adds a native method; it finds its instance in the first positional argument.
void add_method(Interpreter& in, Class* cls, std::string_view name, NativeFunction function);
// Classes that only name a kind of value (typing.Any, numbers.Integral, ...). They have no constructor, so a class of
// the script may derive from them and keep its own.
Class* make_marker(Interpreter& in, std::string_view name);
bool is_marker(const Class* cls);
// Do we know all that objects of the class have? Of those that only scripts define.
bool is_of_scripts(const Class* cls);

// ---- algorithms -------------------------------------------------------------------------------------------------

// Python's a < b as a bool; nothing with a pending error when it is not one.
std::optional<bool> less(Interpreter& in, Value a, Value b, text::Span span);
// Stable sort by key (None: the values themselves); false with a pending error.
bool sort(Interpreter& in, std::vector<Value>& items, Value key, bool reverse, text::Span span);
std::optional<std::int64_t> float_to_int(double value);
// Removes position `at` of a dict and keeps its index right.
void dict_erase(Dict* dict, std::size_t at);
// Number of code points; byte offset of code point `index` (the size when beyond).
std::size_t text_length(std::string_view text);
std::size_t text_offset(std::string_view text, std::size_t index);

// Hidden attributes, no identifiers: the dict inside a defaultdict; set on the class of an enum of strings.
inline constexpr std::string_view kInnerDict = "<dict>";
inline constexpr std::string_view kTextEnum = "<text enum>";
// The class of what ends a test early: pytest.skip(...) and the like.
inline constexpr std::string_view kTestOutcome = "pytest.outcome";
// The class of pytest.raises(...).
inline constexpr std::string_view kExpectedFailure = "pytest.raises";
// The class of contextlib.suppress(...).
inline constexpr std::string_view kSuppress = "contextlib.suppress";

// An attribute of functions that @abstractmethod marks; and in the scope of a class whose metaclass is ABCMeta.
inline constexpr std::string_view kAbstract = "__isabstractmethod__";
inline constexpr std::string_view kHasAbstract = "<abstract>";
// Of a class whose `register` was asked for: others may be subclasses of it, too.
inline constexpr std::string_view kHasRegistered = "<registered>";

// An attribute of functions that functools.cache makes: the function that it was given, and a dict of results.
inline constexpr std::string_view kCached = "<cached>";

// An attribute of functions that contextlib.contextmanager makes: what calls of it run. And what a manager holds.
inline constexpr std::string_view kManaged = "<managed>";
inline constexpr std::string_view kGenerator = "<generator>";
// Of a context manager that a generator makes: the function that made it, its arguments and its keywords.
inline constexpr std::string_view kMadeBy = "<made by>";

// Does `with v:` stand around what is meant to fail?
bool is_expected_failure(Interpreter& in, Value v);
// Does it go on behind `with v:` when something failed?
bool is_suppressing(Interpreter& in, Value v);

// ---- dicts that are instances (dict_classes.cpp) ----

// The dict that an instance holds, or what became of it; None: it holds none.
Value inner_dict_of(Value v);
// A dict, or the one that an instance holds; null: neither.
Dict* as_dict(Value v);
// The methods of dict for such instances: a base of their classes.
Class* dict_methods_class(Interpreter& in);

// ---- enums, dataclasses, named tuples ------------------------------------------------------------------------------

// The text of a str, or of a member of an enum of strings; nothing for other values.
std::optional<std::string_view> text_value(Value v);
// Members of an enum in order of definition, without aliases.
std::vector<Value> enum_members(const Class* cls);
void finish_enum(Interpreter& in, Class* cls);
void finish_named_tuple(Interpreter& in, Class* cls);  // does nothing to other classes
// dataclasses.replace, which copy.replace is as well.
Value replace(Interpreter& in, const Arguments& args, Value self);
// How deeply nested data asdict() and deepcopy() follow.
inline constexpr int kDeepest = 100;

// ---- tables of names --------------------------------------------------------------------------------------------

struct Entry {
  std::string_view name;
  NativeFunction function = nullptr;         // a native, or
  Value (*make)(Interpreter& in) = nullptr;  // a value made on demand
};

// The names of each module; library.cpp says which module has which.
std::span<const Entry> math_names();                          // math.cpp
Value math_function(Interpreter& in, std::string_view name);  // Error tag: no such function
std::span<const Entry> functools_names();                     // functional.cpp
std::span<const Entry> operator_names();
std::span<const Entry> itertools_names();
std::span<const Entry> heapq_names();  // heaps.cpp
std::span<const Entry> bisect_names();
std::span<const Entry> dataclasses_names();                            // dataclasses.cpp
std::span<const Entry> copy_names();                                   // copies.cpp
Value namedtuple(Interpreter& in, const Arguments& args, Value self);  // named_tuples.cpp
std::span<const Entry> enum_names();                                   // enums.cpp
std::span<const Entry> collections_names();                            // collections.cpp
std::span<const Entry> typing_names();                                 // typing.cpp
Value typing_marker(Interpreter& in, std::string_view name);  // any other name of typing, collections.abc, numbers
std::span<const Entry> environment_names();                   // environment.cpp: os
std::span<const Entry> sys_names();
// sys.exit(), exit(), os._exit(): the module ends.
Value py_exit(Interpreter& in, const Arguments& args, Value self);
std::span<const Entry> numpy_names();  // numpy.cpp
std::span<const Entry> torch_names();
// Any other name of these packages: a dtype, or not known.
Value numpy_name(Interpreter& in, std::string_view name);
Value torch_name(Interpreter& in, std::string_view name);
Value ml_dtypes_name(Interpreter& in, std::string_view name);
Class* dtype_value_class(Interpreter& in, std::string_view key);
// Of T.float16, np.float16, np.dtype("float16"), torch.float16; nothing: it is no dtype.
std::optional<ir::DataType> dtype_of(Value v);

}  // namespace tilewright::script::python
