// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/policy_list.h"

#include "server/webhooks/matching.h"

namespace dray::server::verbs::admission {

bool IsExemptFromPolicies(const api::KindInfo& kind) {
  return webhooks::IsExempt(kind) && !kind.plural.ends_with("webhookconfigurations");
}

}  // namespace dray::server::verbs::admission
