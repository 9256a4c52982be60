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
#include "base/ascii.h"
#include "server/errors/errors.h"

namespace dray::server::webhooks {
namespace {

using api::admission_v1::AdmissionResponse;
using api::admission_v1::AdmissionReview;
using net::client::ClientResponse;

constexpr std::string_view kReview = "AdmissionReview";
constexpr std::string_view kGroup = "admission.k8s.io/";

// Bytes of an answer without JSON that are shown (upstream's limit).
constexpr size_t kShownTextMax = 2048;

std::string_view WordOf(ReviewVersion version) {
  return version == ReviewVersion::kV1 ? "v1" : "v1beta1";
}

std::string ApiVersionOf(ReviewVersion version) {
  return fmt::format("{}{}", kGroup, WordOf(version));
}

std::unexpected<std::string> Invalid(std::string_view why) {
  return std::unexpected(fmt::format("received invalid webhook response: {}", why));
}

std::unexpected<std::string> Failed(std::string_view why) {
  return std::unexpected(fmt::format("failed to call webhook: {}", why));
}

// "group/version, Kind=kind" as upstream prints it.
std::string GroupVersionKindText(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  return fmt::format("{}/{}, Kind={}", group, version, kind);
}

// The answer as JSON: upstream reads YAML too.
std::expected<std::string, std::string> JsonOf(std::string body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && body[first] == '{') return body;
  const Result<api::YamlDocument> document = api::YamlToJson(body);
  if (!document.has_value()) return Failed(document.error().message);
  return document->json;
}

// Whether an answer of this kind and version can be read as one of the wanted version.
std::expected<void, std::string> CheckType(const api::TypeMeta& said, ReviewVersion wanted) {
  const std::string expected = ApiVersionOf(wanted);
  if (said.kind.empty() || said.api_version.empty()) return {};
  const bool is_known =
      said.kind == kReview && (said.api_version == ApiVersionOf(ReviewVersion::kV1) ||
                               said.api_version == ApiVersionOf(ReviewVersion::kV1beta1));
  if (!is_known) {
    return Failed(fmt::format(
        "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
        said.kind,
        said.api_version));
  }
  if (said.api_version == expected) return {};
  return Failed(fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                            said.api_version.substr(kGroup.size()),
                            kReview,
                            WordOf(wanted),
                            kReview));
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
  const std::string expected = ApiVersionOf(ReviewVersion::kV1);
  if (said.api_version != expected || said.kind != kReview) {
    return Invalid(fmt::format("expected webhook response of {}, Kind={}, got {}",
                               expected,
                               kReview,
                               GroupVersionKindText(said.api_version, said.kind)));
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

std::string ServerMessage(const ClientResponse& answer) {
  const std::string_view type = answer.headers.Get("Content-Type");
  if (!type.empty() && !type.starts_with("text/")) return "unknown";
  return std::string(TrimSpace(std::string_view(answer.body).substr(0, kShownTextMax)));
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
      json.Member("kind", kReview);
      json.Member("apiVersion", ApiVersionOf(version));
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

std::optional<std::string> StatusProblem(const ClientResponse& answer) {
  const int status = answer.status;
  if (status >= 200 && status <= 206) return std::nullopt;
  const bool is_redirect =
      status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  // Redirects are not followed: a webhook must not choose what the server calls.
  if (status == 404 || is_redirect) return "the server could not find the requested resource";
  switch (status) {
    case 400: return "the server rejected our request for an unknown reason";
    case 401: return "the server has asked for the client to provide credentials";
    case 403:
    case 406:
    case 415: return ServerMessage(answer);
    case 405: return "the server does not allow this method on the requested resource";
    case 409: return "the server reported a conflict";
    case 422: return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503: return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default: break;
  }
  if (status >= 500) {
    return fmt::format("an error on the server ({}) has prevented the request from succeeding",
                       api::GoQuote(ServerMessage(answer)));
  }
  return fmt::format("the server responded with the status code {} but did not return more details",
                     status);
}

std::expected<Decision, std::string> ReadAnswer(ClientResponse answer,
                                                ReviewVersion version,
                                                std::string_view uid,
                                                Purpose purpose) {
  if (const auto problem = StatusProblem(answer); problem.has_value()) return Failed(*problem);
  if (answer.body.empty()) {
    return Failed(fmt::format("0-length response with status code: {} and content type: {}",
                              answer.status,
                              answer.headers.Get("Content-Type")));
  }
  const auto json = JsonOf(std::move(answer.body));
  if (!json.has_value()) return std::unexpected(json.error());
  const Result<api::TypeMeta> said = api::ReadTypeMeta(*json);
  if (!said.has_value()) {
    return Failed(
        fmt::format("couldn't get version/kind; json parse error: {}", said.error().message));
  }
  if (const auto known = CheckType(*said, version); !known.has_value()) {
    return std::unexpected(known.error());
  }
  AdmissionReview review;
  const Result<> decoded = api::DecodeJson(api::TypeOf<AdmissionReview>(), *json, &review, nullptr);
  if (!decoded.has_value()) return Failed(decoded.error().message);
  if (!review.response.has_value()) return Invalid("webhook response was absent");
  AdmissionResponse& response = *review.response;
  if (version == ReviewVersion::kV1) {
    const auto checked = CheckV1(response, *said, uid, purpose);
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

Error DenialOf(std::string_view webhook, std::optional<api::meta_v1::Status> status) {
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
          .details = std::move(shown)};
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
