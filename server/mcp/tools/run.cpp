// run: executes a kernel and holds what it leaves against its reference.
#include "server/mcp/execute.h"
#include "server/mcp/loaded.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/render/run_report.h"

namespace tilewright::mcp {
namespace {

Result run(const Question& question) {
  const Arguments& asked = question.arguments;
  work::RunRequest request;
  if (const auto seed = asked.number("seed")) {
    if (*seed < 0) return std::unexpected("a seed is 0 or more");
    request.seed = static_cast<std::uint64_t>(*seed);
  }
  auto answer = executed(question, std::move(request));
  if (!answer) return std::unexpected(answer.error());
  const std::string verdict(answer->report.verdict()), place = render::run_place(*answer);
  Answer out;
  out.head = {{"path", question.script.shown},
              {"entry", answer->report.entry},
              {"arch", answer->report.arch},
              {"on", asked.has("on") ? asked.text("on") : "sim"},
              {"verdict", verdict}};
  if (answer->report.timing) out.head["median_us"] = answer->report.timing->cold.median;
  out.summary = answer->report.entry + ": " + verdict;
  const std::string told = render::run_text(*answer, {});
  add_lines(out, "report", told);
  const Json path{{"path", question.script.shown}, {"entry", answer->report.entry}};
  if (verdict == "failed") {
    const std::size_t colon = place.rfind(':');
    const std::string line = colon == place.npos ? "1" : place.substr(colon + 1);
    out.next = {"explain",
                {{"path", question.script.shown}, {"line", std::atoi(line.c_str())}},
                "the line that is to blame; the tool watch shows what threads see there"};
  } else if (verdict == "verified" || verdict == "partial") {
    out.next = {
        "simulate", {{"path", question.script.shown}}, "the result is right; this looks for races and deadlocks"};
  } else if (verdict == "unverified" && told.find("is not computed here") != told.npos) {
    out.next = {"simulate", path,
                "its reference is code in Python, which `tilewright run " + question.script.shown +
                    "` on a command line executes; this looks for races and deadlocks"};
  } else if (verdict == "unverified") {
    out.next = {"docs", {{"topic", "running"}}, "nothing was expected: says how a reference is given"};
  } else {
    out.next = {"simulate", path, "says what was found and what was not looked at"};
  }
  return out;
}

}  // namespace

Tool run_tool() {
  return {
      .name = "run",
      .title = "Run a kernel",
      .words =
          "Executes a kernel on the simulator (default) or on this machine's GPU, with inputs that the script's "
          "`# tilewright: run` comment says or made-up ones, and compares with its reference. Verdicts: verified, "
          "partial, unverified (nothing to compare with), failed, review, silenced, incomplete.",
      .parameters = {path_parameter(),
                     entry_parameter(),
                     {.name = "on", .words = "Default: sim", .choices = {"sim", "gpu"}},
                     {.name = "seed", .kind = Parameter::Kind::Number, .words = "Of made-up inputs"},
                     {.name = "profile",
                      .kind = Parameter::Kind::Flag,
                      .words =
                          "Where the time goes, by line: counted by the simulator, or sampled on the GPU with what "
                          "its warps wait for"},
                     seconds_parameter()},
      .output = R"({"properties": {"path": {"type": "string"}, "entry": {"type": "string"}, "arch": {"type": "string"},
    "on": {"type": "string"}, "verdict": {"type": "string", "enum": ["verified", "partial", "unverified", "failed",
      "review", "silenced", "incomplete"]}, "median_us": {"type": "number"}, "report": {"type": "string"}},
    "required": ["path", "entry", "verdict", "report"]})",
      .example = R"({"path": "example:vector_add"})",
      .waits = true,
      .answer = run};
}

}  // namespace tilewright::mcp
