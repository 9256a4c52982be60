// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/conversion_settings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "api/text/names.h"
#include "custom/definitions/client_config.h"
#include "custom/definitions/is_in.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceConversion;
using api::apiextensions_v1::CustomResourceDefinition;
using api::apiextensions_v1::WebhookClientConfig;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;
using api::validation::ShownStruct;

constexpr std::array<std::string_view, 2> kStrategies = {"None", "Webhook"};
constexpr std::array<std::string_view, 2> kReviewVersions = {"v1", "v1beta1"};

bool IsReviewVersion(std::string_view version) {
  return IsIn(kReviewVersions, version);
}

void CheckClient(const WebhookClientConfig& client,
                 const Requirements& required,
                 const Path& path,
                 FieldErrors& errors) {
  if (client.url.has_value() == client.service.has_value()) {
    errors.Required(path, "exactly one of url or service is required");
  } else if (client.url.has_value()) {
    CheckWebhookUrl(*client.url, path.Child("url"), errors);
  } else {
    // Upstream takes the name for the namespace, and the other way round.
    CheckWebhookService({.namespace_ = client.service->name,
                         .name = client.service->namespace_,
                         .path = client.service->path,
                         .port = client.service->port.value_or(0)},
                        path.Child("service"),
                        errors);
  }
  const auto check = required.environment.check_ca_bundle;
  if (!required.good_ca_bundle || client.ca_bundle.bytes.empty() || check == nullptr) return;
  if (const auto checked = check(client.ca_bundle.bytes); !checked.has_value()) {
    errors.Invalid(path.Child("caBundle"), ShownStruct(client.ca_bundle), checked.error().message);
  }
}

void CheckReviewVersions(const api::List<std::string>& versions,
                         const Requirements& required,
                         const Path& path,
                         FieldErrors& errors) {
  if (versions.empty()) return errors.Required(path);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    if (!seen.insert(versions[i]).second) {
      errors.Invalid(at, Shown(versions[i]), "duplicate version");
    } else {
      errors.Names(at, versions[i], api::CheckDns1035Label(versions[i]));
    }
  }
  if (required.known_review_version && std::ranges::none_of(versions, IsReviewVersion)) {
    errors.Invalid(
        path,
        ShownStruct(versions),
        fmt::format("must include at least one of {}", fmt::join(kReviewVersions, ", ")));
  }
}

void CheckStrategy(std::string_view strategy, const Path& path, FieldErrors& errors) {
  if (strategy.empty()) {
    errors.Required(path);
  } else if (!IsIn(kStrategies, strategy)) {
    errors.NotSupported(path, strategy, kStrategies);
  }
}

}  // namespace

// The members are named as in upstream's internal form.
void CheckConversion(const CustomResourceConversion& conversion,
                     const Requirements& required,
                     const Path& path,
                     FieldErrors& errors) {
  CheckStrategy(conversion.strategy, path.Child("strategy"), errors);
  const Path client_path = path.Child("webhookClientConfig");
  const Path versions_path = path.Child("conversionReviewVersions");
  const bool has_client =
      conversion.webhook.has_value() && conversion.webhook->client_config.has_value();
  const api::List<std::string> none;
  const auto& versions =
      conversion.webhook.has_value() ? conversion.webhook->conversion_review_versions : none;
  if (conversion.strategy == "Webhook") {
    if (has_client) {
      CheckClient(*conversion.webhook->client_config, required, client_path, errors);
    } else {
      errors.Required(client_path, "required when strategy is set to Webhook");
    }
    CheckReviewVersions(versions, required, versions_path, errors);
    return;
  }
  constexpr std::string_view kOnlyWebhook = "should not be set when strategy is not set to Webhook";
  if (has_client) errors.Forbidden(client_path, kOnlyWebhook);
  if (!versions.empty()) errors.Forbidden(versions_path, kOnlyWebhook);
}

bool HasKnownReviewVersion(const CustomResourceConversion& conversion) {
  if (!conversion.webhook.has_value()) return true;
  const auto& versions = conversion.webhook->conversion_review_versions;
  return versions.empty() || std::ranges::any_of(versions, IsReviewVersion);
}

const std::string& CaBundleOf(const CustomResourceDefinition& definition) {
  static const std::string kNone;
  const auto& conversion = definition.spec.conversion;
  const bool has_client = conversion.has_value() && conversion->webhook.has_value() &&
                          conversion->webhook->client_config.has_value();
  return has_client ? conversion->webhook->client_config->ca_bundle.bytes : kNone;
}

}  // namespace dray::custom::definitions
