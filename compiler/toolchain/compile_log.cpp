#include "compiler/toolchain/compile_log.h"

#include <algorithm>
#include <optional>

#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/line_map.h"
#include "compiler/toolchain/scan.h"

namespace tilewright::toolchain {
namespace {

using Severity = LogEntry::Severity;

// "kernel.cu(12): warning #177-D: text". NVRTC also writes "remark" and "catastrophic error".
std::optional<LogEntry> read_compiler_message(std::string_view line) {
  std::size_t open = line.find('(');
  while (open != std::string_view::npos) {
    std::string_view rest = line.substr(open + 1);
    auto number = take_number(rest);
    if (number && take_word(rest, "):")) {
      LogEntry entry;
      std::string_view file = line.substr(0, open);
      std::size_t slash = file.rfind('/');
      if ((slash == std::string_view::npos ? file : file.substr(slash + 1)) != kSourceName) entry.file = file;
      entry.cuda_line = entry.file.empty() ? *number : 0;
      std::size_t colon = rest.find(": ");
      if (colon == std::string_view::npos) return std::nullopt;
      std::string_view kind = trimmed(rest.substr(0, colon));
      if (kind.find("error") != std::string_view::npos)
        entry.severity = Severity::Error;
      else if (kind.starts_with("warning"))
        entry.severity = Severity::Warning;
      else if (kind.starts_with("remark"))
        entry.severity = Severity::Remark;
      else
        return std::nullopt;
      entry.message = trimmed(rest.substr(colon + 2));
      return entry;
    }
    open = line.find('(', open + 1);
  }
  return std::nullopt;
}

// "ptxas application ptx input, line 31; error   : text", "ptxas fatal   : text", "ptxas info    : (C7510) text".
std::optional<LogEntry> read_assembler_message(std::string_view line) {
  std::string_view rest = line;
  if (!take_word(rest, "ptxas")) return std::nullopt;
  LogEntry entry;
  if (std::size_t at = rest.find(", line "); at != std::string_view::npos && at < rest.find(';')) {
    rest.remove_prefix(at + 7);
    entry.ptx_line = take_number(rest).value_or(0);
    take_word(rest, ";");
  }
  std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view kind = trimmed(rest.substr(0, colon));
  entry.message = trimmed(rest.substr(colon + 1));
  // "(C7517) warpgroup.wait is injected in around line 710 by compiler …", "(C7511) … in the function 'k' in line 438":
  // of the PTX.
  for (const std::string_view begin : {"around line ", " in line "}) {
    const std::size_t at = entry.message.rfind(begin);
    if (at == std::string::npos || entry.ptx_line != 0) continue;
    std::string_view number = std::string_view(entry.message).substr(at + begin.size());
    entry.ptx_line = take_number(number).value_or(0);
  }
  if (kind == "error" || kind == "fatal")
    entry.severity = Severity::Error;
  else if (kind == "warning")
    entry.severity = Severity::Warning;
  else if (kind == "info" && entry.message.starts_with("(C")) {
    // Advice with a number, such as wgmma instructions that had to be serialised: slow code, so a warning.
    entry.severity = Severity::Warning;
  } else {
    return std::nullopt;
  }
  return entry;
}

// The caret line below a message: NVRTC prints the source line with two more blanks in front.
int column_of(std::string_view printed, std::string_view caret, std::string_view source_line) {
  std::size_t at = caret.find('^');
  if (at == std::string_view::npos || trimmed(caret) != "^") return 0;
  if (at < 2 || !printed.starts_with("  ") || trimmed(printed) != trimmed(source_line)) return 0;
  // Were blanks in front dropped or added, the difference shows at the first other character.
  std::size_t shown = printed.find_first_not_of(" \t"), real = source_line.find_first_not_of(" \t");
  if (shown == std::string_view::npos || real == std::string_view::npos || at + real < shown) return 0;
  return static_cast<int>(at + real - shown) + 1;
}

// Reads "ptxas info" lines about kernels. They come as: Compiling entry function 'k', Function properties for k, stack
// and spills, Used N registers; functions that were not inlined have only the properties.
class ResourceReader {
 public:
  explicit ResourceReader(std::vector<KernelResources>& kernels) : kernels_(kernels) {}

  bool read(std::string_view line) {
    std::string_view rest = line;
    if (!take_word(rest, "ptxas")) return false;
    if (!take_word(rest, "info") && !take_word(rest, ".")) return read_sizes(rest);
    take_word(rest, ":");
    rest = trimmed(rest);
    if (take_word(rest, "Compiling entry function '")) {
      kernels_.emplace_back().name = rest.substr(0, rest.find('\''));
      current_ = true;
      return true;
    }
    if (take_word(rest, "Function properties for ")) {
      current_ = !kernels_.empty() && kernels_.back().name == trimmed(rest);
      return true;
    }
    if (rest.starts_with("Compile time") || rest.find("bytes gmem") != std::string_view::npos) return true;
    return read_sizes(rest);
  }

 private:
  // "Used 19 registers, used 4 barriers, 2048 bytes smem" and "0 bytes stack frame, 0 bytes spill stores, …".
  bool read_sizes(std::string_view rest) {
    bool any = false;
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      std::string_view part = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      if (!take_word(part, "Used ")) take_word(part, "used ");
      auto number = take_number(part);
      if (!number) return any;
      part = trimmed(part);
      int ignored = 0;
      KernelResources* kernel = current_ ? &kernels_.back() : nullptr;
      auto slot = [&](int KernelResources::* member) -> int& { return kernel ? kernel->*member : ignored; };
      if (part == "registers")
        slot(&KernelResources::registers) = *number;
      else if (part == "barriers")
        slot(&KernelResources::barriers) = *number;
      else if (part == "bytes smem")
        slot(&KernelResources::static_shared) = *number;
      else if (part == "bytes stack frame")
        slot(&KernelResources::stack) = *number;
      else if (part == "bytes spill stores")
        slot(&KernelResources::spill_stores) = *number;
      else if (part == "bytes spill loads")
        slot(&KernelResources::spill_loads) = *number;
      else if (!part.starts_with("bytes"))
        return any;
      any = true;
    }
    return any;
  }

  std::vector<KernelResources>& kernels_;
  bool current_ = false;
};

void add_sizes(std::string_view cubin, std::vector<KernelResources>& kernels) {
  for (const ElfSection& section : elf_sections(cubin)) {
    for (KernelResources& kernel : kernels) {
      if (section.name == ".text." + kernel.name) kernel.code = static_cast<int>(section.size);
      if (section.name == ".nv.constant0." + kernel.name) kernel.constant = static_cast<int>(section.size);
    }
  }
}

void lead_back(std::vector<LogEntry>& entries, std::string_view ptx) {
  auto of_assembler = [](const LogEntry& entry) { return entry.ptx_line != 0; };
  if (ptx.empty() || std::ranges::none_of(entries, of_assembler)) return;
  LineMap map = read_ptx_lines(ptx);
  for (LogEntry& entry : entries) {
    if (!of_assembler(entry)) continue;
    entry.chain = map.cuda_lines_at(static_cast<std::uint32_t>(entry.ptx_line));
    if (!entry.chain.empty()) entry.cuda_line = static_cast<int>(entry.chain.front());
  }
}

}  // namespace

CompileLog read_log(std::string_view log, std::string_view source, std::string_view ptx, std::string_view cubin) {
  CompileLog result;
  ResourceReader resources(result.kernels);
  std::vector<std::string_view> source_lines;
  for (std::string_view rest = source; auto line = next_line(rest);) source_lines.push_back(*line);
  std::string_view printed;  // the line before, which a caret points into
  for (std::string_view rest = log; auto line = next_line(rest);) {
    if (auto entry = read_assembler_message(*line)) {
      result.entries.push_back(std::move(*entry));
    } else if (resources.read(*line)) {
      continue;
    } else if (auto message = read_compiler_message(*line)) {
      result.entries.push_back(std::move(*message));
    } else if (!result.entries.empty() && trimmed(*line) == "^") {
      LogEntry& entry = result.entries.back();
      if (entry.cuda_line > 0 && static_cast<std::size_t>(entry.cuda_line) <= source_lines.size()) {
        entry.column = column_of(printed, *line, source_lines[static_cast<std::size_t>(entry.cuda_line) - 1]);
      }
    }
    printed = *line;
    result.text.append(*line).push_back('\n');
  }
  while (result.text.ends_with("\n\n")) result.text.pop_back();
  if (result.text == "\n") result.text.clear();
  add_sizes(cubin, result.kernels);
  lead_back(result.entries, ptx);
  return result;
}

}  // namespace tilewright::toolchain
