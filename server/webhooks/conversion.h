// SPDX-License-Identifier: Apache-2.0
// The webhook that converts the objects of a custom kind: what its definition says, what it is
// asked, and what its answer says. After apiextensions-apiserver's pkg/apiserver/conversion.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/admissionregistration_v1/webhook.h"
#include "api/apiextensions_v1.h"
#include "api/custom_kind.h"
#include "api/object.h"
#include "net/client/request_text.h"
#include "server/webhooks/conversion_metrics.h"
#include "server/webhooks/webhook.h"

namespace dray::server::webhooks {

/// How long one call may take.
inline constexpr std::chrono::seconds kConversionTime{30};
/// Objects of one call, and bytes of their JSON but for the last of them.
inline constexpr size_t kConversionObjectsMax = 200;
inline constexpr size_t kConversionBytesMax = size_t{4} << 20;
/// Calls of one webhook that are under way. A webhook that reads the objects which it converts asks
/// for itself again and again: this ends it.
inline constexpr size_t kConversionsMax = 256;

/// The conversion webhook of a definition. Immutable but for the count of its calls.
class ConversionWebhook final : public api::CustomConversion {
 public:
  explicit ConversionWebhook(api::apiextensions_v1::WebhookConversion said);

  /// As the definition has it.
  const api::apiextensions_v1::WebhookConversion& said() const { return said_; }
  const api::admissionregistration_v1::WebhookClientConfig& client() const { return client_; }
  /// The first of its versions that the server knows; none: it cannot be asked.
  std::optional<ReviewVersion> version() const { return version_; }

  /// A call under way, one of kConversionsMax.
  class Place {
   public:
    explicit Place(const ConversionWebhook& of)
        : of_(of), has_place_(++of.calls_ <= kConversionsMax) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { --of_.calls_; }
    bool has_place() const { return has_place_; }

   private:
    const ConversionWebhook& of_;
    const bool has_place_;
  };

 private:
  const api::apiextensions_v1::WebhookConversion said_;
  const api::admissionregistration_v1::WebhookClientConfig client_;
  const std::optional<ReviewVersion> version_;
  mutable std::atomic<size_t> calls_ = 0;
};

/// The body of a call: a ConversionReview that asks for `objects`, which are JSON, in version
/// `to`. O(size).
std::string ConversionReviewText(ReviewVersion version,
                                 std::string_view uid,
                                 const api::KindInfo& to,
                                 std::span<const std::string> objects);

/// `conversion webhook for <group/version, Kind=kind of the object> <what>`
std::string ConversionProblem(const api::KindInfo& from, std::string_view what);

/// Why an answer converts nothing.
struct ConversionFailure {
  ConversionEnd end = ConversionEnd::kNoAnswer;
  std::string message;  // the whole text
};

/// What the webhook made of `originals`, which are one or more of one version, in their order: each
/// has the metadata of its original but for labels and annotations. The caller owns them.
std::expected<std::vector<api::Object>, ConversionFailure> ReadConversion(
    net::client::ClientResponse answer,
    ReviewVersion version,
    std::string_view uid,
    std::span<const api::Object> originals,
    const api::CustomKind& to);

}  // namespace dray::server::webhooks
