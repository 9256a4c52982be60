// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/address.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/service.h"
#include "api/discovery_v1.h"
#include "api/object.h"
#include "api/text/go_quote.h"
#include "net/http.h"
#include "server/webhooks/service_numbers.h"

namespace dray::server::webhooks {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace core_v1 = api::core_v1;
namespace discovery_v1 = api::discovery_v1;
using policies::Surroundings;

constexpr uint16_t kHttpsPort = 443;
constexpr std::string_view kServiceName = "kubernetes.io/service-name";
// Endpoints of a service among which one is chosen.
constexpr size_t kEndpointsMax = 1000;

using Resolved = std::expected<net::Endpoint, std::string>;

// A path as upstream's client sends it: with one slash at its beginning and none at its end.
std::string CleanPath(std::string_view path) {
  std::string clean;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (!segment.empty()) clean.append("/").append(segment);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return clean.empty() ? "/" : clean;
}

// What cannot stand in a request line is escaped.
std::string Escaped(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f) {
      escaped += c;
    } else {
      fmt::format_to(std::back_inserter(escaped), "%{:02X}", byte);
    }
  }
  return escaped;
}

net::Endpoint At(std::string host, uint16_t port) {
  return {.scheme = net::Scheme::kHttps, .host = std::move(host), .port = port, .path = {}};
}

// The port of the service with that number.
const core_v1::ServicePort* PortOf(const core_v1::Service& service, int32_t number) {
  const auto found = std::ranges::find(service.spec.ports, number, &core_v1::ServicePort::port);
  return found == service.spec.ports.end() ? nullptr : &*found;
}

std::optional<int32_t> PortOf(const discovery_v1::EndpointSlice& slice, std::string_view name) {
  for (const auto& port : slice.ports) {
    if (port.name.value_or("") == name && port.port.has_value()) return port.port;
  }
  return std::nullopt;
}

// Endpoints of the service that take traffic on that port.
std::vector<net::Endpoint> EndpointsOf(const core_v1::Service& service,
                                       const core_v1::ServicePort& port,
                                       const Surroundings& surroundings) {
  std::vector<net::Endpoint> endpoints;
  const auto& meta = service.metadata;
  const auto take = [&](const api::Object& object) {
    const auto& slice = object.As<discovery_v1::EndpointSlice>();
    const auto label = slice.metadata.labels.find(kServiceName);
    if (label == slice.metadata.labels.end() || label->second != meta.name) return true;
    const std::optional<int32_t> number = PortOf(slice, port.name);
    if (!number.has_value() || *number < 1 || *number > UINT16_MAX) return true;
    for (const auto& endpoint : slice.endpoints) {
      const bool is_ready = endpoint.conditions.ready.value_or(true);
      if (!is_ready || endpoint.addresses.empty()) continue;
      endpoints.push_back(At(endpoint.addresses.front(), static_cast<uint16_t>(*number)));
      if (endpoints.size() == kEndpointsMax) return false;
    }
    return true;
  };
  surroundings.Each(api::Reflected<discovery_v1::EndpointSlice>::kKind, meta.namespace_, take);
  return endpoints;
}

Resolved Resolve(const v1::ServiceReference& reference,
                 uint16_t number,
                 const Surroundings& surroundings,
                 uint64_t choice) {
  const std::optional<api::Object> found = surroundings.Find(
      api::Reflected<core_v1::Service>::kKind, reference.namespace_, reference.name);
  const std::string name = api::GoQuote(reference.name);
  if (!found.has_value()) return std::unexpected(fmt::format("service {} not found", name));
  const auto& service = found->As<core_v1::Service>();
  if (service.spec.type == "ExternalName") return At(service.spec.external_name, number);
  const core_v1::ServicePort* const port = PortOf(service, number);
  if (port == nullptr) {
    return std::unexpected(fmt::format("no service port {} found for service {}", number, name));
  }
  std::vector<net::Endpoint> endpoints = EndpointsOf(service, *port, surroundings);
  if (!endpoints.empty()) return std::move(endpoints[choice % endpoints.size()]);
  const std::string& cluster_ip = service.spec.cluster_ip;
  if (cluster_ip.empty() || cluster_ip == "None") {
    return std::unexpected(fmt::format("no endpoints available for service {}", name));
  }
  if (cluster_ip == MadeClusterIp(service.metadata.uid)) {
    return std::unexpected(
        fmt::format("dial tcp {}:{}: connect: connection refused", cluster_ip, number));
  }
  return At(cluster_ip, number);
}

std::expected<HookAddress, NoAddress> OfService(const v1::ServiceReference& reference,
                                                const Surroundings& surroundings,
                                                uint64_t choice) {
  const int32_t port = reference.port.value_or(kHttpsPort);
  const auto number = static_cast<uint16_t>(port > 0 && port <= UINT16_MAX ? port : kHttpsPort);
  HookAddress hook;
  hook.server = At(fmt::format("{}.{}.svc", reference.name, reference.namespace_), number);
  hook.path = Escaped(CleanPath(reference.path.value_or("")));
  hook.url = fmt::format("https://{}{}", net::HostPort(hook.server), hook.path);
  Resolved resolved = Resolve(reference, number, surroundings, choice);
  if (!resolved.has_value()) return std::unexpected(NoAddress{resolved.error(), hook.url});
  hook.address = *std::move(resolved);
  return hook;
}

std::expected<HookAddress, NoAddress> OfUrl(const std::string& url) {
  const Result<net::Endpoint> parsed = net::ParseEndpoint(url);
  if (!parsed.has_value()) {
    return std::unexpected(NoAddress{fmt::format("Unparsable URL: {}", parsed.error().message)});
  }
  HookAddress hook;
  hook.server = *parsed;
  hook.path = Escaped(CleanPath(parsed->path));
  hook.server.path.clear();
  const size_t authority = url.find("//") + 2;
  hook.url = url.substr(0, url.find('/', authority)) + hook.path;
  return hook;
}

}  // namespace

std::expected<HookAddress, NoAddress> AddressOf(const v1::WebhookClientConfig& client,
                                                const Surroundings& surroundings,
                                                uint64_t choice) {
  if (client.service.has_value()) return OfService(*client.service, surroundings, choice);
  if (client.url.has_value() && !client.url->empty()) return OfUrl(*client.url);
  return std::unexpected(NoAddress{"webhook configuration must have either service or URL"});
}

}  // namespace dray::server::webhooks
