// SPDX-License-Identifier: Apache-2.0
// Rules for configurations of webhooks. After pkg/apis/admissionregistration/validation.
#pragma once

#include <vector>

#include "api/admissionregistration_v1/webhook.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::server::webhooks {

/// `old` null: the configuration is new. What newer rules refuse may stay where `old` has it.
std::vector<ErrorCause> ValidateMutating(
    const api::admissionregistration_v1::MutatingWebhookConfiguration& configuration,
    const api::admissionregistration_v1::MutatingWebhookConfiguration* old,
    const api::validation::Options& options);
std::vector<ErrorCause> ValidateValidating(
    const api::admissionregistration_v1::ValidatingWebhookConfiguration& configuration,
    const api::admissionregistration_v1::ValidatingWebhookConfiguration* old,
    const api::validation::Options& options);

}  // namespace dray::server::webhooks
