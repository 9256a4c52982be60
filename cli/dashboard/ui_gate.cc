// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/ui_gate.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"
#include "api/status.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/try.h"
#include "server/documents/render.h"
#include "server/errors/errors.h"

namespace dray::cli::inline dashboard {
namespace {

constexpr std::string_view kLoginPath = "/ui/login";
constexpr std::string_view kBearer = "Bearer ";
constexpr size_t kSecretWords = 4;  // of 64 bits

/// What may be posted: reviews that store nothing, and a question.
constexpr std::string_view kPosted[] = {"/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                                        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                                        "/ui/api/whatif"};

Failure Refuse(StatusReason reason, std::string message) {
  return Fail(server::errors::WithoutSubject(reason, std::move(message)));
}

/// Takes as long for every wrong text of the same length.
bool IsSecret(std::string_view text, std::string_view secret) {
  if (text.size() != secret.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < text.size(); ++i)
    difference |= static_cast<unsigned char>(text[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

std::string MakeSecret(Random& random) {
  std::string bytes;
  for (size_t i = 0; i < kSecretWords; ++i) {
    uint64_t word = random.Next();
    for (size_t j = 0; j < sizeof(word); ++j, word >>= 8U)
      bytes.push_back(static_cast<char>(word & 0xffU));
  }
  return EncodeBase64Url(bytes);
}

std::vector<std::string_view> SegmentsOf(std::string_view path) {
  std::vector<std::string_view> segments;
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

/// A path of the Kubernetes API, /api/VERSION/… or /apis/GROUP/VERSION/….
Result<> CheckApiPath(std::string_view path) {
  std::vector<std::string_view> rest = SegmentsOf(path);
  // A proxy before the cluster could take such parts for something else.
  for (const std::string_view part : {"", ".", ".."}) {
    if (std::ranges::find(rest, part) != rest.end())
      return Refuse(StatusReason::kNotFound, "the path has a part without a name");
  }
  const size_t prefix = rest[0] == "api" ? 2 : 3;
  rest.erase(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(std::min(prefix, rest.size())));
  const bool in_namespace = rest.size() > 2 && rest[0] == "namespaces";
  if (in_namespace) rest.erase(rest.begin(), rest.begin() + 2);
  if (rest.size() > 2 || (!rest.empty() && rest[0] == "watch"))
    return Refuse(StatusReason::kForbidden, "dray ui reads objects, not their subresources");
  if (!rest.empty() && rest[0] == "secrets")
    return Refuse(StatusReason::kForbidden, "dray ui does not read Secrets");
  return {};
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

Result<> CheckOnlyReads(const net::Request& request) {
  const std::string_view path = request.path();
  // Names of the objects that the page reads need no escapes, and an escape could hide a slash.
  if (path.find('%') != std::string_view::npos)
    return Refuse(StatusReason::kForbidden, "dray ui takes no % in paths");
  if (request.method == "POST" && std::ranges::find(kPosted, path) != std::end(kPosted)) return {};
  if (request.method != "GET" && request.method != "HEAD") {
    return Refuse(StatusReason::kMethodNotAllowed,
                  fmt::format("dray ui only reads: {} is not allowed", request.method));
  }
  if (IsBelow(path, "/ui/api") || path == "/version") return {};
  if (IsBelow(path, "/api") || IsBelow(path, "/apis")) return CheckApiPath(path);
  return Refuse(StatusReason::kNotFound, "dray ui serves /ui/, /api, /apis and /version");
}

bool IsOwnHost(std::string_view host, uint16_t port) {
  constexpr uint16_t kHttpPort = 80;  // clients leave it out
  const std::string end = fmt::format(":{}", port);
  if (host.ends_with(end)) {
    host.remove_suffix(end.size());
  } else if (port != kHttpPort) {
    return false;
  }
  return host == "127.0.0.1" || host == "[::1]" || EqualsIgnoringCase(host, "localhost");
}

UiGate::Secrets UiGate::MakeSecrets(Random& random) {
  return {.once = MakeSecret(random), .token = MakeSecret(random)};
}

UiGate::UiGate(std::shared_ptr<const server::http::Pages> pages,
               Secrets secrets,
               net::Handler& inner)
    : pages_(std::move(pages)), secrets_(std::move(secrets)), inner_(inner) {}

bool UiGate::HasToken(const net::Request& request) const {
  const std::string_view shown = request.headers.Get("Authorization");
  return shown.starts_with(kBearer) && IsSecret(shown.substr(kBearer.size()), secrets_.token);
}

net::Sender UiGate::SenderOf(const net::Request& head) const {
  return {.is_known = HasToken(head) || head.path() == kLoginPath};
}

Result<> UiGate::CheckPlace(const net::Request& request) const {
  const uint16_t port = port_;
  const std::vector<std::string_view> hosts = request.headers.All("Host");
  if (port == 0 || hosts.size() != 1 || !IsOwnHost(hosts[0], port)) {
    return Refuse(StatusReason::kForbidden,
                  "dray ui answers under localhost, 127.0.0.1 and [::1] with its port only");
  }
  const std::string_view origin = request.headers.Get("Origin");
  if (!origin.empty() && origin != fmt::format("http://{}", hosts[0]))
    return Refuse(StatusReason::kForbidden, "dray ui answers no pages of others");
  return {};
}

// The link works once. If another client was first, the user notices, because it fails for him.
Result<std::string> UiGate::LogIn(const net::Request& request) {
  if (request.method != "POST")
    return Refuse(StatusReason::kMethodNotAllowed, "the secret of the link is posted");
  // Browsers send such bodies for pages of others only after asking.
  if (request.headers.Get("Content-Type") != "application/json") {
    return Refuse(StatusReason::kUnsupportedMediaType,
                  "the Content-Type of a log-in is application/json");
  }
  if (request.body.size() > kLoginBytesMax) {
    return Refuse(StatusReason::kRequestEntityTooLarge,
                  fmt::format("a log-in has at most {} bytes", kLoginBytesMax));
  }
  api::JsonReader reader(request.body);
  std::string once;
  std::string key;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "once" && reader.Peek() == api::JsonKind::kString) {
      reader.String(once);
    } else {
      reader.Skip();
    }
  }
  if (reader.failed() || !reader.Finish())
    return Refuse(StatusReason::kBadRequest, reader.error().message);
  if (!IsSecret(once, secrets_.once) || is_used_.exchange(true)) {
    return Refuse(
        StatusReason::kUnauthorized,
        "the link is wrong or was used: dray ui prints a new one when it is started again");
  }
  return api::JsonText([&](api::JsonWriter& json) { json.Object({{"token", secrets_.token}}); });
}

Result<> UiGate::CheckRequest(const net::Request& request) const {
  if (!HasToken(request)) {
    return Refuse(StatusReason::kUnauthorized,
                  "dray ui answers the user of the link that it printed, and no other client");
  }
  return CheckOnlyReads(request);
}

void UiGate::Handle(net::Request request, std::shared_ptr<net::Responder> responder) {
  if (const Result<> here = CheckPlace(request); !here)
    return RespondError(*responder, here.error());
  if (request.path() == kLoginPath) {
    Result<std::string> answer = LogIn(request);
    if (!answer) return RespondError(*responder, answer.error());
    net::ResponseHead head;
    head.headers.Add("Content-Type", "application/json");
    head.headers.Add("Cache-Control", "no-store");
    return responder->Respond(std::move(head), net::Bytes(*std::move(answer)));
  }
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && server::http::IsPagePath(request.path())) {
    server::http::PageAnswer answer = pages_->File(request.path(), request.headers);
    net::ResponseHead head{.status = answer.status};
    for (const auto& [name, value] : answer.headers) head.headers.Set(name, value);
    return responder->Respond(std::move(head), net::Bytes(std::move(answer.body)));
  }
  if (const Result<> checked = CheckRequest(request); !checked)
    return RespondError(*responder, checked.error());
  inner_.Handle(std::move(request), std::move(responder));
}

void RespondError(net::Responder& responder, const Error& error) {
  const api::meta_v1::Status status = api::StatusOf(error);
  net::ResponseHead head{.status = status.code};
  head.headers.Add("Content-Type", "application/json");
  head.headers.Add("Cache-Control", "no-store");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  responder.Respond(std::move(head), net::Bytes(server::documents::StatusJson(status)));
}

}  // namespace dray::cli::inline dashboard
