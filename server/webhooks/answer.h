// SPDX-License-Identifier: Apache-2.0
// The part of a webhook's answer that is alike for all reviews: HTTP, JSON, kind and version.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "net/client/request_text.h"
#include "server/webhooks/webhook.h"

namespace dray::server::webhooks {

/// Bytes of an answer that are read. Upstream has no limit; a patch of what may be stored fits.
inline constexpr size_t kAnswerBytesMax = size_t{16} << 20;

/// A kind of review in the versions that the server speaks.
struct ReviewKind {
  std::string_view group;
  std::string_view kind;

  /// "admission.k8s.io/v1"
  std::string ApiVersion(ReviewVersion version) const;
};

/// A review that a webhook sent back.
struct ReviewDocument {
  std::string json;
  api::TypeMeta said;
};

/// The review in an answer to one of `kind` and `version`; or why there is none, in the words of
/// upstream's client. The review may name no kind and version at all: see OtherReview. O(size).
std::expected<ReviewDocument, std::string> ReadReview(net::client::ClientResponse answer,
                                                      const ReviewKind& kind,
                                                      ReviewVersion version);

/// `expected webhook response of …, got …`, if `said` is not that kind and version.
std::optional<std::string> OtherReview(const api::TypeMeta& said,
                                       const ReviewKind& kind,
                                       ReviewVersion version);

}  // namespace dray::server::webhooks
