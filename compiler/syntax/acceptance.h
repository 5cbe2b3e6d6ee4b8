#ifndef TILEWRIGHT_COMPILER_SYNTAX_ACCEPTANCE_H
#define TILEWRIGHT_COMPILER_SYNTAX_ACCEPTANCE_H

#include <tree_sitter/api.h>

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

// Whether Python would take a script: what its `ast.parse` checks, and no more (what its compiler checks later, such as
// a `return` outside of a function, is no matter here). The grammar decides most of it. Here is the rest: the
// encoding of the bytes, and rules that Python's parser has beside its grammar, each with a message of its own.

namespace tilewright::syntax {

// Why a script is not accepted. `begin` and `end` are byte offsets: of the decoded text for check_rules and
// check_errors, of the file for decode.
struct Rejection {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};

// A script's text as UTF-8, without byte order mark, and the name of the encoding that its bytes were in.
struct Decoded {
  std::string text;
  std::string encoding;
};

// Decodes a script by its byte order mark or its coding cookie (PEP 263), UTF-8 without either. Bytes that are not in
// that encoding, an unknown encoding, and null bytes are rejected, as Python does.
std::expected<Decoded, Rejection> decode(std::string_view bytes);

// The error nodes and missing nodes below `root`, in text order, worded for people; none inside another.
std::vector<Rejection> check_errors(TSNode root, std::string_view text);

// The rules beside the grammar that the tree below `root` breaks, in text order. Looks at no error node's inside.
std::vector<Rejection> check_rules(TSNode root, std::string_view text);

// The whole decision for the bytes of a file: decodes, parses, and gives the first rejection.
std::expected<void, Rejection> accept(std::string_view bytes);

}  // namespace tilewright::syntax

#endif  // TILEWRIGHT_COMPILER_SYNTAX_ACCEPTANCE_H
