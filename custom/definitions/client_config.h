// SPDX-License-Identifier: Apache-2.0
// How a webhook is reached: rules that conversion and admission webhooks share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::custom::definitions {

/// A URL of a webhook: https, a host, no user, no fragment, no query.
void CheckWebhookUrl(std::string_view url,
                     const api::validation::Path& path,
                     api::validation::FieldErrors& errors);

/// A service behind which a webhook is.
struct WebhookService {
  std::string_view namespace_, name;
  const std::optional<std::string>& path;
  int32_t port;
};

void CheckWebhookService(const WebhookService& service,
                         const api::validation::Path& path,
                         api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
