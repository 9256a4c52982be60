// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/client_config.h"

#include <cstddef>

#include <fmt/format.h>

#include "api/text/names.h"
#include "cel/library/urls.h"

namespace dray::custom::definitions {
namespace {

using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr std::string_view kForm = "; desired format: https://host[/path]";

void CheckServicePath(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.empty() || value == "/") return;
  const auto refuse = [&](std::string_view text) { errors.Invalid(path, Shown(value), text); };
  if (value == "//") return refuse("segment[0] may not be empty");
  if (!value.starts_with('/')) refuse("must start with a '/'");
  std::string_view rest = value.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0; !errors.is_full(); ++i) {
    const size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty()) refuse(fmt::format("segment[{}] may not be empty", i));
    if (!segment.empty()) {
      for (const std::string& problem : api::CheckDnsSubdomain(segment)) {
        refuse(fmt::format("segment[{}]: {}", i, problem));
      }
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

void CheckWebhookUrl(std::string_view url, const Path& path, FieldErrors& errors) {
  const auto parts = cel::library::ParseUrlReference(url);
  if (!parts.has_value()) {
    errors.Required(path,
                    fmt::format("url must be a valid URL: {}{}", parts.error().message, kForm));
    return;
  }
  if (parts->scheme != "https") {
    errors.Invalid(
        path, Shown(parts->scheme), fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (parts->host.empty()) {
    errors.Invalid(path, Shown(""), fmt::format("host must be specified{}", kForm));
  }
  if (parts->user.has_value()) {
    errors.Invalid(path, Shown(*parts->user), "user information is not permitted in the URL");
  }
  if (!parts->fragment.empty()) {
    errors.Invalid(path, Shown(parts->fragment), "fragments are not permitted in the URL");
  }
  if (!parts->query.empty()) {
    errors.Invalid(path, Shown(parts->query), "query parameters are not permitted in the URL");
  }
}

void CheckWebhookService(const WebhookService& service, const Path& path, FieldErrors& errors) {
  if (service.name.empty()) errors.Required(path.Child("name"));
  if (service.namespace_.empty()) errors.Required(path.Child("namespace"));
  if (service.port < 1 || service.port > 65535) {
    errors.Invalid(path.Child("port"),
                   fmt::format("{}", service.port),
                   "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (service.path.has_value()) CheckServicePath(*service.path, path.Child("path"), errors);
}

}  // namespace dray::custom::definitions
