// SPDX-License-Identifier: Apache-2.0
// Where a webhook is: the server that its configuration names, and how to reach it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "api/admissionregistration_v1/webhook.h"
#include "net/url.h"
#include "server/policies/surroundings.h"

namespace dray::server::webhooks {

struct HookAddress {
  /// In the Host field and in the certificate; without a path.
  net::Endpoint server;
  /// Host and port to connect to, of a service; without a host: those of `server`.
  net::Endpoint address = {};
  /// Encoded path of the requests; begins with a slash.
  std::string path;
  /// URL without a query, for error messages.
  std::string url;
};

/// Why a webhook has no address.
struct NoAddress {
  std::string why;
  /// URL for error messages; empty: the configuration has none.
  std::string url = {};
};

/// Where the webhook with that configuration is. A service stands for, in this order: its external
/// name; a ready endpoint of it, which `choice`, any number, chooses; a cluster IP that a client
/// chose. Where the server made the IP nothing listens, so it counts as refused.
/// O(endpoint slices of the service's namespace).
std::expected<HookAddress, NoAddress> AddressOf(
    const api::admissionregistration_v1::WebhookClientConfig& client,
    const policies::Surroundings& surroundings,
    uint64_t choice);

}  // namespace dray::server::webhooks
