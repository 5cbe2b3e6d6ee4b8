// Prints what the rows of the intrinsic table become, for an assembler to judge (assemble_rows.py drives it).
//
//   assemble_rows ARCH            translation units, "// @@@ ROWS KERNELS" before each: every sample call that verify()
//                                 accepts for ARCH, a kernel each; those that need CUDA's headers apart, for they cost
//                                 time
//   assemble_rows --refused ARCH  units apart, "// @@@ ID WHAT" before each: calls that verify() refuses for ARCH and
//                                 accepts for another target, one for each row and reason
//   assemble_rows --ids           the ids of the table, one a line
#include <cstdio>
#include <set>
#include <string>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/checks.h"
#include "tests/unit/intrinsics_samples.h"

namespace tilewright::intrinsics {
namespace {

// What no assembler can judge here: dead rows, and those that need the header of another library.
bool is_judged(const Intrinsic& row) { return row.availability != Availability::Never && !row.id.starts_with("N"); }

bool takes_fragments(const Intrinsic& row) { return row.id.starts_with("L12"); }

// Calls on wmma fragments: objects that no parameter of a kernel can be.
std::string fragment_kernel(const samples::Sample& s, const Emitted& e, const std::string& name) {
  const Arguments a(*s.row, s.args);
  const bool bits = s.row->id == "L12.bmma", store = s.row->id == "L12.store", load = s.row->id == "L12.load";
  const std::string space = "nvcuda::wmma::", shape = bits ? "8, 8, 128, " : "16, 16, 16, ",
                    one = bits ? space + "experimental::precision::b1, " : "half, ",
                    matrix_a = "matrix_a, " + shape + one + space + "row_major",
                    matrix_b = "matrix_b, " + shape + one + space + "col_major",
                    sums = "accumulator, " + shape + (bits ? "int" : "float");
  std::string out = "extern \"C\" __global__ void " + name + "(" + (store ? "float" : "half") + "* memory) {\n";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < s.args.size(); ++i) {
    const std::string word(s.row->operands[i].name);
    std::string text = is_one_of(word, "m|n|k") ? attribute_text(s.args[i]) : "0";
    if (is_one_of(word, "fragment|a|b|c|d")) {
      text = "p" + std::to_string(i);
      const std::string& kind = word == "a" || (word == "fragment" && load) ? matrix_a : word == "b" ? matrix_b : sums;
      out += "  " + space + "fragment<" + space + kind + "> " + text + "[1];\n";
    } else if (word == "buffer_ptr") {
      text = "memory";
    } else if (word == "stride") {
      text = "16";
    } else if (word == "value") {
      text = "1.0f";
    }
    texts.push_back(text);
  }
  out += "  ";
  for (std::size_t i = 0; i < e.expression.size(); ++i) {
    if (e.expression[i] != '{') {
      out += e.expression[i];
      continue;
    }
    const std::size_t end = e.expression.find('}', i);
    out += texts[std::stoul(e.expression.substr(i + 1, end - i - 1))];
    i = end;
  }
  return out + ";\n}\n";
}

std::string kernel_of(const samples::Sample& s, const Emitted& e, const std::string& name) {
  return takes_fragments(*s.row) ? fragment_kernel(s, e, name) : samples::kernel(s, e, name);
}

std::string tags_of(const samples::Sample& s, const Emitted& e) {
  std::string tags(e.preamble);
  auto mentions = [&](std::string_view word) {
    return e.helper_source.find(word) != std::string::npos || s.what.find(word) != std::string::npos;
  };
  if (mentions("half") || mentions("=float16")) tags += ",fp16";
  if (mentions("nv_bfloat") || mentions("=bfloat16")) tags += ",bf16";
  return tags;
}

struct Unit {
  std::string tags, body;
  std::set<std::string> defined;
  std::set<std::string_view> rows;
  int kernels = 0;
};

void accepted(ir::Target target) {
  Unit units[2];  // without and with headers
  for (const Intrinsic& row : table()) {
    if (!is_judged(row)) continue;
    for (const samples::Sample& s : samples::of(row)) {
      if (verify(row, s.args, target)) continue;
      Emitted e = row.emit(row, s.args, target);
      const std::string tags = tags_of(s, e);
      Unit& unit = units[!tags.empty()];
      unit.tags += tags + ",";
      unit.body += "// @@ " + std::string(row.id) + " " + s.what + "\n";
      if (!e.helper_name.empty() && unit.defined.insert(e.helper_name).second) unit.body += e.helper_source;
      unit.body += kernel_of(s, e, "k" + std::to_string(unit.kernels++));
      if (!units[0].rows.contains(row.id)) unit.rows.insert(row.id);
    }
  }
  for (const Unit& unit : units) {
    std::printf("// @@@ %zu %d\n%s%s", unit.rows.size(), unit.kernels, samples::headers(unit.tags).c_str(),
                unit.body.c_str());
  }
}

void refused(ir::Target target) {
  const char* const homes[] = {"sm_100a", "sm_90a", "sm_103a", "sm_120a", "sm_80"};
  for (const Intrinsic& row : table()) {
    if (!is_judged(row)) continue;
    std::set<std::string> reasons;
    for (const samples::Sample& s : samples::of(row)) {
      const auto reason = verify(row, s.args, target);
      // A row that is not there at all must not be accepted; one that is may refuse some of its forms.
      if (!reason && available(row.availability, target)) continue;
      if (!reasons.insert(reason.value_or("")).second) continue;
      for (const char* name : homes) {
        const ir::Target home = *ir::parse_target(name);
        if (verify(row, s.args, home)) continue;
        Emitted e = row.emit(row, s.args, home);
        std::printf("// @@@ %s%.*s %s: %s\n%s%s%s", reason ? "" : "NOT-REFUSED-BY-VERIFY ",
                    static_cast<int>(row.id.size()), row.id.data(), s.what.c_str(), reason.value_or("").c_str(),
                    samples::headers(tags_of(s, e)).c_str(), e.helper_source.c_str(), kernel_of(s, e, "k").c_str());
        break;
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::intrinsics

int main(int argc, char** argv) {
  using namespace tilewright;
  if (argc == 2 && std::string_view(argv[1]) == "--ids") {
    for (const intrinsics::Intrinsic& row : intrinsics::table()) {
      std::printf("%.*s\n", static_cast<int>(row.id.size()), row.id.data());
    }
    return 0;
  }
  const bool only_refused = argc == 3 && std::string_view(argv[1]) == "--refused";
  const auto target = argc >= 2 ? ir::parse_target(argv[argc - 1]) : std::nullopt;
  if (!target || argc > 3) {
    std::fprintf(stderr, "usage: assemble_rows [--refused] ARCH | --ids\n");
    return 2;
  }
  Arena arena;
  ArenaScope scope(arena);
  only_refused ? intrinsics::refused(*target) : intrinsics::accepted(*target);
  return 0;
}
