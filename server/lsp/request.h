// What a request of the protocol knows, and how it is answered.
//
// The answer itself is made by server/ide/, which knows no protocol; here parameters become a question, and typed
// values become positions, URIs and JSON. To add a feature, say textDocument/foldingRange:
//
// 1. Unless server/ide/ has the answer already, write it: server/ide/folding.h says what it is, folding.cpp finds it.
// 2. Write server/lsp/features/folding_range.cpp with a handler and a function that registers it:
//
//      Answer<Json> folding_range(const Request& r, const protocol::DocumentParams& params) {
//        Json out = Json::array();
//        for (const ide::Fold& f : ide::folds(*r.snapshot->tree())) out.push_back({{"startLine", f.first}, ...});
//        return out;
//      }
//
//      void add_folding_range(Registry& registry) {
//        registry.offer("foldingRangeProvider", true);
//        registry.on_document<protocol::DocumentParams>("textDocument/foldingRange", folding_range);
//      }
//
// 3. Add its line to TILEWRIGHT_FEATURES in server/lsp/features.h.
// 4. Add annotated scripts to tests/lsp/features/ (see its runner), the typed answer to tests/unit/ide.cpp, and a line
//    to the conformance checklist where the protocol asks for something.
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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/text/lookup.h"
#include "protocol/lsp.h"
#include "server/ide/query.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {

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

  // ---- places in the protocol's words -----------------------------------------------------------------------------
  protocol::Range range(const text::Source& source, ide::Stretch at) const;
  protocol::Location location(const text::Anchors::Place& place) const;  // of a place that is somewhere
  // Of a file, a document without one, or a file of the prelude.
  std::string uri(const session::Snapshot& script) const;
};

// A question about scripts that came over the protocol. Its artifacts are never null.
struct Request : ide::Query {
  std::shared_ptr<const Client> client;
  WatchedViews* views = nullptr;
  // Asks the user, through the editor, to choose one of the actions; nothing: none was chosen within ten minutes. Null
  // where the client is not the process that started this one, so that it does not speak for this process's user.
  std::function<std::optional<std::string>(const std::string& message, const std::vector<std::string>& actions)> choose;
  std::function<void()> refresh;  // lenses are to be asked for again
  // Sends a part of the result now. Empty where the client did not ask for parts.
  std::function<void(const Json& part)> partial;
  // What a file that is not open has to say, made again only where it could be something else. Null only after a stop.
  std::function<std::shared_ptr<const FileReport>(const std::string& path)> file_report;

  // ---- places of the document -------------------------------------------------------------------------------------
  std::uint32_t offset(protocol::Position position) const;
  ide::Stretch bytes(protocol::Range range) const { return {offset(range.start), offset(range.end)}; }
  protocol::Position position(std::uint32_t offset) const;
  protocol::Range range(ide::Stretch at) const { return client->range(snapshot->source(), at); }
};

protocol::Position to_position(const text::Source& source, std::uint32_t offset, text::Encoding encoding);
std::uint32_t to_offset(const text::Source& source, protocol::Position position, text::Encoding encoding);

inline std::unexpected<protocol::Error> cancelled() {
  return std::unexpected(protocol::Error{protocol::ErrorCode::RequestCancelled, "cancelled", nullptr});
}
inline std::unexpected<protocol::Error> refused(std::string why) {
  return std::unexpected(protocol::Error{protocol::ErrorCode::RequestFailed, std::move(why), nullptr});
}
inline std::unexpected<protocol::Error> invalid(std::string why) {
  return std::unexpected(protocol::Error{protocol::ErrorCode::InvalidParams, std::move(why), nullptr});
}
// Why there is no answer, in the protocol's words.
std::unexpected<protocol::Error> failed(ide::Failure failure);

class Registry {
 public:
  struct Handler {
    bool document = false;  // names one document in params.textDocument.uri
    bool waits = false;     // mostly waits, and for minutes: for a device, or for another machine
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
  // As on_workspace, for a handler that waits for what others do. It has threads of its own.
  template <class Params, class F>
  void on_device(const std::string& method, F handler) {
    add<Params>(method, false, std::move(handler));
    handlers_[method].waits = true;
  }

  // Methods `tilewright/x` are commands `tilewright.x` as well.
  std::vector<std::string> commands() const;

  const Handler* find(const std::string& method) const { return text::found_in(handlers_, method); }
  Json capabilities(const Client& client) const;

 private:
  template <class Params, class F>
  void add(std::string method, bool document, F handler) {
    handlers_[std::move(method)] = {document, false,
                                    [handler = std::move(handler)](const Request& r, const Json& json) -> Answer<Json> {
                                      return handler(r, json.template get<Params>());
                                    }};
  }
  std::vector<std::pair<std::string, std::function<Json(const Client&)>>> offers_;
  std::map<std::string, Handler> handlers_;
};

}  // namespace tilewright::lsp
