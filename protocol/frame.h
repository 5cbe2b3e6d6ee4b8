// The framing of the Language Server Protocol's base protocol: header lines, an empty line, as many bytes as
// Content-Length says. Where both sides have agreed on it, a line Payload-Length says how many raw bytes follow those
// of the message: arrays travel so, as they lie in memory.
//
// What happens after a broken frame depends on who sends. A parent process (standard input) is heard on: the header is
// dropped up to the empty line, or, where no end is in sight, up to the next thing that looks like a Content-Length
// line; a body that is too large is skipped by its length without being kept. On a socket any program may send, a web
// page for one, whose request holds a frame in its body: a strict reader ends with the first broken frame.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::protocol {

// Where a message ends: after as many bytes as its header says, or with its line, as the Model Context Protocol has it
// over standard streams. A line carries no payload.
enum class Framing : std::uint8_t { Header, Line };

struct FrameLimits {
  std::size_t header_bytes = 8u << 10;
  std::size_t body_bytes = 128u << 20;  // a script may have 64 MB, and JSON escapes
  std::size_t payload_bytes = 0;        // behind the body
  // A broken frame is the last one, and bytes that cannot begin a header are refused as soon as they come.
  bool strict = false;
  Framing framing = Framing::Header;
};

struct Frame {
  bool malformed = false;
  std::string text;  // the body; of a malformed frame what is wrong with it
  std::string payload{};
  bool last = false;  // malformed, and nothing behind it is read
};

class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits = {}) : limits_(limits) {}
  void feed(std::string_view bytes);
  // The next whole frame in what was fed so far.
  std::optional<Frame> next();
  // What was fed and is part of no frame that next() gave.
  std::string take_rest();

 private:
  struct Header;
  static Header read_header(std::string_view lines);

  // What a step of next() came to: a frame, whole or malformed; more to do with the bytes there; bytes are lacking.
  enum class Step : std::uint8_t { Frame, On, Starved };
  Step advance(std::optional<Frame>& frame);
  Step skip();
  Step take_body(std::optional<Frame>& frame);
  Step find_next_header();
  Step take_header(std::optional<Frame>& frame);
  Step take_line(std::optional<Frame>& frame);
  // Why the body behind a header is not taken, and what is done with its bytes: passed over, or searched for a header.
  std::optional<std::string> refuse(const Header& header);
  Frame broken(std::size_t drop, std::string why);
  void drop_consumed();
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

  FrameLimits limits_;
  std::string buffer_;
  std::size_t at_ = 0;                 // of the first byte that was not consumed
  std::uint64_t skip_ = 0;             // bytes of a refused body that are still to come
  std::optional<std::size_t> length_;  // of the body, once its header was read
  std::size_t payload_ = 0;            // of what follows it
  std::optional<Frame> pending_;       // all there but for the end of its payload, which goes straight into it
  bool lost_ = false;                  // looking for the next header, or for the end of a line that was refused
  std::size_t searched_ = 0;           // bytes of the rest that hold no end of a line
  bool ended_ = false;                 // of a strict reader: a frame was broken
};

// The body holds no line feed, which JSON escapes.
std::string framed(std::string_view body, std::string_view payload = {}, Framing framing = Framing::Header);
// All of the frame that comes before so many bytes of payload.
std::string framed_before(std::string_view body, std::size_t payload_bytes, Framing framing = Framing::Header);

}  // namespace tilewright::protocol
