// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/matching.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "cel/value/arena.h"
#include "server/errors/errors.h"
#include "server/policies/evaluation.h"
#include "server/policies/request_values.h"

namespace dray::server::webhooks {
namespace {

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

struct Exempt {
  std::string_view group, plural;
};

constexpr auto kExempt = std::to_array<Exempt>({
    {kAdmission, "mutatingadmissionpolicies"},
    {kAdmission, "mutatingadmissionpolicybindings"},
    {kAdmission, "mutatingwebhookconfigurations"},
    {kAdmission, "validatingadmissionpolicies"},
    {kAdmission, "validatingadmissionpolicybindings"},
    {kAdmission, "validatingwebhookconfigurations"},
    {kAuthentication, "selfsubjectreviews"},
    {kAuthentication, "tokenreviews"},
    {kAuthorization, "localsubjectaccessreviews"},
    {kAuthorization, "selfsubjectaccessreviews"},
    {kAuthorization, "selfsubjectrulesreviews"},
    {kAuthorization, "subjectaccessreviews"},
});

}  // namespace

bool IsExempt(const api::KindInfo& kind) {
  return std::ranges::any_of(kExempt, [&](const Exempt& one) {
    return kind.group == one.group && kind.plural == one.plural;
  });
}

Result<std::optional<policies::Match>> MatchOf(const Webhook& webhook,
                                               const policies::AdmissionRequest& request,
                                               const policies::Surroundings& surroundings,
                                               Work& work) {
  if (webhook.constraints.resource_rules.empty()) return std::nullopt;
  DRAY_TRY(std::optional<policies::Match> match,
           policies::MatchOf(webhook.constraints, request, surroundings.scheme()));
  if (!match.has_value() || webhook.conditions.empty()) return match;
  const policies::RequestValues values(request, surroundings);
  cel::Arena arena(work);
  int64_t cost = 0;
  const auto hold = policies::ConditionsHold(
      {.expressions = webhook.conditions, .ignores_failures = webhook.ignores_failures},
      values.For(*match, arena),
      arena,
      cost);
  if (!hold.has_value()) {
    return Fail(errors::Forbidden(*request.resource, request.name, hold.error()));
  }
  if (!*hold) match.reset();
  return match;
}

}  // namespace dray::server::webhooks
