// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/node_tokens.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/pods/references.h"
#include "api/storage_v1/csi_driver.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/node_relations.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {
namespace {

namespace core_v1 = api::core_v1;
using api::GoQuote;
using core_v1::Pod;

/// The CSI driver that replaces an in-tree volume plugin; empty: none.
std::string_view DriverInsteadOf(const auto& source) {
  if (source.gce_persistent_disk) return "pd.csi.storage.gke.io";
  if (source.aws_elastic_block_store) return "ebs.csi.aws.com";
  if (source.cinder) return "cinder.csi.openstack.org";
  if (source.azure_disk) return "disk.csi.azure.com";
  if (source.azure_file) return "file.csi.azure.com";
  if (source.vsphere_volume) return "csi.vsphere.vmware.com";
  if (source.portworx_volume) return "pxd.portworx.com";
  return {};
}

template <class T>
Result<api::Object> Found(const store::Snapshot& snapshot,
                          std::string_view namespace_name,
                          std::string_view name) {
  const api::KindInfo& kind = api::Reflected<T>::kKind;
  api::Object object = FindStored(snapshot, kind, namespace_name, name);
  if (object.empty()) return Fail(errors::NotInCache(kind, name));
  return object;
}

Result<std::string> DriverOfClaim(const store::Snapshot& snapshot,
                                  std::string_view namespace_name,
                                  std::string_view name) {
  using core_v1::PersistentVolume;
  using core_v1::PersistentVolumeClaim;
  DRAY_TRY(const api::Object claim, Found<PersistentVolumeClaim>(snapshot, namespace_name, name));
  const std::string& bound = claim.As<PersistentVolumeClaim>().spec.volume_name;
  DRAY_TRY(const api::Object volume, Found<PersistentVolume>(snapshot, "", bound));
  const auto& source = volume.As<PersistentVolume>().spec.persistent_volume_source;
  if (source.csi.has_value()) return source.csi->driver;
  return std::string(DriverInsteadOf(source));
}

/// The driver behind a volume of the pod; empty: none.
Result<std::string> DriverOf(const store::Snapshot& snapshot,
                             const Pod& pod,
                             const core_v1::Volume& volume) {
  const core_v1::VolumeSource& source = volume.volume_source;
  const bool is_made = source.ephemeral && source.ephemeral->volume_claim_template;
  if (is_made || source.persistent_volume_claim) {
    return DriverOfClaim(snapshot, pod.metadata.namespace_, api::pods::VolumeClaimOf(pod, volume));
  }
  if (source.csi) return source.csi->driver;
  return std::string(DriverInsteadOf(source));
}

bool AsksFor(const core_v1::VolumeSource& source, std::string_view audience) {
  return source.projected && std::ranges::any_of(source.projected->sources, [&](const auto& one) {
           return one.service_account_token && one.service_account_token->audience == audience;
         });
}

Result<bool> DriverAsksFor(const store::Snapshot& snapshot,
                           std::string_view driver,
                           std::string_view audience) {
  using api::storage_v1::CSIDriver;
  DRAY_TRY(const api::Object object, Found<CSIDriver>(snapshot, "", driver));
  return std::ranges::any_of(object.As<CSIDriver>().spec.token_requests,
                             [&](const auto& one) { return one.audience == audience; });
}

/// Whether a volume of the pod, or its driver, needs tokens for `audience`. Errors: no volume is
/// known to need one, and an object that could not be read may.
Result<bool> NeedsAudience(const store::Snapshot& snapshot,
                           const Pod& pod,
                           std::string_view audience) {
  std::vector<std::string> missing;
  for (const core_v1::Volume& volume : pod.spec.volumes) {
    if (AsksFor(volume.volume_source, audience)) return true;
    const Result<std::string> driver = DriverOf(snapshot, pod, volume);
    if (!driver.has_value()) {
      missing.push_back(driver.error().message);
      continue;
    }
    if (driver->empty()) continue;
    const Result<bool> asks = DriverAsksFor(snapshot, *driver, audience);
    if (!asks.has_value()) missing.push_back(asks.error().message);
    if (asks.has_value() && *asks) return true;
  }
  if (missing.empty()) return false;
  // Drops duplicate errors.
  std::vector<std::string> reported;
  for (std::string& one : missing) {
    if (std::ranges::find(reported, one) == reported.end()) reported.push_back(std::move(one));
  }
  return Fail(
      StatusReason::kNotFound,
      reported.size() == 1 ? reported.front() : fmt::format("[{}]", fmt::join(reported, ", ")));
}

/// Why the node may not have a token for the audiences; empty when it may.
std::string WhyNotAudience(const Call& call,
                           const store::Snapshot& snapshot,
                           const Pod& pod,
                           const api::List<std::string>& audiences) {
  if (audiences.size() > 1) return "node may only request 0 or 1 audiences";
  const std::string audience = audiences.empty() ? std::string() : audiences.front();
  const Result<bool> needed = NeedsAudience(snapshot, pod, audience);
  if (!needed.has_value()) {
    return fmt::format(
        "error validating audience {}: {}", GoQuote(audience), needed.error().message);
  }
  if (*needed) return {};
  const ResourceRequest& request = *call.request;
  const bool is_allowed = call.core->rights
                              ->Decide(request.user,
                                       {.verb = "request-serviceaccounts-token-audience",
                                        .group = std::string(call.kind().group),
                                        .resource = audience,
                                        .name = request.name,
                                        .namespace_ = request.namespace_})
                              .is_allowed;
  if (is_allowed) return {};
  return fmt::format("{} is not authorized to request tokens for audience {}",
                     request.user->name,
                     GoQuote(audience));
}

}  // namespace

Result<> CheckNodeToken(const Call& call,
                        const store::Snapshot& snapshot,
                        std::string_view node,
                        const api::authentication_v1::TokenRequest& token) {
  const auto refuse = [&](std::string_view why) {
    return Fail(errors::Forbidden(call.kind(), call.request->name, why));
  };
  const auto& bound = token.spec.bound_object_ref;
  const bool is_to_pod = bound.has_value() && bound->api_version == "v1" && bound->kind == "Pod" &&
                         !bound->name.empty();
  if (!is_to_pod) return refuse("node requested token not bound to a pod");
  if (bound->uid.empty()) return refuse("node requested token with a pod binding without a uid");
  DRAY_TRY(const api::Object object, Found<Pod>(snapshot, call.request->namespace_, bound->name));
  const Pod& pod = object.As<Pod>();
  if (bound->uid != pod.metadata.uid) {
    return refuse(
        fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    bound->uid));
  }
  if (pod.spec.node_name != node) {
    return refuse("node requested token bound to a pod scheduled on a different node");
  }
  const std::string why = WhyNotAudience(call, snapshot, pod, token.spec.audiences);
  if (why.empty()) return {};
  return refuse(why);
}

}  // namespace dray::server::verbs::admission
