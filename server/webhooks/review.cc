// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/review.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"
#include "api/reflect.h"
#include "api/status.h"
#include "api/text/go_quote.h"
#include "base/text/ascii.h"
#include "server/errors/errors.h"

namespace dray::server::webhooks {
namespace {

using api::admission_v1::AdmissionResponse;
using api::admission_v1::AdmissionReview;
using net::client::ClientResponse;

constexpr ReviewKind kReview{.group = "admission.k8s.io", .kind = "AdmissionReview"};

std::unexpected<std::string> Invalid(std::string_view why) {
  return std::unexpected(fmt::format("received invalid webhook response: {}", why));
}

std::unexpected<std::string> Failed(std::string_view why) {
  return std::unexpected(fmt::format("failed to call webhook: {}", why));
}

// What version v1 asks of an answer.
std::expected<void, std::string> CheckV1(const AdmissionResponse& response,
                                         const api::TypeMeta& said,
                                         std::string_view uid,
                                         Purpose purpose) {
  if (response.uid != uid) {
    return Invalid(fmt::format(
        "expected response.uid={}, got {}", api::GoQuote(uid), api::GoQuote(response.uid)));
  }
  if (const auto other = OtherReview(said, kReview, ReviewVersion::kV1); other.has_value()) {
    return Invalid(*other);
  }
  const bool has_patch = !response.patch.bytes.empty();
  const bool has_type = response.patch_type.has_value();
  if (purpose == Purpose::kValidate) {
    if (has_patch) return Invalid("validating webhook may not return response.patch");
    if (has_type) return Invalid("validating webhook may not return response.patchType");
    return {};
  }
  if (has_patch && !has_type) {
    return Invalid("webhook returned response.patch but not response.patchType");
  }
  if (!has_patch && has_type) {
    return Invalid("webhook returned response.patchType but not response.patch");
  }
  if (has_type && response.patch_type->empty()) {
    return Invalid("webhook returned invalid response.patchType of \"\"");
  }
  return {};
}

}  // namespace

std::string ReviewText(ReviewVersion version,
                       std::string_view uid,
                       const policies::AdmissionRequest& request,
                       const policies::Match& match,
                       const ReviewObjects& objects) {
  const auto or_null = [](std::string_view json) { return json.empty() ? "null" : json; };
  std::string text = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", kReview.kind);
      json.Member("apiVersion", kReview.ApiVersion(version));
      json.Member("request").Object([&] {
        json.Member("uid", uid);
        policies::WriteAbout(request, *match.resource, *match.kind, json);
        json.Member("object").Raw(or_null(objects.object));
        json.Member("oldObject").Raw(or_null(objects.old_object));
        json.Member("dryRun", request.dry_run);
        json.Member("options").Raw(or_null(request.options));
      });
    });
  });
  text += '\n';
  return text;
}

std::expected<Decision, std::string> ReadAnswer(ClientResponse answer,
                                                ReviewVersion version,
                                                std::string_view uid,
                                                Purpose purpose) {
  const auto document = ReadReview(std::move(answer), kReview, version);
  if (!document.has_value()) return Failed(document.error());
  AdmissionReview review;
  const Result<> decoded =
      api::DecodeJson(api::TypeOf<AdmissionReview>(), document->json, &review, nullptr);
  if (!decoded.has_value()) return Failed(decoded.error().message);
  if (!review.response.has_value()) return Invalid("webhook response was absent");
  AdmissionResponse& response = *review.response;
  if (version == ReviewVersion::kV1) {
    const auto checked = CheckV1(response, document->said, uid, purpose);
    if (!checked.has_value()) return std::unexpected(checked.error());
  }
  Decision decision{.is_allowed = response.allowed, .status = std::move(response.status)};
  decision.warnings.assign(response.warnings.begin(), response.warnings.end());
  for (const auto& [key, value] : response.audit_annotations) {
    decision.annotations.emplace_back(key, value);
  }
  if (purpose == Purpose::kMutate) {
    decision.patch = std::move(response.patch.bytes);
    // Version v1beta1 asked for no type.
    decision.patch_type =
        version == ReviewVersion::kV1 ? response.patch_type.value_or("") : "JSONPatch";
  }
  return decision;
}

Error DenialOf(std::string_view webhook, api::Maybe<api::meta_v1::Status> status) {
  constexpr int kCodeMin = 400, kCodeMax = 599;
  api::meta_v1::Status shown = std::move(status).value_or(api::meta_v1::Status());
  if (shown.code < kCodeMin || shown.code > kCodeMax) shown.code = kCodeMin;
  if (shown.status.empty() || shown.status == "Success") shown.status = "Failure";
  const std::string denied =
      fmt::format("admission webhook {} denied the request", api::GoQuote(webhook));
  if (!shown.message.empty()) {
    shown.message = fmt::format("{}: {}", denied, shown.message);
  } else if (!shown.reason.empty()) {
    shown.message = fmt::format("{}: {}", denied, shown.reason);
  } else {
    shown.message = denied + " without explanation";
  }
  const StatusReason named = ReasonNamed(shown.reason);
  return {.reason = named == StatusReason::kUnknown ? api::ReasonOf(shown.code) : named,
          .message = shown.message,
          .details = api::AsDetails(std::move(shown))};
}

Error InternalBecause(std::string what) {
  Error error = errors::Internal(what);
  error.causes = {{.reason = "", .field = "", .message = std::move(what)}};
  return error;
}

Error CallFailure(std::string_view webhook, std::string_view why) {
  return InternalBecause(fmt::format("failed calling webhook {}: {}", api::GoQuote(webhook), why));
}

}  // namespace dray::server::webhooks
