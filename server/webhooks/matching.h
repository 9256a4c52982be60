// SPDX-License-Identifier: Apache-2.0
// Whether a webhook is asked about a request. After apiserver's webhook/generic.
#pragma once

#include <optional>

#include "api/kind.h"
#include "base/result.h"
#include "base/work.h"
#include "server/policies/admission_request.h"
#include "server/policies/match.h"
#include "server/policies/surroundings.h"
#include "server/webhooks/webhook.h"

namespace dray::server::webhooks {

/// Whether webhooks are never asked about objects of `kind`: configurations of admission, which an
/// administrator must be able to mend, and reviews, which are questions.
bool IsExempt(const api::KindInfo& kind);

/// Which version of the object the webhook is sent; nothing when it is not asked. Conditions are
/// evaluated last, within `work`, which all webhooks of a request share.
///
/// Errors: kNotFound   the namespace is not there.
///         kForbidden  a condition fails, none is false, and the webhook's failures are not
///         ignored.
Result<std::optional<policies::Match>> MatchOf(const Webhook& webhook,
                                               const policies::AdmissionRequest& request,
                                               const policies::Surroundings& surroundings,
                                               Work& work);

}  // namespace dray::server::webhooks
