// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/answer.h"

#include <utility>

#include <fmt/format.h>

#include "api/codec/yaml.h"
#include "api/text/go_quote.h"
#include "base/result.h"
#include "base/text/ascii.h"

namespace dray::server::webhooks {
namespace {

using net::client::ClientResponse;

// Bytes of an answer without JSON that are shown (upstream's limit).
constexpr size_t kShownTextMax = 2048;

std::string_view WordOf(ReviewVersion version) {
  return version == ReviewVersion::kV1 ? "v1" : "v1beta1";
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

std::string ServerMessage(const ClientResponse& answer) {
  const std::string_view type = answer.headers.Get("Content-Type");
  if (!type.empty() && !type.starts_with("text/")) return "unknown";
  return std::string(TrimSpace(std::string_view(answer.body).substr(0, kShownTextMax)));
}

// Why an HTTP status is no answer, in the words of upstream's client; nothing for 200 to 206.
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

// The answer as JSON: upstream reads YAML too.
std::expected<std::string, std::string> JsonOf(std::string body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && body[first] == '{') return body;
  const Result<api::YamlDocument> document = api::YamlToJson(body);
  if (!document.has_value()) return std::unexpected(document.error().message);
  return document->json;
}

// Why a review of this kind and version cannot be read as one of the wanted version, if it cannot.
std::optional<std::string> TypeProblem(const api::TypeMeta& said,
                                       const ReviewKind& kind,
                                       ReviewVersion wanted) {
  if (said.kind.empty() || said.api_version.empty()) return std::nullopt;
  const bool is_known =
      said.kind == kind.kind && (said.api_version == kind.ApiVersion(ReviewVersion::kV1) ||
                                 said.api_version == kind.ApiVersion(ReviewVersion::kV1beta1));
  if (!is_known) {
    return fmt::format(
        R"(no kind "{}" is registered for version "{}" in scheme "pkg/runtime/scheme.go:111")",
        said.kind,
        said.api_version);
  }
  if (said.api_version == kind.ApiVersion(wanted)) return std::nullopt;
  return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                     said.api_version.substr(kind.group.size() + 1),
                     kind.kind,
                     WordOf(wanted),
                     kind.kind);
}

}  // namespace

std::string ReviewKind::ApiVersion(ReviewVersion version) const {
  return fmt::format("{}/{}", group, WordOf(version));
}

std::expected<ReviewDocument, std::string> ReadReview(ClientResponse answer,
                                                      const ReviewKind& kind,
                                                      ReviewVersion version) {
  if (auto problem = StatusProblem(answer); problem.has_value()) {
    return std::unexpected(*std::move(problem));
  }
  if (answer.body.empty()) {
    return std::unexpected(
        fmt::format("0-length response with status code: {} and content type: {}",
                    answer.status,
                    answer.headers.Get("Content-Type")));
  }
  auto json = JsonOf(std::move(answer.body));
  if (!json.has_value()) return std::unexpected(std::move(json).error());
  Result<api::TypeMeta> said = api::ReadTypeMeta(*json);
  if (!said.has_value()) {
    return std::unexpected(
        fmt::format("couldn't get version/kind; json parse error: {}", said.error().message));
  }
  if (auto problem = TypeProblem(*said, kind, version); problem.has_value()) {
    return std::unexpected(*std::move(problem));
  }
  return ReviewDocument{.json = *std::move(json), .said = *std::move(said)};
}

std::optional<std::string> OtherReview(const api::TypeMeta& said,
                                       const ReviewKind& kind,
                                       ReviewVersion version) {
  const std::string expected = kind.ApiVersion(version);
  if (said.api_version == expected && said.kind == kind.kind) return std::nullopt;
  return fmt::format("expected webhook response of {}, Kind={}, got {}",
                     expected,
                     kind.kind,
                     GroupVersionKindText(said.api_version, said.kind));
}

}  // namespace dray::server::webhooks
