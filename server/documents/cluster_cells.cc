// SPDX-License-Identifier: Apache-2.0
#include "server/documents/cluster_cells.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/at_path.h"
#include "api/value/quantity.h"
#include "server/documents/cell_text.h"

namespace dray::server::documents {
namespace {

using api::CountAt;
using api::Get;
using api::Object;
using api::TextAt;

constexpr size_t kShown = 3;  // elements of a list; the number of the others follows

int32_t NumberIn(const api::Found& of, std::string_view member) {
  const api::Found found = api::AtPath(of, member);
  return found.value == nullptr ? 0 : *static_cast<const int32_t*>(found.value);
}

std::vector<std::string> Texts(const Object& object, std::string_view path) {
  return TextsOf(object, path, "");
}

std::string Count(const Object& object, std::string_view path) {
  return fmt::format("{}", CountAt(object, path));
}

// --------------------------------------------------------------------------------------- services

std::string ClusterIp(const Object& object) {
  return JsonCell(TextOr(TextAt(object, "spec.clusterIP"), kNone));
}

std::vector<std::string> Balancers(const Object& object) {
  std::vector<std::string> points;
  for (const api::Found& point : api::ElementsAt(object, "status.loadBalancer.ingress")) {
    std::string address = TextIn(point, "ip");
    if (address.empty()) address = TextIn(point, "hostname");
    if (!address.empty()) points.push_back(std::move(address));
  }
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  return points;
}

std::string ExternalIp(const Object& object) {
  const std::string_view type = TextAt(object, "spec.type");
  if (type == "ExternalName") return JsonCell(TextAt(object, "spec.externalName"));
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = Balancers(object);
  std::ranges::copy(Texts(object, "spec.externalIPs"), std::back_inserter(addresses));
  if (addresses.empty()) return JsonCell(type == "LoadBalancer" ? "<pending>" : kNone);
  return JsonCell(Joined(addresses));
}

std::string ServicePorts(const Object& object) {
  std::vector<std::string> ports;
  for (const api::Found& port : api::ElementsAt(object, "spec.ports")) {
    const int32_t of_node = NumberIn(port, "nodePort");
    ports.push_back(
        of_node > 0
            ? fmt::format("{}:{}/{}", NumberIn(port, "port"), of_node, TextIn(port, "protocol"))
            : fmt::format("{}/{}", NumberIn(port, "port"), TextIn(port, "protocol")));
  }
  return JsonCell(TextOr(Joined(ports), kNone));
}

std::string ServiceSelector(const Object& object) {
  return JsonCell(SelectorText(object, "spec.selector"));
}

// With an IPv6 address in brackets.
std::string HostPort(const std::string& host, int32_t port) {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string EndpointAddresses(const Object& object) {
  std::vector<std::string> addresses;
  const std::vector<api::Found> subsets = api::ElementsAt(object, "subsets");
  for (const api::Found& subset : subsets) {
    const api::Found ports = api::AtPath(subset, "ports");
    const api::Found hosts = api::AtPath(subset, "addresses");
    for (size_t i = 0; i < ports.type->container->size(ports.value); ++i) {
      const api::Found port{&ports.type->element(), ports.type->container->at(ports.value, i)};
      for (size_t j = 0; j < hosts.type->container->size(hosts.value); ++j) {
        const api::Found host{&hosts.type->element(), hosts.type->container->at(hosts.value, j)};
        addresses.push_back(HostPort(TextIn(host, "ip"), NumberIn(port, "port")));
      }
    }
  }
  return JsonCell(subsets.empty() ? std::string(kNone) : FirstOf(addresses, kShown));
}

std::string SlicePorts(const Object& object) {
  std::vector<std::string> ports;
  for (const api::Found& port : api::ElementsAt(object, "ports")) {
    const bool is_any = api::AtPath(port, "port").value == nullptr;
    ports.push_back(is_any ? "*" : fmt::format("{}", NumberIn(port, "port")));
  }
  return JsonCell(ports.empty() ? std::string(kUnset) : FirstOf(ports, kShown));
}

std::string SliceEndpoints(const Object& object) {
  std::vector<std::string> addresses;
  for (const api::Found& endpoint : api::ElementsAt(object, "endpoints")) {
    const api::Found list = api::AtPath(endpoint, "addresses");
    for (size_t i = 0; i < list.type->container->size(list.value); ++i) {
      addresses.push_back(
          *static_cast<const std::string*>(list.type->container->at(list.value, i)));
    }
  }
  return JsonCell(addresses.empty() ? std::string(kUnset) : FirstOf(addresses, kShown));
}

std::string PolicySelector(const Object& object) {
  return JsonCell(SelectorText(object, "spec.podSelector"));
}

// ---------------------------------------------------------------------------------------- ingress

std::string IngressClass(const Object& object) {
  return JsonCell(TextOr(TextAt(object, "spec.ingressClassName"), kNone));
}

std::string IngressHosts(const Object& object) {
  std::vector<std::string> hosts = TextsOf(object, "spec.rules", "host");
  std::erase(hosts, "");
  return JsonCell(TextOr(FirstOf(hosts, kShown), "*"));
}

std::string IngressAddress(const Object& object) {
  return JsonCell(Joined(Balancers(object)));
}

std::string IngressPorts(const Object& object) {
  return JsonCell(CountAt(object, "spec.tls") > 0 ? "80, 443" : "80");
}

std::string IngressParameters(const Object& object) {
  if (api::AtPath(object, "spec.parameters").value == nullptr) return JsonCell(kNone);
  const std::string_view group = TextAt(object, "spec.parameters.apiGroup");
  return JsonCell(fmt::format("{}{}{}/{}",
                              TextAt(object, "spec.parameters.kind"),
                              group.empty() ? "" : ".",
                              group,
                              TextAt(object, "spec.parameters.name")));
}

std::string AddressParent(const Object& object) {
  if (api::AtPath(object, "spec.parentRef").value == nullptr) return JsonCell(kNone);
  const std::string_view group = TextAt(object, "spec.parentRef.group");
  const std::string_view in = TextAt(object, "spec.parentRef.namespace");
  return JsonCell(fmt::format("{}{}{}/{}{}{}",
                              TextAt(object, "spec.parentRef.resource"),
                              group.empty() ? "" : ".",
                              group,
                              in,
                              in.empty() ? "" : "/",
                              TextAt(object, "spec.parentRef.name")));
}

std::string ServiceCidrs(const Object& object) {
  return JsonCell(Joined(Texts(object, "spec.cidrs")));
}

// ---------------------------------------------------------------------------------------- storage

// A claim shows no properties of a volume until it has one.
bool IsVolume(const Object& object) {
  return object.kind().kind == "PersistentVolume";
}

bool HasVolume(const Object& object) {
  return IsVolume(object) || !TextAt(object, "spec.volumeName").empty();
}

std::string VolumeCapacity(const Object& object) {
  const auto* capacity =
      api::MapAt<api::Quantity>(object, IsVolume(object) ? "spec.capacity" : "status.capacity");
  if (capacity == nullptr || !HasVolume(object)) return JsonCell("");
  const auto found = capacity->find("storage");
  if (found == capacity->end()) return JsonCell(IsVolume(object) ? "0" : "");
  return JsonCell(found->second.ToString());
}

std::string_view ShortMode(std::string_view mode) {
  if (mode == "ReadWriteOnce") return "RWO";
  if (mode == "ReadOnlyMany") return "ROX";
  if (mode == "ReadWriteMany") return "RWX";
  return mode == "ReadWriteOncePod" ? "RWOP" : "";
}

std::string VolumeAccessModes(const Object& object) {
  if (!HasVolume(object)) return JsonCell("");
  constexpr std::array<std::string_view, 4> kOrder = {
      "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
  const std::vector<std::string> modes =
      Texts(object, IsVolume(object) ? "spec.accessModes" : "status.accessModes");
  std::vector<std::string> shown;
  for (const std::string_view mode : kOrder) {
    if (std::ranges::find(modes, mode) != modes.end()) shown.emplace_back(ShortMode(mode));
  }
  return JsonCell(Joined(shown));
}

std::string VolumeStatus(const Object& object) {
  if (object.metadata().deletion_timestamp.has_value()) return JsonCell("Terminating");
  return JsonCell(TextAt(object, "status.phase"));
}

std::string VolumeClaim(const Object& object) {
  if (api::AtPath(object, "spec.claimRef").value == nullptr) return JsonCell("");
  return JsonCell(fmt::format(
      "{}/{}", TextAt(object, "spec.claimRef.namespace"), TextAt(object, "spec.claimRef.name")));
}

std::string VolumeClass(const Object& object) {
  const auto& annotations = object.metadata().annotations;
  const auto found = annotations.find("volume.beta.kubernetes.io/storage-class");
  if (found != annotations.end()) return JsonCell(found->second);
  return JsonCell(TextAt(object, "spec.storageClassName"));
}

std::string AttributesClass(const Object& object) {
  return JsonCell(TextOr(TextAt(object, "spec.volumeAttributesClassName"), kUnset));
}

std::string VolumeMode(const Object& object) {
  return JsonCell(TextOr(TextAt(object, "spec.volumeMode"), kUnset));
}

std::string Expansion(const Object& object) {
  const auto* allowed = Get<bool>(object, "allowVolumeExpansion");
  return allowed != nullptr && *allowed ? "true" : "false";
}

std::string DriverTokens(const Object& object) {
  if (CountAt(object, "spec.tokenRequests") == 0) return JsonCell(kUnset);
  return JsonCell(Joined(TextsOf(object, "spec.tokenRequests", "audience")));
}

std::string DriverModes(const Object& object) {
  return JsonCell(TextOr(Joined(Texts(object, "spec.volumeLifecycleModes")), kNone));
}

std::string NodeDrivers(const Object& object) {
  return Count(object, "spec.drivers");
}

// --------------------------------------------------------------------------------------- admission

std::string Webhooks(const Object& object) {
  return Count(object, "webhooks");
}

std::string Validations(const Object& object) {
  return Count(object, "spec.validations");
}

std::string Mutations(const Object& object) {
  return Count(object, "spec.mutations");
}

std::string ParamKind(const Object& object) {
  if (api::AtPath(object, "spec.paramKind").value == nullptr) return JsonCell(kUnset);
  return JsonCell(fmt::format(
      "{}/{}", TextAt(object, "spec.paramKind.apiVersion"), TextAt(object, "spec.paramKind.kind")));
}

std::string BindingParam(const Object& object) {
  if (api::AtPath(object, "spec.paramRef").value == nullptr) return JsonCell(kUnset);
  if (api::AtPath(object, "spec.paramRef.selector").value != nullptr) {
    return JsonCell(SelectorText(object, "spec.paramRef.selector"));
  }
  const std::string_view in = TextAt(object, "spec.paramRef.namespace");
  return JsonCell(
      fmt::format("{}{}{}", in, in.empty() ? "" : "/", TextAt(object, "spec.paramRef.name")));
}

// --------------------------------------------------------------------------- quotas and components

// "configmaps: 0/3, pods: 1/2" of the limits, or of everything else.
std::string QuotaText(const Object& object, bool limits) {
  const auto* hard = api::MapAt<api::Quantity>(object, "status.hard");
  const auto* used = api::MapAt<api::Quantity>(object, "status.used");
  if (hard == nullptr || used == nullptr) return JsonCell("");
  std::vector<std::string> parts;
  for (const auto& [name, most] : *hard) {
    if (name.starts_with("limits.") != limits) continue;
    const auto found = used->find(name);
    parts.push_back(fmt::format(
        "{}: {}/{}", name, found == used->end() ? "0" : found->second.ToString(), most.ToString()));
  }
  return JsonCell(fmt::format("{}", fmt::join(parts, ", ")));
}

std::string QuotaRequests(const Object& object) {
  return QuotaText(object, false);
}

std::string QuotaLimits(const Object& object) {
  return QuotaText(object, true);
}

struct NamedClusterCell {
  std::string_view name;
  std::string (*cell)(const Object& object);
};

constexpr NamedClusterCell kClusterCells[] = {
    {"address-parent", AddressParent},
    {"binding-param", BindingParam},
    {"class-expansion", Expansion},
    {"driver-modes", DriverModes},
    {"driver-tokens", DriverTokens},
    {"endpoints-addresses", EndpointAddresses},
    {"ingress-address", IngressAddress},
    {"ingress-class", IngressClass},
    {"ingress-hosts", IngressHosts},
    {"ingress-parameters", IngressParameters},
    {"ingress-ports", IngressPorts},
    {"node-drivers", NodeDrivers},
    {"policy-mutations", Mutations},
    {"policy-param-kind", ParamKind},
    {"policy-selector", PolicySelector},
    {"policy-validations", Validations},
    {"quota-limits", QuotaLimits},
    {"quota-requests", QuotaRequests},
    {"service-cidrs", ServiceCidrs},
    {"service-cluster-ip", ClusterIp},
    {"service-external-ip", ExternalIp},
    {"service-ports", ServicePorts},
    {"service-selector", ServiceSelector},
    {"slice-endpoints", SliceEndpoints},
    {"slice-ports", SlicePorts},
    {"volume-access-modes", VolumeAccessModes},
    {"volume-attributes-class", AttributesClass},
    {"volume-capacity", VolumeCapacity},
    {"volume-claim", VolumeClaim},
    {"volume-class", VolumeClass},
    {"volume-mode", VolumeMode},
    {"volume-status", VolumeStatus},
    {"webhook-count", Webhooks},
};

}  // namespace

std::optional<std::string> ClusterCell(std::string_view compute, const Object& object) {
  const auto* const found = std::ranges::find(kClusterCells, compute, &NamedClusterCell::name);
  if (found == std::end(kClusterCells)) return std::nullopt;
  return found->cell(object);
}

}  // namespace dray::server::documents
