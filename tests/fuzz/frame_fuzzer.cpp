// Bytes of the language server's wire. Frames do not depend on how the bytes were cut, and no message ends the reader.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "protocol/frame.h"
#include "protocol/rpc.h"

using namespace tilewright::protocol;

namespace {

std::vector<Frame> frames(std::string_view bytes, std::size_t piece, bool strict = false) {
  FrameReader reader({.header_bytes = 256, .body_bytes = 4096, .payload_bytes = 0, .strict = strict});
  std::vector<Frame> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (auto frame = reader.next()) out.push_back(std::move(*frame));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<Frame> whole = frames(bytes, size + 1), cut = frames(bytes, 1 + size % 7);
  if (whole.size() != cut.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].malformed != cut[i].malformed || whole[i].text != cut[i].text) std::abort();
    if (whole[i].malformed) continue;
    Message m = parse_message(whole[i].text);
    if (m.kind == Message::Kind::Invalid && m.error.message.empty()) std::abort();
    error_text(m.id, m.error);
  }
  // A strict reader gives the same frames up to the first that is broken, and nothing behind it.
  const std::vector<Frame> strict = frames(bytes, size + 1, true), strict_cut = frames(bytes, 1 + size % 7, true);
  if (strict.size() != strict_cut.size() || strict.size() > whole.size() + 1) std::abort();
  for (std::size_t i = 0; i < strict.size(); ++i) {
    if (strict[i].malformed != (strict[i].last) || (strict[i].last && i + 1 != strict.size())) std::abort();
    if (!strict[i].malformed && (whole[i].malformed || strict[i].text != whole[i].text)) std::abort();
  }
  // Whatever came before, a whole message is found again behind a header's end.
  std::string mended = std::string(bytes) + "\r\n\r\n" + framed("{}") + framed("{}");
  (void)frames(mended, 64);
  return 0;
}
