#include "protocol/frame.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tilewright::protocol {
namespace {

constexpr std::string_view kLength = "content-length", kType = "content-type", kPayload = "payload-length";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view t) {
  while (!t.empty() && (t.front() == ' ' || t.front() == '\t')) t.remove_prefix(1);
  while (!t.empty() && (t.back() == ' ' || t.back() == '\t' || t.back() == '\r')) t.remove_suffix(1);
  return t;
}

// Where the next header could begin: a Content-Length line, whatever stands before it on the line.
std::size_t find_header(std::string_view text) {
  auto it = std::search(text.begin(), text.end(), kLength.begin(), kLength.end(),
                        [](char x, char y) { return lower(x) == y; });
  return it == text.end() ? std::string_view::npos : static_cast<std::size_t>(it - text.begin());
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t n = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return n;
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

// Why these bytes, perhaps the first few of a header, begin none; nothing: they may.
std::optional<std::string> not_a_header(std::string_view text) {
  constexpr std::size_t kLongestName = 64;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    std::string_view line = text.substr(0, end);
    text = whole ? text.substr(end + 1) : "";
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return std::nullopt;
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (name.empty() || name.size() > kLongestName || !std::ranges::all_of(name, is_name_letter))
      return "this is no header: a line is NAME: VALUE";
    if (whole && colon == std::string_view::npos) return "a header line without a colon";
  }
  return std::nullopt;
}

// Where a header stops: `lines` behind its last line, `body` behind the empty line that ends it.
struct HeaderEnd {
  std::size_t lines = std::string_view::npos, body = 0;
};

// The header ends with an empty line; lone line feeds are taken for line ends as well.
HeaderEnd end_of_header(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const std::string_view tail = text.substr(at + 1);
    if (tail.starts_with('\n')) return {at + 1, at + 2};
    if (tail.starts_with("\r\n")) return {at + 1, at + 3};
  }
  return {};
}

}  // namespace

struct FrameReader::Header {
  std::optional<std::uint64_t> length;
  std::uint64_t payload = 0;
  bool named = false;    // there is a Content-Length, right or wrong
  bool foreign = false;  // there is a line that belongs to no header
  std::string wrong;     // what is; empty: nothing
};

FrameReader::Header FrameReader::read_header(std::string_view lines) {
  Header h;
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    std::string_view line = trimmed(lines.substr(0, end));
    lines = end == std::string_view::npos ? "" : lines.substr(end + 1);
    if (line.empty()) continue;
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      h.wrong = "a header line without a colon";
      h.foreign = true;
      continue;
    }
    std::string_view name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    if (same_word(name, kLength)) {
      if (h.named) h.wrong = "Content-Length is said twice";
      h.named = true;
      h.length = number_in(value);
      if (!h.length) h.wrong = "Content-Length is not a number";
    } else if (same_word(name, kPayload)) {
      const std::optional<std::uint64_t> bytes = number_in(value);
      if (!bytes) h.wrong = "Payload-Length is not a number";
      h.payload = bytes.value_or(0);
    } else if (same_word(name, kType)) {
      std::string all(value);
      std::ranges::transform(all, all.begin(), lower);
      std::size_t charset = all.find("charset=");
      if (charset == std::string::npos) continue;
      std::string set = all.substr(charset + 8);
      std::erase(set, '"');
      if (!set.starts_with("utf-8") && !set.starts_with("utf8")) h.wrong = "the charset is not utf-8";
    }
  }
  if (!h.length && h.wrong.empty()) h.wrong = "no Content-Length";
  return h;
}

Frame FrameReader::broken(std::size_t drop, std::string why) {
  at_ += drop;
  ended_ = limits_.strict;
  if (ended_) take_rest();
  return {.malformed = true, .text = std::move(why), .last = ended_};
}

std::string FrameReader::take_rest() {
  std::string out = std::exchange(buffer_, {}).substr(at_);
  at_ = 0;
  return out;
}

void FrameReader::feed(std::string_view bytes) {
  if (ended_) return;
  if (pending_) {
    const std::size_t lacking = std::min(payload_ - pending_->payload.size(), bytes.size());
    pending_->payload.append(bytes.substr(0, lacking));
    bytes.remove_prefix(lacking);
  }
  buffer_.append(bytes);
}

std::optional<Frame> FrameReader::next() {
  if (pending_) {
    if (pending_->payload.size() < payload_) return std::nullopt;
    return std::exchange(pending_, std::nullopt);
  }
  while (!ended_) {
    drop_consumed();
    std::optional<Frame> frame;
    const Step step = advance(frame);
    if (step == Step::Frame) return frame;
    if (step == Step::Starved) return std::nullopt;
  }
  return std::nullopt;
}

FrameReader::Step FrameReader::advance(std::optional<Frame>& frame) {
  if (limits_.framing == Framing::Line) return take_line(frame);
  if (skip_ > 0) return skip();
  if (length_) return take_body(frame);
  return lost_ ? find_next_header() : take_header(frame);
}

void FrameReader::drop_consumed() {
  if (at_ <= (1u << 16) && at_ != buffer_.size()) return;
  buffer_.erase(0, at_);
  at_ = 0;
  if (buffer_.empty() && buffer_.capacity() > (1u << 20)) buffer_.shrink_to_fit();
}

FrameReader::Step FrameReader::skip() {
  const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, rest().size()));
  at_ += now;
  skip_ -= now;
  return skip_ > 0 ? Step::Starved : Step::On;
}

FrameReader::Step FrameReader::take_body(std::optional<Frame>& frame) {
  std::string_view bytes = rest();
  if (bytes.size() < *length_) return Step::Starved;
  frame = Frame{false, std::string(bytes.substr(0, *length_)), {}};
  bytes = bytes.substr(*length_, payload_);
  frame->payload.reserve(payload_);
  frame->payload.append(bytes);
  at_ += *length_ + bytes.size();
  length_.reset();
  if (bytes.size() == payload_) return Step::Frame;
  pending_ = std::move(frame);
  return Step::Starved;
}

FrameReader::Step FrameReader::find_next_header() {
  const std::string_view bytes = rest();
  const std::size_t found = find_header(bytes);
  if (found == std::string_view::npos) {
    // The last bytes may be the beginning of one.
    at_ += bytes.size() > kLength.size() ? bytes.size() - kLength.size() : 0;
    return Step::Starved;
  }
  at_ += found;
  lost_ = false;
  return Step::On;
}

FrameReader::Step FrameReader::take_header(std::optional<Frame>& frame) {
  const HeaderEnd end = end_of_header(rest());
  if (limits_.strict) {
    if (auto why = not_a_header(rest().substr(0, end.lines))) {
      frame = broken(0, std::move(*why));
      return Step::Frame;
    }
  }
  if (end.lines == std::string_view::npos && rest().size() < limits_.header_bytes + 2) {
    return Step::Starved;  // an empty line could still end it in time
  }
  // A header whose end came too late is treated as if it had not come: frames do not depend on how bytes arrive.
  if (end.lines == std::string_view::npos || end.lines > limits_.header_bytes) {
    lost_ = true;
    frame = broken(1, "a header of more than " + std::to_string(limits_.header_bytes) + " bytes");
    return Step::Frame;
  }
  const std::string_view lines = rest().substr(0, end.lines);
  Header header = read_header(lines);
  if (header.foreign || !header.named) {
    // Perhaps the end of a message that was longer than its header said: the header behind it counts.
    const std::size_t found = find_header(lines);
    if (found != 0 && found != std::string_view::npos) {
      frame = broken(found, std::move(header.wrong));
      return Step::Frame;
    }
  }
  if (std::optional<std::string> why = refuse(header)) {
    frame = broken(end.body, std::move(*why));
    return Step::Frame;
  }
  at_ += end.body;
  payload_ = static_cast<std::size_t>(header.payload);
  length_ = static_cast<std::size_t>(*header.length);
  return Step::On;
}

FrameReader::Step FrameReader::take_line(std::optional<Frame>& frame) {
  const std::string_view bytes = rest();
  const std::size_t end = bytes.find('\n', searched_);
  const bool whole = end != std::string_view::npos;
  const bool long_line = (whole ? end : bytes.size()) > limits_.body_bytes;
  if (!whole && !long_line && !lost_) {
    searched_ = bytes.size();
    return Step::Starved;
  }
  searched_ = 0;
  at_ += whole ? end + 1 : bytes.size();
  const bool refused = std::exchange(lost_, !whole);
  if (refused) return whole ? Step::On : Step::Starved;  // the rest of a line that was too long
  if (long_line) {
    frame = broken(0, "a line of more than " + std::to_string(limits_.body_bytes) + " bytes");
    return Step::Frame;
  }
  const std::string_view line = trimmed(bytes.substr(0, end));
  if (line.empty()) return Step::On;
  frame = Frame{false, std::string(line), {}};
  return Step::Frame;
}

std::optional<std::string> FrameReader::refuse(const Header& header) {
  if (!header.length) {
    lost_ = true;  // its body, if there is one, has no known end
    return header.wrong;
  }
  const std::uint64_t all = *header.length + std::min(header.payload, UINT64_MAX - *header.length);
  if (*header.length > limits_.body_bytes) {
    skip_ = all;
    return "a message of " + std::to_string(*header.length) + " bytes; " + std::to_string(limits_.body_bytes) +
           " are accepted";
  }
  if (header.payload > limits_.payload_bytes) {
    skip_ = all;
    return "a payload of " + std::to_string(header.payload) + " bytes; " + std::to_string(limits_.payload_bytes) +
           " are accepted";
  }
  if (header.wrong.empty()) return std::nullopt;
  skip_ = all;
  return header.wrong;
}

std::string framed_before(std::string_view body, std::size_t payload_bytes, Framing framing) {
  if (framing == Framing::Line) return std::string(body) + "\n";
  std::string out = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (payload_bytes > 0) out += "Payload-Length: " + std::to_string(payload_bytes) + "\r\n";
  out.reserve(out.size() + 2 + body.size());
  return out.append("\r\n").append(body);
}

std::string framed(std::string_view body, std::string_view payload, Framing framing) {
  return framed_before(body, payload.size(), framing).append(framing == Framing::Line ? std::string_view() : payload);
}

}  // namespace tilewright::protocol
