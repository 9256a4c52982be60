// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/validating_policies.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/try.h"
#include "server/policies/judge.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/conversion/conversion.h"

namespace dray::server::verbs::admission {

Result<> AskPolicies(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (call.is_own || IsExemptFromPolicies(call.kind())) return {};
  const std::shared_ptr<const Policies::List> list = call.core->policies->In(snapshot);
  if (list == nullptr || list->empty()) return {};
  const InSnapshot surroundings(*call.core, snapshot);
  const SeenRequest seen(call, write, surroundings);
  policies::CheckLog checks(call.core->world.clock);
  policies::Verdict verdict = policies::Judge(*list, seen.request, surroundings, &checks);
  if (HasAllConversions(call)) call.core->policy_checks->NoteValidations(checks);
  std::ranges::move(verdict.warnings, std::back_inserter(*call.warnings));
  if (call.annotations != nullptr) {
    std::ranges::move(verdict.annotations, std::back_inserter(*call.annotations));
  }
  if (verdict.refusal.has_value()) return Fail(*std::move(verdict.refusal));
  return {};
}

bool MayConvertForPolicies(const Call& call, const store::Snapshot& snapshot) {
  return !call.is_own && MayNeedWebhook(call.kind()) &&
         call.core->policies->In(snapshot) != nullptr;
}

Task<> AskPoliciesOfVersions(Passage* passage) {
  const Call& call = *passage->call;
  const size_t warnings = call.warnings->size();
  const size_t annotations = call.annotations == nullptr ? 0 : call.annotations->size();
  while (true) {
    const Result<> judged = AskPolicies(call, *passage->snapshot, *passage->write);
    DRAY_CO_TRY(const bool is_again, co_await FetchConversions(&call));
    if (!is_again) co_return judged;
    call.warnings->resize(warnings);
    if (call.annotations != nullptr) call.annotations->resize(annotations);
  }
}

}  // namespace dray::server::verbs::admission
