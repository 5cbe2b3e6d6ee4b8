// initialize and what follows from it: capabilities, encodings, configuration, folders, watchers, memory.
#include <algorithm>

#include "server/ide/resident.h"
#include "server/lsp/client_settings.h"
#include "server/lsp/diagnostics_way.h"
#include "server/lsp/preferences.h"
#include "server/lsp/server.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

// The client's list is in the order of its preference.
text::Encoding negotiated(const Json& capabilities) {
  for (const Json& offered : protocol::at(capabilities, "general.positionEncodings")) {
    if (offered == "utf-8") return text::Encoding::Utf8;
    if (offered == "utf-16") return text::Encoding::Utf16;
    if (offered == "utf-32") return text::Encoding::Utf32;
  }
  return text::Encoding::Utf16;
}

constexpr const char* kEncodings[] = {"utf-8", "utf-16", "utf-32"};

}  // namespace

Answer<Json> Server::initialize(const Json& params) {
  auto client = std::make_shared<Client>();
  client->capabilities = protocol::at(params, "capabilities");
  client->options = protocol::at(params, "initializationOptions");
  client->encoding = negotiated(client->capabilities);
  client_ = client;

  const auto parent = text::integer<int>(protocol::at(params, "processId"));
  if (parent && !connection_.watch_process(*parent, [this] { post([this] { leave(); }); })) {
    post([this] { endpoint_.end(1); });
  }
  std::vector<std::string> folders;
  const Json& list = protocol::at(params, "workspaceFolders");
  if (list.is_array()) {
    for (const Json& f : list) folders.push_back(path_of(f.at("uri").get<std::string>()));
  } else if (const Json& root = protocol::at(params, "rootUri"); root.is_string()) {
    folders.push_back(path_of(root.get<std::string>()));
  } else if (const Json& path = protocol::at(params, "rootPath"); path.is_string()) {
    folders.push_back(path.get<std::string>());  // of old clients
  }
  host_.set_folders(std::move(folders));
  if (const Json& value = protocol::at(params, "trace"); value.is_string()) {
    trace_ = value == "verbose" ? 2 : value == "messages" ? 1 : 0;
  }
  configured_ = protocol::at(client->options, "tilewright");
  if (configured_.is_null()) configured_ = Json::object();
  if (std::string problem = read_settings(configured_); !problem.empty()) log(Level::Warning, problem);
  push_ = diagnostics_way(*client).pushed;
  status_wanted_ = client->offers("experimental.tilewright.status") || protocol::has(client->options, "status");

  Json capabilities = registry_.capabilities(*client);
  capabilities["positionEncoding"] = kEncodings[static_cast<int>(client->encoding)];
  capabilities["textDocumentSync"] = {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}};
  capabilities["workspace"]["workspaceFolders"] = {{"supported", true}, {"changeNotifications", true}};
  Json& commands = capabilities["executeCommandProvider"]["commands"];
  if (commands.is_null()) commands = Json::array();
  commands.push_back("tilewright.memory");
  capabilities["executeCommandProvider"]["workDoneProgress"] = true;
  for (std::string& name : registry_.commands()) commands.push_back(std::move(name));
  state_ = State::Running;
  return Json{{"capabilities", std::move(capabilities)},
              {"serverInfo", {{"name", "tilewright"}, {"version", TILEWRIGHT_VERSION}}}};
}

void Server::initialized() {
  register_capabilities();
  if (client_->offers("workspace.configuration")) fetch_configuration();
  set_health("ok", "");
}

void Server::register_capabilities() {
  Json registrations = Json::array();
  if (client_->offers("workspace.didChangeWatchedFiles.dynamicRegistration")) {
    Json watchers = Json::array({{{"globPattern", "**/*.py"}},
                                 {{"globPattern", "**/tilewright.toml"}},
                                 {{"globPattern", "**/{*requirements*,*constraints*,requirements/*}.{txt,in}"}},
                                 {{"globPattern", "**/{pyproject.toml,setup.cfg,setup.py,Pipfile}"}},
                                 {{"globPattern", "**/{uv,poetry,pdm,Pipfile}.lock"}},
                                 {{"globPattern", "**/{environment,conda,pylock}*.{yml,yaml,toml}"}}});
    registrations.push_back({{"id", "tilewright-files"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", watchers}}}});
  }
  if (client_->offers("workspace.didChangeConfiguration.dynamicRegistration")) {
    registrations.push_back({{"id", "tilewright-settings"},
                             {"method", "workspace/didChangeConfiguration"},
                             {"registerOptions", {{"section", "tilewright"}}}});
  }
  if (!registrations.empty()) ask("client/registerCapability", {{"registrations", registrations}});
}

void Server::fetch_configuration() {
  ask("workspace/configuration", {{"items", Json::array({{{"section", "tilewright"}}})}}, [this](const Json* result) {
    if (result && result->is_array() && !result->empty()) set_configuration((*result)[0]);
  });
}

std::string Server::read_settings(const Json& section) {
  std::string problem;
  project::ClientSettings settings = read_client_settings(section, problem);
  host_.configure(std::move(settings), read_preferences(section, problem));
  return problem;
}

void Server::set_configuration(const Json& section) {
  // Clients send all settings when any changed; what runs on the same ones is still right.
  Json now = section.is_null() ? Json::object() : section;
  if (now == configured_) return;
  configured_ = std::move(now);
  if (std::string problem = read_settings(section); !problem.empty()) show(Level::Warning, problem);
  refresh_all("settings");
}

void Server::change_folders(const Json& params) {
  std::vector<std::string> folders = host_.workspace().folders();
  for (const Json& removed : params.at("event").at("removed")) {
    std::erase(folders, path_of(removed.at("uri").get<std::string>()));
  }
  for (const Json& added : params.at("event").at("added")) {
    std::string path = path_of(added.at("uri").get<std::string>());
    if (std::ranges::find(folders, path) == folders.end()) folders.push_back(path);
  }
  host_.set_folders(std::move(folders));
  host_.workspace().files_changed();
  refresh_all("folders");
}

Answer<Json> Server::execute_command(const Json& params) {
  std::string command = params.at("command").get<std::string>();
  if (command == "tilewright.memory") return memory();
  return std::unexpected(
      protocol::Error{protocol::ErrorCode::InvalidParams, "there is no command '" + command + "'", nullptr});
}

Json Server::memory() {
  session::MemoryReport report = host_.memory();
  Json documents = Json::array();
  for (const auto& d : report.documents) {
    documents.push_back({{"uri", client_->uris->of(d.path)},
                         {"textBytes", d.text_bytes},
                         {"kernels", d.kernels.records},
                         {"staleKernels", d.kernels.stale},
                         {"kernelBytes", d.kernels.bytes}});
  }
  FileReports::Counts reports = reports_.counts();
  return {{"documents", documents},
          {"cacheBytes", report.cache_bytes},
          {"cacheLimit", report.cache_limit},
          {"artifactBytes", host_.artifacts().bytes()},
          {"fileReports", {{"kept", reports.kept}, {"made", reports.made}, {"reused", reports.reused}}},
          {"residentBytes", ide::resident_bytes()}};
}

}  // namespace tilewright::lsp
