// A half-typed statement spoils its own line and no other.
//
// Every line of recovery.txt is put, by itself, into the middle of a kernel. Then every other statement of the kernel
// and of the function below must be there as before: of the same kind, with the same text, without an error, in the
// same blocks. Every error must lie on the line in question (an empty missing node may stand at the beginning of the
// next).
//
//   recovery_test RECOVERY.TXT
//
// Lines of that file: a fragment as typed, with `\n` for a line break and `#!` lines as comments. Fragments that are
// valid by themselves do not belong there.

#include <tree_sitter/api.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

extern "C" const TSLanguage* tree_sitter_tilescript(void);

namespace {

constexpr std::string_view kBefore = R"(from tvm.script import tirx as T

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    B = T.match_buffer(B_ptr, (32, 32), "float16")
    with T.kernel():
        A_smem = T.alloc_buffer((32, 32), "float16", scope="shared")
        for i in T.serial(4):
            if i > 0:
                Tx.warp.copy(A_smem[i, 0:32], A[i, 0:32])
            T.cuda.cta_sync()
)";
constexpr std::string_view kIndent = "            ";
constexpr std::string_view kAfter = R"(            Tx.warp.copy(B[i, 0:32], A_smem[i, 0:32])
            x = B[i, 0] + 1
            for j in range(2):
                x += j
        T.cuda.cta_sync()
    return x

@T.prim_func
def other(C: T.handle):
    T.evaluate(0)
)";

struct Statement {
  std::string path;  // the kinds from the module down
  std::string_view text;
  std::uint32_t begin;
};

using Tree = std::unique_ptr<TSTree, decltype(&ts_tree_delete)>;

Tree parse(const std::string& text) {
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), &ts_parser_delete);
  ts_parser_set_language(parser.get(), tree_sitter_tilescript());
  return {ts_parser_parse_string(parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size())),
          &ts_tree_delete};
}

bool is_simple_statement(std::string_view kind) {
  return kind == "expression_statement" || kind == "return_statement" || kind == "import_from_statement" ||
         kind == "decorator" || kind == "parameters";
}

// The simple statements without errors, decorators and parameter lists, in text order.
void collect(TSNode node, std::string_view text, const std::string& path, std::vector<Statement>& statements) {
  const std::string_view kind = ts_node_type(node);
  const std::string here = path + "/" + std::string(kind);
  if (is_simple_statement(kind)) {
    if (ts_node_has_error(node)) return;
    const std::uint32_t begin = ts_node_start_byte(node);
    statements.push_back({here, text.substr(begin, ts_node_end_byte(node) - begin), begin});
    return;
  }
  for (std::uint32_t i = 0; i < ts_node_named_child_count(node); ++i) {
    collect(ts_node_named_child(node, i), text, here, statements);
  }
}

// Whether all error nodes and missing nodes lie on `row`; counts them.
bool errors_confined(TSNode node, std::uint32_t row, int& errors) {
  constexpr auto kError = static_cast<TSSymbol>(-1);
  if (ts_node_symbol(node) == kError || ts_node_is_missing(node)) {
    ++errors;
    const TSPoint start = ts_node_start_point(node);
    const TSPoint end = ts_node_end_point(node);
    const bool at_next_line = end.row == row + 1 && end.column == 0;
    if (start.row < row || (end.row > row && !at_next_line && !ts_node_is_missing(node))) return false;
    return start.row <= row + 1;
  }
  for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
    if (!errors_confined(ts_node_child(node, i), row, errors)) return false;
  }
  return true;
}

std::uint32_t count_lines(std::string_view text) {
  std::uint32_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

std::string check(const std::string& fragment, const std::vector<Statement>& wanted) {
  std::string text(kBefore);
  text += std::string(kIndent) + fragment + "\n";
  const auto shift = static_cast<std::uint32_t>(text.size() - kBefore.size());
  text += kAfter;
  const Tree tree = parse(text);
  const TSNode root = ts_tree_root_node(tree.get());
  if (!ts_node_has_error(root)) return "is no error";

  std::vector<Statement> found;
  collect(root, text, "", found);
  for (const Statement& statement : wanted) {
    const std::uint32_t begin = statement.begin + (statement.begin >= kBefore.size() ? shift : 0);
    bool present = false;
    for (const Statement& candidate : found) {
      present =
          present || (candidate.begin == begin && candidate.path == statement.path && candidate.text == statement.text);
    }
    if (!present) return "spoils `" + std::string(statement.text) + "`";
  }
  int errors = 0;
  if (!errors_confined(root, count_lines(kBefore), errors)) return "has an error outside of its line";
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: recovery_test RECOVERY.TXT\n");
    return 2;
  }
  const std::string whole = std::string(kBefore) + std::string(kAfter);
  const Tree tree = parse(whole);
  if (ts_node_has_error(ts_tree_root_node(tree.get()))) {
    std::fprintf(stderr, "the kernel itself has an error\n");
    return 1;
  }
  std::vector<Statement> wanted;
  collect(ts_tree_root_node(tree.get()), whole, "", wanted);

  std::ifstream file(argv[1]);
  int cases = 0;
  int failures = 0;
  for (std::string fragment; std::getline(file, fragment);) {
    if (fragment.empty() || fragment.starts_with("#!")) continue;
    ++cases;
    if (const std::string failure = check(fragment, wanted); !failure.empty()) {
      ++failures;
      std::printf("`%s` %s\n", fragment.c_str(), failure.c_str());
    }
  }
  std::printf("%d fragments, %d failures\n", cases, failures);
  return failures == 0 && cases > 0 ? 0 : 1;
}
