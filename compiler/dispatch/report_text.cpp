// Texts of reports: the failure table and the call itself.
#include <algorithm>

#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/dispatcher.h"
#include "compiler/dispatch/words.h"
#include "compiler/text/amounts.h"

namespace tilewright::dispatch {
namespace {

std::string operand_text(const ir::Operand& operand) {
  if (operand.region.buffer) return region_text(operand.region);
  return operand.value ? ir::to_string(operand.value) : std::string("None");
}

// A pair has a condition and a tensor.
std::string option_text(const ir::Operand& operand) {
  if (!operand.region.buffer || !operand.value) return operand_text(operand);
  return cat("(", ir::to_string(operand.value), ", ", ir::spoken_name(*operand.region.buffer), ")");
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Chosen: return "chosen";
    case Outcome::Rejected: return "rejected";
    case Outcome::Declined: return "declined";
    case Outcome::NotTried: return "not_tried";
  }
  return "";
}

std::string call_text(const ir::TileCall& call) {
  std::string text = cat("T.", ir::exec_scope_name(call.scope), ".", call.primitive, "(");
  bool first = true;
  auto comma = [&] {
    if (!first) text += ", ";
    first = false;
  };
  for (const ir::Operand& operand : call.args) {
    comma();
    text += operand_text(operand);
  }
  std::string_view before;
  for (const ir::ConfigItem& item : call.config) {
    comma();
    // Members of a list follow each other under one name.
    text += cat(item.key == before ? "" : cat(item.key, "="), option_text(item.value));
    before = item.key;
  }
  if (!call.dispatch.empty()) {
    comma();
    text += cat("dispatch=\"", call.dispatch, "\"");
  }
  return text + ")";
}

std::string failure_table(const CallReport& report) {
  std::vector<std::pair<std::string, std::string>> rows = {{"Variant", "Error"}};
  for (const Trial& t : report.trials) {
    bool rejected = t.outcome == Outcome::Rejected;
    rows.emplace_back(cat(t.variant, " (prio=", t.priority, ")"),
                      cat(outcome_name(t.outcome), rejected ? ": " : "", t.predicate, " — ", t.reason));
  }
  std::size_t left = 0, right = 0;
  for (const auto& [a, b] : rows) {
    left = std::max(left, text::columns_of(a));
    right = std::max(right, text::columns_of(b));
  }
  std::string rule(1, '+');
  rule.append(left + 2, '-').append(1, '+').append(right + 2, '-').append("+\n");
  std::string out = cat("TIRx schedule dispatch failed: op=", report.call->primitive, " target=cuda\n");
  out += rule;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += cat("| ", text::padded(rows[i].first, left), " | ", text::padded(rows[i].second, right), " |\n");
    if (i == 0) out += rule;
  }
  return out + rule + cat("opcall: ", call_text(*report.call), "\n");
}

}  // namespace tilewright::dispatch
