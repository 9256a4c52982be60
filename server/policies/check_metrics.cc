// SPDX-License-Identifier: Apache-2.0
#include "server/policies/check_metrics.h"

#include <array>

#include <fmt/format.h>

namespace dray::server::policies {
namespace {

constexpr std::array kSecondsBounds = {0.0000005, 0.001, 0.01, 0.1, 1.0};

constexpr metrics::Description kValidations = {
    .name = "apiserver_validating_admission_policy_check_total",
    .help = "Rules of ValidatingAdmissionPolicies that denied a request or failed."};
constexpr metrics::Description kValidationSeconds = {
    .name = "apiserver_validating_admission_policy_check_duration_seconds",
    .help = "Seconds that these rules took."};
constexpr metrics::Description kMutations = {
    .name = "apiserver_mutating_admission_policy_check_total",
    .help = "Mutations of MutatingAdmissionPolicies that were carried out or failed."};
constexpr metrics::Description kMutationSeconds = {
    .name = "apiserver_mutating_admission_policy_check_duration_seconds",
    .help = "Seconds that these mutations took."};

std::string_view WordOf(CheckAction action) {
  switch (action) {
    case CheckAction::kAllow: return "allow";
    case CheckAction::kDeny: return "deny";
    case CheckAction::kAudit: return "audit";
    case CheckAction::kWarn: return "warn";
  }
  return {};
}

metrics::Labels LabelsOf(const PolicyCheck& check, metrics::LimitedNames& names) {
  const bool is_own = names.Takes(fmt::format("{}\n{}", check.policy, check.binding));
  const std::string other(metrics::LimitedNames::kOther);
  return {{"error_type", check.error_type},
          {"policy", is_own ? check.policy : other},
          {"policy_binding", is_own ? check.binding : other}};
}

}  // namespace

// Upstream tells failures apart by their messages, those of rules that merely say no included.
std::string_view ErrorTypeOf(std::string_view message) {
  if (message.empty()) return "no_error";
  if (message.starts_with("compilation")) return "compile_error";
  if (message.starts_with("validation failed due to running out of cost budget")) {
    return "out_of_budget";
  }
  return "invalid_error";
}

void CheckMetrics::NoteValidations(const CheckLog& log) {
  if (registry_ == nullptr) return;
  for (const PolicyCheck& check : log.checks()) {
    metrics::Labels labels = LabelsOf(check, names_);
    labels.insert(labels.begin(), {"enforcement_action", std::string(WordOf(check.action))});
    registry_->CounterOf(kValidations, labels).Add();
    registry_->HistogramOf(kValidationSeconds, kSecondsBounds, labels).Observe(check.seconds);
  }
}

void CheckMetrics::NoteMutations(const CheckLog& log) {
  if (registry_ == nullptr) return;
  for (const PolicyCheck& check : log.checks()) {
    const metrics::Labels labels = LabelsOf(check, names_);
    registry_->CounterOf(kMutations, labels).Add();
    registry_->HistogramOf(kMutationSeconds, kSecondsBounds, labels).Observe(check.seconds);
  }
}

}  // namespace dray::server::policies
