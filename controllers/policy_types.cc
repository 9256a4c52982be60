// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy_types.h"

#include <utility>

#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"

namespace dray::controllers {
namespace {

using api::admissionregistration_v1::ExpressionWarning;
using CheckedPolicy = api::admissionregistration_v1::ValidatingAdmissionPolicy;

bool IsChecked(const CheckedPolicy& policy) {
  return policy.metadata.generation <= policy.status.observed_generation;
}

}  // namespace

PolicyTypes::PolicyTypes(client::Client& client,
                         World& world,
                         client::SharedInformers& informers,
                         Log log,
                         CheckPolicyTypes check)
    : client_(client),
      check_(std::move(check)),
      keys_({.clock = world.clock,
             .log = std::move(log),
             .failed = "the types of a policy are not checked for now"}),
      policies_(informers.Of(api::Reflected<CheckedPolicy>::kKind)) {
  policies_.OnChange([this](auto*, auto* after) {
    if (after != nullptr) Enqueue(*after);
  });
}

std::optional<MonotonicTime> PolicyTypes::Step() {
  const std::optional<MonotonicTime> next = policies_.Step();
  if (!policies_.synced()) return next;
  if (keys_.MustStartOver()) {
    for (const auto& [key, policy] : policies_.objects()) Enqueue(policy);
  }
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  return client::Earlier(next, keys_.Next());
}

void PolicyTypes::Enqueue(const api::Object& policy) {
  if (!IsChecked(policy.As<CheckedPolicy>())) keys_.Add(policy.metadata().name);
}

Result<> PolicyTypes::Sync(std::string_view key) {
  const api::Object* found = policies_.Find(key);
  if (found == nullptr) return {};
  const api::Object policy = *found;
  const auto edit = [&](api::Object& copy) -> Result<client::Change> {
    if (IsChecked(copy.As<CheckedPolicy>())) return client::Change::kNothing;
    std::vector<ExpressionWarning> warnings = check_(copy.As<CheckedPolicy>());
    auto& changed = copy.Mutable<CheckedPolicy>();
    changed.status.observed_generation = changed.metadata.generation;
    auto& checking = changed.status.type_checking.emplace();
    for (ExpressionWarning& warning : warnings) {
      checking.expression_warnings.push_back(std::move(warning));
    }
    return client::Change::kWrite;
  };
  DRAY_TRY_VOID(client::ReadModifyWrite(client_, policy, "status", edit));
  return {};
}

}  // namespace dray::controllers
