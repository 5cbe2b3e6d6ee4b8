// What a request knows, and how it is answered.
//
// To add a feature, say textDocument/foldingRange:
//
// 1. Write server/lsp/features/folding_range.cpp with a handler and a function that registers it:
//
//      Answer<Json> folding_range(const Request& r, const protocol::DocumentParams& params) { ... }
//
//      void add_folding_range(Registry& registry) {
//        registry.offer("foldingRangeProvider", true);
//        registry.on_document<protocol::DocumentParams>("textDocument/foldingRange", folding_range);
//      }
//
// 2. Add its line to TILEWRIGHT_FEATURES in server/lsp/features.h.
// 3. Add annotated scripts to tests/lsp/features/ (see its runner), and a line to the conformance checklist where the
//    protocol asks for something.
//
// A handler runs on a worker thread, on the snapshot that was current when its request came. It never sees the server's
// state, so it needs no locks; it must look at `stop` wherever it could take longer than a millisecond (analyse()
// does). It may throw nothing on purpose: what it throws by mistake is answered as InternalError and logged, and the
// server goes on. Parameters that do not fit are answered as InvalidParams before it is called.
#pragma once
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/session/snapshot.h"
#include "protocol/lsp.h"
#include "server/lsp/preferences.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {

class Artifacts;
class WatchedViews;
struct FileReport;

using protocol::Json;

template <class T>
using Answer = std::expected<T, protocol::Error>;

// What the client said in `initialize`, and what was agreed on.
struct Client {
  Json capabilities;
  text::Encoding encoding = text::Encoding::Utf16;
  Json options;  // initializationOptions
  std::shared_ptr<Uris> uris = std::make_shared<Uris>();
  bool offers(std::string_view dotted) const { return protocol::has(capabilities, dotted); }
};

struct Request {
  std::shared_ptr<const Client> client;
  // Of the document that the request names; null for requests of the workspace.
  std::shared_ptr<const session::Snapshot> snapshot;
  std::vector<std::shared_ptr<const session::Snapshot>> open;  // all open documents, by path
  std::vector<std::string> folders;                            // of the workspace, as paths
  std::stop_token stop;
  Preferences preferences;
  Artifacts* artifacts = nullptr;  // of NVIDIA's tools; never null in a handler
  WatchedViews* views = nullptr;
  // Sends a part of the result now. Empty where the client did not ask for parts.
  std::function<void(const Json& part)> partial;
  // Tells how far it is: a message, and per cent or -1. Empty where the client did not ask.
  std::function<void(const std::string& message, int percent)> progress;
  // Opens a file of the workspace that is not open, under its own settings. Null: it cannot be read.
  std::function<std::shared_ptr<const session::Snapshot>(const std::string& path)> read_file;
  // What such a file has to say, made anew only where it could be something else. Null only after a stop.
  std::function<std::shared_ptr<const FileReport>(const std::string& path)> file_report;

  // ---- positions of the document ----------------------------------------------------------------------------------
  std::uint32_t offset(protocol::Position position) const;
  protocol::Position position(std::uint32_t offset) const;
  protocol::Range range(std::uint32_t begin, std::uint32_t end) const;
  // In any file; nothing: nowhere.
  std::optional<protocol::Location> location(text::Span span, const text::Anchors& anchors) const;
  // The analysis of the document, which may have to be made. Null only after a stop: return cancelled().
  std::shared_ptr<const session::Analysis> analysis() const { return snapshot->analyse(stop); }
};

protocol::Position to_position(const text::Source& source, std::uint32_t offset, text::Encoding encoding);
protocol::Range to_range(const text::Source& source, std::uint32_t begin, std::uint32_t end, text::Encoding encoding);
std::uint32_t to_offset(const text::Source& source, protocol::Position position, text::Encoding encoding);

inline std::unexpected<protocol::Error> cancelled() {
  return std::unexpected(protocol::Error{protocol::ErrorCode::RequestCancelled, "cancelled", nullptr});
}
inline std::unexpected<protocol::Error> refused(std::string why) {
  return std::unexpected(protocol::Error{protocol::ErrorCode::RequestFailed, std::move(why), nullptr});
}

class Registry {
 public:
  struct Handler {
    bool document = false;  // names one document in params.textDocument.uri
    std::function<Answer<Json>(const Request&, const Json& params)> run;
  };

  // A member of the server's capabilities; a function when it depends on the client. Null: not offered.
  void offer(std::string name, Json value) {
    offers_.emplace_back(std::move(name), [value = std::move(value)](const Client&) { return value; });
  }
  void offer_if(std::string name, std::function<Json(const Client&)> value) {
    offers_.emplace_back(std::move(name), std::move(value));
  }

  template <class Params, class F>
  void on_document(std::string method, F handler) {
    add<Params>(std::move(method), true, std::move(handler));
  }
  template <class Params, class F>
  void on_workspace(std::string method, F handler) {
    add<Params>(std::move(method), false, std::move(handler));
  }

  // Methods `tilewright/x` are commands `tilewright.x` as well.
  std::vector<std::string> commands() const;

  const Handler* find(const std::string& method) const {
    auto it = handlers_.find(method);
    return it == handlers_.end() ? nullptr : &it->second;
  }
  Json capabilities(const Client& client) const;

 private:
  template <class Params, class F>
  void add(std::string method, bool document, F handler) {
    handlers_[std::move(method)] = {document,
                                    [handler = std::move(handler)](const Request& r, const Json& json) -> Answer<Json> {
                                      auto answer = handler(r, json.template get<Params>());
                                      if (!answer) return std::unexpected(std::move(answer.error()));
                                      return Json(std::move(*answer));
                                    }};
  }
  std::vector<std::pair<std::string, std::function<Json(const Client&)>>> offers_;
  std::map<std::string, Handler> handlers_;
};

}  // namespace tilewright::lsp
