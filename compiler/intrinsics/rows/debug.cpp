// Printing, asserting, timing, and CUDA source of the author's own.
#include <cstdio>

#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/rows/rows.h"
#include "compiler/text/escape.h"

namespace tilewright::intrinsics {
namespace {

// ---- printf
// ----------------------------------------------------------------------------------------------------------

// How a value travels through the dots of printf.
std::string_view promoted(ir::DataType d) {
  if (d.is_handle()) return "void*";
  if (d.is_floating()) return "double";
  if (d.bits == 64) return d.is_int() ? "long long" : "unsigned long long";
  return d.is_uint() ? "unsigned int" : "int";
}

std::string c_literal(std::string_view text) {
  std::string out;
  text::append_quoted(out, text);
  return out;
}

// Names that depend on free text take its hash: FNV-1a.
std::string hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ull;
  char out[20];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(h));
  return out;
}

Emitted emit_printf(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string format = a.text("fmt");
  std::string parameters, passed, types;
  Emitted out;
  int i = 0;
  for (ir::Expr value : a.items("args")) {
    const std::string name = "v" + std::to_string(i++);
    const std::string type(promoted(value.dtype()));
    parameters += (i > 1 ? ", " : "") + type + " " + name;
    passed += ", " + name;
    types += type + ";";
    out.argument_positions.push_back(i);
  }
  out.helper_name = "tvm_builtin_cuda_printf_" + hash_of(format + '\0' + types);
  // Not inlined: the buffer that printf fills costs registers and stack.
  out.helper_source = "__noinline__ __device__ void " + out.helper_name + "(" + parameters + ") {\n  printf(" +
                      c_literal(format) + passed + ");\n}\n";
  return out;
}

Failure check_printf(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  if (!a["fmt"].as<ir::StringImm>()) return "the format is a string literal";
  for (ir::Expr value : a.items("args")) {
    ir::DataType d = value.dtype();
    bool known =
        d.lanes == 1 && (d.is_integral() || d.is_bool() || d.is_handle() || d == ir::kFloat32 || d == ir::kFloat64);
    if (!known) return "a value of type " + ir::dtype_name(d) + " cannot be printed: cast it to float32";
  }
  return std::nullopt;
}

// ---- source of the author's own
// --------------------------------------------------------------------------------------

Emitted emit_source(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  Emitted out;
  out.helper_name = a.text("func_name");
  out.helper_source = a.text("source_code");
  const Operand& values = row.operands.back();
  const int first = a.position(values);
  for (std::size_t i = 0; i < a.items(values).size(); ++i)
    out.argument_positions.push_back(first + static_cast<int>(i));
  return out;
}

ir::DataType source_result(std::span<const ir::Expr> args) {
  const auto* name = args[2].as<ir::StringImm>();
  return name ? ir::parse_dtype(name->value).value_or(ir::kVoid) : ir::kVoid;
}

Failure check_source(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string name = a.text("func_name"), result = a.text("return_type");
  if (name.empty()) return "the function needs a name";
  if (a.text("source_code").find(name) == std::string::npos) return "'source_code' does not define " + name;
  if (result != "void" && !ir::parse_dtype(result)) return "'return_type' = '" + result + "' is no data type";
  return std::nullopt;
}

// ---- profiling
// -------------------------------------------------------------------------------------------------------

// A record: the clock's low word, the tag, the event and what happened to it.
constexpr std::string_view kRecord =
    "  unsigned int now;\n"
    "  asm volatile(\"mov.u32 %0, %%globaltimer_lo;\" : \"=r\"(now) : : \"memory\");\n"
    "  {profiler_buffer}[{profiler_write_offset}[0]] =\n"
    "      (unsigned long long)now << 32 | ({profiler_tag}[0] | EVENT);\n"
    "  {profiler_write_offset}[0] += {profiler_write_stride};\n";

std::string record(std::string_view event) {
  std::string out(kRecord);
  return out.replace(out.find("EVENT"), 5, event);
}

std::string timer_start(const Arguments&, ir::Target) {
  return "if ({leader_cond}) {{\n" + record("(unsigned int){event_type} << 2") + "}}\n__threadfence_block();";
}
std::string timer_end(const Arguments&, ir::Target) {
  return "__threadfence_block();\nif ({leader_cond}) {{\n" + record("(unsigned int){event_type} << 2 | 1u") + "}}";
}
std::string timer_finalize(const Arguments&, ir::Target) {
  return "__threadfence_block();\nif ({leader_cond}) {{\n" + record("3u") + "}}";
}

#define TILEWRIGHT_TIMER \
  "profiler_buffer: ptr, profiler_tag: ptr, profiler_write_offset: ptr, profiler_write_stride: u32, leader_cond: bool"

constexpr Intrinsic kDebugRows[] = {
    row<"fmt: attr, *args: any">("C58", "cuda.printf", Meaning::Print)
        .effects<"writes console">()
        .check(check_printf)
        .emits(emit_printf)
        .says("Prints as C does; the text appears when the host synchronises."),
    row<"cond: bool">("C59", "cuda.trap_when_assert_failed", Meaning::TrapUnless)
        .effects<"stops threads unless cond">()
        .cxx("if (!{cond}) asm volatile(\"trap;\");")
        .says("Ends the kernel with an error when the condition does not hold."),
    row<"func_name: attr, *args: any, source_code: attr, return_type: attr = 'void'">("C60", "cuda.func_call",
                                                                                      Meaning::CallSource)
        .effects<"unknown">()
        .returns(source_result)
        .check(check_source)
        .emits(emit_source)
        .says("Calls a device function whose CUDA source is given here; it is emitted once."),
    row<"time: u32">("C61", "cuda.nano_sleep", Meaning::Sleep)
        .effects<"schedules threads">()
        .inline_cxx("__nanosleep({0})")
        .says("Sleeps for about this many nanoseconds, at most 1 ms."),
    row<"">("C62", "cuda.clock64", Meaning::Clock)
        .effects<"reads machine">()
        .returns<ir::kUInt64>()
        .inline_cxx("((unsigned long long)clock64())")
        .says("The cycle counter of the multiprocessor."),
    row<"profiler_buffer: ptr, profiler_tag: ptr, profiler_write_offset: ptr, num_groups: u32, group_id: u32">(
        "C63", "cuda.timer_init", Meaning::TimerInit)
        .effects<"writes generic profiler_buffer[size(profiler_buffer)]; "
                 "writes generic profiler_write_offset[size(profiler_write_offset)]; "
                 "writes generic profiler_tag[size(profiler_tag)]">()
        .cxx("unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
             "unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;\n"
             "unsigned int slot = block * {num_groups} + {group_id};\n"
             "if (block == 0 && threadIdx.x + threadIdx.y + threadIdx.z == 0) {{\n"
             "  {profiler_buffer}[0] = (unsigned long long){num_groups} << 32 | blocks;\n"
             "}}\n"
             "{profiler_write_offset}[0] = 1 + slot;\n{profiler_tag}[0] = slot << 12;")
        .says("Prepares this thread's slot in a profile buffer."),
    row<"event_type: i32, " TILEWRIGHT_TIMER>("C64", "cuda.timer_start", Meaning::TimerStart)
        .effects<"reads machine if leader_cond; reads generic profiler_tag[size(profiler_tag)] if leader_cond; "
                 "reads generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "writes generic profiler_buffer[size(profiler_buffer)] if leader_cond; "
                 "writes generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "fences memory sc.cta">()
        .cxx("record(event << 2)", timer_start)
        .says("Records that an event starts."),
    row<"event_type: i32, " TILEWRIGHT_TIMER>("C65", "cuda.timer_end", Meaning::TimerEnd)
        .effects<"reads machine if leader_cond; reads generic profiler_tag[size(profiler_tag)] if leader_cond; "
                 "reads generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "writes generic profiler_buffer[size(profiler_buffer)] if leader_cond; "
                 "writes generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "fences memory sc.cta">()
        .cxx("record(event << 2 | 1)", timer_end)
        .says("Records that an event ends."),
    row<TILEWRIGHT_TIMER>("C66", "cuda.timer_finalize", Meaning::TimerFinalize)
        .effects<"reads machine if leader_cond; reads generic profiler_tag[size(profiler_tag)] if leader_cond; "
                 "reads generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "writes generic profiler_buffer[size(profiler_buffer)] if leader_cond; "
                 "writes generic profiler_write_offset[size(profiler_write_offset)] if leader_cond; "
                 "fences memory sc.cta">()
        .cxx("record(3)", timer_finalize)
        .says("Closes this thread's profile."),
};

#undef TILEWRIGHT_TIMER

}  // namespace

std::span<const Intrinsic> debug_rows() { return kDebugRows; }

}  // namespace tilewright::intrinsics
