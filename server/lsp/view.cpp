#include "server/lsp/view.h"

#include <algorithm>

#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

constexpr std::string_view kScheme = "tilewright://";
constexpr std::size_t kMaxWatched = 64;

std::string encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                 c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

text::Digest digest_of(std::string_view text) {
  text::Digest d;
  d.add(text);
  return d;
}

}  // namespace

std::string view_uri(const ide::ViewName& name) {
  return std::string(kScheme) + std::string(ide::view_kind_name(name.kind)) + "/" + name.architecture + "/" +
         encoded(name.kernel) + "." + std::string(ide::view_extension(name.kind)) +
         "?document=" + encoded(uri_of(name.document)) + "&entry=" + encoded(name.entry);
}

std::optional<ide::ViewName> parse_view(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  std::string rest(uri.substr(kScheme.size()));
  // Clients may have encoded the query once more, or decoded its separators.
  if (rest.find('?') == std::string::npos) rest = decoded(rest);
  std::size_t question = rest.find('?');
  if (question == std::string::npos) return std::nullopt;
  std::string_view path = std::string_view(rest).substr(0, question);
  std::string query = rest.substr(question + 1);
  if (query.find('=') == std::string::npos) query = decoded(query);
  ide::ViewName name;
  std::size_t a = path.find('/');
  if (a == path.npos) return std::nullopt;
  std::size_t b = path.find('/', a + 1);
  if (b == path.npos) return std::nullopt;
  auto kind = ide::parse_view_kind(path.substr(0, a));
  if (!kind) return std::nullopt;
  name.kind = *kind;
  name.architecture = path.substr(a + 1, b - a - 1);
  std::string file = decoded(path.substr(b + 1));
  std::string suffix = "." + std::string(ide::view_extension(name.kind));
  if (!file.ends_with(suffix)) return std::nullopt;
  name.kernel = file.substr(0, file.size() - suffix.size());
  constexpr std::string_view kDocument = "document=", kEntry = "&entry=";
  std::size_t entry = query.rfind(kEntry);
  if (!query.starts_with(kDocument) || entry == query.npos) return std::nullopt;
  name.document = path_of(decoded(query.substr(kDocument.size(), entry - kDocument.size())));
  name.entry = decoded(query.substr(entry + kEntry.size()));
  return name;
}

Json version_json(const Request& r, const ide::Script& script) {
  const bool open = std::ranges::any_of(r.open, [&](const ide::Script& s) { return s->path() == script->path(); });
  return open ? Json(script->version()) : Json(nullptr);
}

void WatchedViews::watch(const std::string& uri, std::string_view text) {
  std::lock_guard lock(mutex_);
  if (shown_.size() >= kMaxWatched && !shown_.contains(uri)) shown_.erase(shown_.begin());
  shown_[uri] = digest_of(text);
}

void WatchedViews::forget(const std::string& document) {
  std::lock_guard lock(mutex_);
  std::erase_if(shown_, [&](const auto& item) {
    auto name = parse_view(item.first);
    return !name || name->document == document;
  });
}

std::vector<std::string> WatchedViews::of(const std::string& document) const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [uri, digest] : shown_) {
    auto name = parse_view(uri);
    if (name && name->document == document) out.push_back(uri);
  }
  return out;
}

bool WatchedViews::changed(const std::string& uri, std::string_view text) {
  std::lock_guard lock(mutex_);
  auto it = shown_.find(uri);
  if (it == shown_.end()) return false;
  text::Digest now = digest_of(text);
  if (it->second == now) return false;
  it->second = now;
  return true;
}

}  // namespace tilewright::lsp
