#include "compiler/script/codes.h"

namespace tilewright::script::code {
namespace {

constexpr text::CodeInfo kTable[] = {
    {kSyntax, "syntax error",
     "The text cannot be read as Python here. Only the broken statement is skipped; everything else is still checked."},
    {kUnsupported, "not part of tile scripts",
     "The construct is Python, but not available at this place: kernels have a fixed set of statements. Move the work "
     "into a plain function or to the module."},
    {kName, "undefined name",
     "The name is not bound here. A name first bound inside a branch, a loop or a with block of a kernel ends with "
     "that block."},
    {kAttribute, "no such attribute", "The object has no attribute or method of this name."},
    {kType, "wrong type",
     "The operation is not defined for values of these types. Comparisons in a kernel demand equal types; arithmetic "
     "promotes them."},
    {kValue, "wrong value",
     "The value lies outside of what is allowed here, such as a literal that does not fit its type or a division by "
     "zero."},
    {kArguments, "wrong arguments", "The call does not fit the parameters of what is called."},
    {kOpaque, "not known here",
     "The value comes from a module that is not evaluated (numpy, torch, ...). Host code may use it freely; a kernel "
     "needs the actual value: write it in the script or name an entry with known arguments."},
    {kRaised, "the script raised an error",
     "The script's own check failed while the kernel was built, or a `raise`, an `assert` or `sys.exit` ends its "
     "module when it is imported. Under a condition that is not known here nothing is said."},
    {kLimit, "limit reached",
     "Evaluation was stopped by a limit on steps, memory or depth. Limits protect the editor from runaway scripts and "
     "can be set in tilewright.toml."},
    {kCancelled, "cancelled", "Evaluation was stopped because the request was cancelled."},
    {kAssignment, "illegal assignment",
     "This form of assignment is not available in a kernel, or the target cannot be assigned to."},
    {kRebinding, "name already defined",
     "In a kernel a name that is not a scalar is bound once in a scope. Use another name, or a scalar (x: T.int32 = "
     "...) if the value changes at run time."},
    {kCondition, "not a condition",
     "An if needs a Python bool (the branch is chosen while the kernel is built) or a run-time expression (a branch is "
     "emitted)."},
    {kLoop, "not a loop",
     "A kernel loops over range and the T loop frames only; a Python list is iterated by a helper function or an "
     "@T.inline recursion."},
    {kParameter, "illegal parameter",
     "Parameters of a kernel have types: T.handle, T.Buffer(...), T.TensorMap(), a scalar dtype, or T.constexpr under "
     "@T.jit."},
    {kBuffer, "illegal buffer",
     "The declaration or view of a buffer breaks a rule on shape, dtype, scope, offset or layout."},
    {kIndex, "illegal index", "The subscript does not fit the buffer or sequence."},
    {kRegion, "tile where a scalar is needed, or the reverse",
     "A slice or a partly indexed buffer is a region and only tile primitives take it; arithmetic needs single "
     "elements."},
    {kLayout, "illegal layout",
     "The layout expression or operation breaks a rule of the layout algebra; the message carries the layout and the "
     "shape."},
    {kScopeId, "illegal scope id", "The declaration of a scope id (T.cta_id and friends) has wrong extents."},
    {kIntrinsic, "illegal intrinsic call", "The arguments do not fit the instruction, or the target does not have it."},
    {kOutside, "outside of a kernel", "The call builds a part of a kernel and needs one around it."},
    {kMetaClass, "lost resource",
     "A meta class must keep every buffer that it allocates in an attribute, so that it gets a name."},
    {kJit, "illegal specialisation", "A @T.jit function is specialised with a value for each compile-time parameter."},
    {kDeviceEntry, "illegal device entry",
     "T.device_entry() splits a kernel once into host and device part. A kernel that only binds launch dimensions "
     "(T.launch_thread, T.thread_binding) needs none: its device part is the outermost binding, of which there is one, "
     "and what works on tensors stands inside it."},
    {kTruncation, "fraction dropped",
     "A floating-point value is stored where integers are kept: the fraction is lost at every store. A scalar has the "
     "type of the first value that it is assigned, so `acc = 0` is int32: write acc: T.float32 = 0. Where the loss is "
     "meant, a cast says so: T.int32(x)."},
    {kSerial, "serial in every thread",
     "T.parallel says that rounds do not depend on each other; in a kernel for a GPU it is a serial loop, and each "
     "thread that reaches it runs all rounds. Share the rounds out by the thread's index, or write T.serial."},
    {kPrinted, "print() in a kernel",
     "print() is Python's and runs while the kernel is built: of a value that exists only when the kernel runs it "
     "prints "
     "nothing. T.cuda.printf prints on the device."},
    {kUnchecked, "not checked",
     "The function looks like a kernel, and nothing of it was looked at: its decorator comes from a package that is "
     "not "
     "evaluated, it is a kernel for other hardware, whether it is made depends on a condition that is not known, the "
     "lines of CONFIGS before the one that makes it met a limit, or no entry leads to it (a kernel in a method that "
     "the "
     "script does not call). The summary counts such functions; `check --deny unchecked` makes them errors."},
    {kSymbol, "name that is no identifier",
     "The name of a kernel becomes a symbol of the GPU program, words of CUDA and C++ text, and the names of files "
     "(`compile -o`); the function of T.call_extern and T.cuda.func_call becomes a call in CUDA text. So each is an "
     "identifier of C in ASCII: letters, digits and underscores, no digit first, at most 255 characters; a function "
     "that is called is no keyword of C++, and namespaces may stand before it (`ns::f`). Where the name is made from "
     "parameters, spell them in letters: `f\"gemm_{M}x{N}\"`. A kernel whose Python name has other letters gets its "
     "symbol from `T.func_attr({\"global_symbol\": \"name\"})`."},
    {kTraced, "what a traced kernel may not do",
     "A kernel of the traced library (`@txl.kernel`) reads and writes global and shared memory by instructions "
     "alone: it has no tile primitives, no `A[i]` of such memory outside of an address, calls no function of "
     "its own unless `allowed_func_calls=` names it, and changes the registers of its threads (`setmaxnreg`) "
     "only where `min_blocks_per_sm=` says how many they begin with. Write `txl.ptx.ld` and `txl.ptx.st`; "
     "`check_ir=False` switches the rule off."},
    {kOnlyHere, "accepted here alone",
     "Tilewright compiles this, and the reference compiler refuses it in the release that the script is written in: a "
     "slice without both ends as the target of a store, in each release; from 0.27 on a slice as the stored value. "
     "Write it as the hint says, and both take it."},
    {kEntry, "bad entry", "The entry expression does not yield a kernel."},
    {kNeedsEntry, "kernel needs arguments",
     "The kernel stands inside a function with parameters. Name arguments in a comment `# tilewright: entry f(128, "
     "64)` or with --entry."},
    {kDialect, "release of the dialect",
     "The comment names a release of the dialect that this version does not read, two names or two pins are of "
     "different "
     "releases, or a script imports one that is written in another release. Names mean other things from one release "
     "to "
     "the next, so nothing is guessed: name the release in a comment `# tilewright: dialect 0.25`, or move the script "
     "with `tilewright migrate`."},
    {kConfig, "line of CONFIGS that does not fit",
     "Each dict of the module's CONFIGS is passed to its get_kernel as keywords. `label` is left out, and so is what "
     "the function does not take. This line lacks an argument, misspells one, or get_kernel refuses it; so it makes no "
     "kernel, and nothing of that configuration is checked."},
    {kImport, "import not found", "The module lies below the script's root but cannot be read."},
};

}  // namespace

std::span<const text::CodeInfo> table() { return kTable; }

}  // namespace tilewright::script::code
