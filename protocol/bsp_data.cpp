#include "protocol/bsp_data.h"

#include "compiler/text/bounds.h"

namespace tilewright::protocol::bsp {
namespace {

using text::check_bounds;
using text::check_count;

// Ranges of what a server says.
constexpr std::int64_t kMostResource = std::int64_t{1} << 40;
constexpr std::int64_t kMostFindings = 1'000'000'000;

struct Number {
  const char* name;
  std::int64_t KernelResources::* member;
};
constexpr Number kNumbers[] = {{"registers", &KernelResources::registers},
                               {"spill_stores", &KernelResources::spill_stores},
                               {"spill_loads", &KernelResources::spill_loads},
                               {"static_shared_bytes", &KernelResources::static_shared},
                               {"dynamic_shared_bytes", &KernelResources::dynamic_shared},
                               {"stack_bytes", &KernelResources::stack},
                               {"barriers", &KernelResources::barriers},
                               {"code_bytes", &KernelResources::code}};

}  // namespace

void to_json(Json& json, const CompiledKernel& kernel) {
  json = {{"name", kernel.name}, {"entry", kernel.entry}, {"arch", kernel.arch}};
  if (kernel.failed) json["failed"] = true;
  if (!kernel.unknown.empty()) json["resources_unknown"] = kernel.unknown;
  if (kernel.may_pass) json["may_pass"] = true;
  if (!kernel.resources) return;
  Json& resources = json["resources"];
  for (const Number& number : kNumbers) resources[number.name] = (*kernel.resources).*number.member;
  if (kernel.resources->instructions) resources["instructions"] = *kernel.resources->instructions;
}

void from_json(const Json& json, CompiledKernel& kernel) {
  json.at("name").get_to(kernel.name);
  json.at("entry").get_to(kernel.entry);
  json.at("arch").get_to(kernel.arch);
  kernel.failed = json.value("failed", false);
  kernel.unknown = json.value("resources_unknown", std::string());
  kernel.may_pass = json.value("may_pass", false);
  const auto at = json.find("resources");
  if (at == json.end()) return;
  KernelResources& resources = kernel.resources.emplace();
  for (const Number& number : kNumbers) {
    at->at(number.name).get_to(resources.*number.member);
    check_bounds(number.name, resources.*number.member, 0, kMostResource);
  }
  if (auto n = at->find("instructions"); n != at->end()) {
    resources.instructions = n->get<std::int64_t>();
    check_bounds("instructions", *resources.instructions, 0, kMostResource);
  }
}

void to_json(Json& json, const CompiledScript& script) {
  json = {{"uri", script.uri},
          {"errors", script.errors},
          {"warnings", script.warnings},
          {"noOp", script.no_op},
          {"kernels", script.kernels}};
  if (!script.unreadable.empty()) json["unreadable"] = script.unreadable;
}

void from_json(const Json& json, CompiledScript& script) {
  json.at("uri").get_to(script.uri);
  json.at("errors").get_to(script.errors);
  json.at("warnings").get_to(script.warnings);
  json.at("noOp").get_to(script.no_op);
  check_bounds("errors", script.errors, 0, kMostFindings);
  check_bounds("warnings", script.warnings, 0, kMostFindings);
  check_count("kernels of one script", json.at("kernels"), 100'000);
  json.at("kernels").get_to(script.kernels);
  script.unreadable = json.value("unreadable", std::string());
}

void to_json(Json& json, const TestRun& run) {
  json = {{"uri", run.uri},     {"entry", run.entry},       {"status", run.status},  {"message", run.message},
          {"where", run.where}, {"attempts", run.attempts}, {"seconds", run.seconds}};
  if (!run.run.is_null()) json["run"] = run.run;
}

void from_json(const Json& json, TestRun& run) {
  json.at("uri").get_to(run.uri);
  json.at("entry").get_to(run.entry);
  const int status = json.at("status").get<int>();
  check_bounds("status", status, 1, 5);
  run.status = static_cast<TestStatus>(status);
  json.at("message").get_to(run.message);
  json.at("where").get_to(run.where);
  json.at("attempts").get_to(run.attempts);
  json.at("seconds").get_to(run.seconds);
  check_bounds("attempts", run.attempts, 0, 1000);
  check_bounds("seconds", run.seconds, 0, 1e9);
  if (auto at = json.find("run"); at != json.end()) run.run = *at;
}

}  // namespace tilewright::protocol::bsp
