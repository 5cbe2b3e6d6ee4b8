#include "server/endpoint/login.h"

#include "protocol/frame.h"
#include "protocol/rpc.h"
#include "server/transport/secret.h"

namespace tilewright::endpoint {
namespace {

using protocol::Error;
using protocol::ErrorCode;
using protocol::Json;
using protocol::Message;
using Verdict = transport::Judge::Verdict;

// Of the first message. Editors list their capabilities in it, in some hundred values.
constexpr std::size_t kMostValues = 10'000;
// Messages that may come before the first request: each costs time that others wait.
constexpr int kMostOthers = 8;
constexpr protocol::FrameLimits kFrames{
    .header_bytes = 1u << 10, .body_bytes = 64u << 10, .payload_bytes = 0, .strict = true};

// A client that has come as far as a first byte has shown enough.
class Anybody final : public transport::Judge {
 public:
  Verdict judge(std::string_view bytes) override { return {.is = Verdict::Is::Admitted, .first = std::string(bytes)}; }
};

class TokenJudge final : public transport::Judge {
 public:
  explicit TokenJudge(std::shared_ptr<const Login> login) : login_(std::move(login)) {}

  Verdict judge(std::string_view bytes) override {
    Verdict out;
    frames_.feed(bytes);
    while (auto frame = frames_.next()) {
      if (frame->malformed) return refuse(std::move(out), nullptr, {ErrorCode::ParseError, frame->text, nullptr});
      const Message m = protocol::parse_message(frame->text, kMostValues);
      if (m.kind == Message::Kind::Invalid) return refuse(std::move(out), m.id, m.error);
      if (m.kind != Message::Kind::Request || m.method != login_->method) {
        if (++others_ > kMostOthers) return refuse(std::move(out), m.id, not_yet());
        if (m.kind == Message::Kind::Request) say(out, m.id, not_yet());
        continue;
      }
      const std::string token = token_in(m.params);
      if (!transport::same_secret(token, login_->token)) return refuse(std::move(out), m.id, wrong(token));
      out.is = Verdict::Is::Admitted;
      out.first = protocol::framed(frame->text) + frames_.take_rest();
      return out;
    }
    return out;
  }

 private:
  std::string token_in(const Json& params) const {
    const Json* at = &params;
    for (const std::string& member : login_->where) {
      if (!at->is_object() || !at->contains(member)) return {};
      at = &at->at(member);
    }
    return at->is_string() ? at->get<std::string>() : std::string();
  }
  Error not_yet() const { return {ErrorCode::ServerNotInitialized, "the first message is " + login_->method, nullptr}; }
  Error wrong(const std::string& token) const {
    if (!token.empty()) return {ErrorCode::InvalidRequest, "this is not the " + login_->server + "'s token", nullptr};
    std::string place;
    for (const std::string& member : login_->where) place += (place.empty() ? "" : ".") + member;
    return {ErrorCode::InvalidRequest,
            "this " + login_->server + " asks for a token, as " + place + " of " + login_->method, nullptr};
  }
  static void say(Verdict& out, const protocol::Id& id, const Error& error) {
    out.answer += protocol::framed(protocol::error_text(id, error));
  }
  static Verdict refuse(Verdict out, const protocol::Id& id, const Error& error) {
    say(out, id, error);
    out.is = Verdict::Is::Refused;
    out.why = error.message;
    return out;
  }

  const std::shared_ptr<const Login> login_;
  protocol::FrameReader frames_{kFrames};
  int others_ = 0;
};

}  // namespace

transport::Door door(Login login) {
  transport::Door out;
  if (login.token.empty()) {
    out.judge = [] { return std::make_unique<Anybody>(); };
  } else {
    out.judge = [shared = std::make_shared<const Login>(std::move(login))] {
      return std::make_unique<TokenJudge>(shared);
    };
  }
  return out;
}

}  // namespace tilewright::endpoint
