// SPDX-License-Identifier: Apache-2.0
// What is written to an admission webhook, and what its answer says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/admission_v1.h"
#include "api/meta_v1/status.h"
#include "base/result.h"
#include "net/client/request_text.h"
#include "server/policies/admission_request.h"
#include "server/policies/match.h"
#include "server/webhooks/answer.h"
#include "server/webhooks/webhook.h"

namespace dray::server::webhooks {

/// The objects of a request as JSON of the version that the webhook is sent; empty: there is none.
struct ReviewObjects {
  std::string_view object, old_object;
};

/// The body of a call: an AdmissionReview with its request. O(size).
std::string ReviewText(ReviewVersion version,
                       std::string_view uid,
                       const policies::AdmissionRequest& request,
                       const policies::Match& match,
                       const ReviewObjects& objects);

/// What a webhook decided.
struct Decision {
  bool is_allowed = false;
  /// Why not; none: without explanation.
  api::Maybe<api::meta_v1::Status> status;
  /// A JSON patch, or nothing; and what the webhook calls it.
  std::string patch = {};
  std::string patch_type = {};
  std::vector<std::string> warnings = {};
  std::vector<std::pair<std::string, std::string>> annotations = {};
};

/// What an answer says, which is one to a review of `version` with that uid; or why it says
/// nothing, in the words of upstream after `failed calling webhook "…": `.
std::expected<Decision, std::string> ReadAnswer(net::client::ClientResponse answer,
                                                ReviewVersion version,
                                                std::string_view uid,
                                                Purpose purpose);

/// A request that the webhook of that name refused with `status`: with its code from 400 to 599
/// (else 400), reason, details and message.
Error DenialOf(std::string_view webhook, api::Maybe<api::meta_v1::Status> status);

/// `Internal error occurred: <what>`, with `what` as cause.
Error InternalBecause(std::string what);
/// The same of `failed calling webhook "…": <why>`.
Error CallFailure(std::string_view webhook, std::string_view why);

}  // namespace dray::server::webhooks
