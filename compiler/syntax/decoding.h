// From the bytes of a file to the text of a script.
#pragma once
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace tilewright::syntax {

// Why a script is not accepted. `begin` and `end` are byte offsets: of the file for decode, of the decoded text for
// the rules of acceptance.h.
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

}  // namespace tilewright::syntax
