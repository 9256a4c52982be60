// SPDX-License-Identifier: Apache-2.0
// Rules for ResourceClaims and ResourceClaimTemplates (KEP-4381 and those built on it). Rules for
// ObjectMeta are elsewhere.
//
// Causes are in the order of upstream's answers as of 1.37. Cost is linear in the object, apart
// from the expressions and from references to requests (at most 32 × 32 × 32).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/claim_template.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {

inline constexpr size_t kRequestsMax = 32;
inline constexpr size_t kFirstAvailableMax = 8;
inline constexpr size_t kConstraintsMax = 32;
inline constexpr size_t kDerivedAttributesMax = 32;
inline constexpr size_t kResultsMax = 32;
inline constexpr size_t kAllocationConfigsMax = 64;
inline constexpr size_t kReservedForMax = 256;
inline constexpr size_t kReservedForMaxBefore32 = 32;
inline constexpr size_t kDeviceConditionsMax = 8;
inline constexpr size_t kDeviceDataBytesMax = 10240;
inline constexpr size_t kInterfaceNameMax = 256;
inline constexpr size_t kHardwareAddressMax = 128;
inline constexpr size_t kAddressesMax = 16;

/// Label of namespaces whose claims may have admin access; its value is "true".
inline constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";
/// 1.33 had another name for it.
constexpr std::string_view AdminAccessLabelOf(Release release) {
  return release == Release::k1_33 ? "resource.k8s.io/admin-access" : kAdminAccessLabel;
}

std::vector<ErrorCause> ValidateClaim(const resource_v1::ResourceClaim& claim,
                                      const Options& options);
std::vector<ErrorCause> ValidateClaimUpdate(const resource_v1::ResourceClaim& claim,
                                            const resource_v1::ResourceClaim& old,
                                            const Options& options);
/// `claim` has everything but the status from `old`, and no reports about devices that were
/// deallocated.
std::vector<ErrorCause> ValidateClaimStatusUpdate(const resource_v1::ResourceClaim& claim,
                                                  const resource_v1::ResourceClaim& old,
                                                  const Options& options);

std::vector<ErrorCause> ValidateClaimTemplate(
    const resource_v1::ResourceClaimTemplate& claim_template, const Options& options);
std::vector<ErrorCause> ValidateClaimTemplateUpdate(
    const resource_v1::ResourceClaimTemplate& changed,
    const resource_v1::ResourceClaimTemplate& old,
    const Options& options);

// ------------------------------------------------------------------- shared by the rules of claims

/// The names a claim's constraints, configuration and results can refer to.
class RequestNames {
 public:
  explicit RequestNames(const std::vector<resource_v1::DeviceRequest>& requests)
      : requests_(&requests) {}
  /// "request" or "request/subrequest".
  bool Has(std::string_view reference) const;

 private:
  const std::vector<resource_v1::DeviceRequest>* requests_;
};

/// Checks a reference to a request.
void CheckRequestReference(std::string_view reference,
                           const RequestNames& names,
                           const Path& path,
                           FieldErrors& errors);
/// A list of references, each once.
void CheckRequestReferences(const List<std::string>& references,
                            const RequestNames& names,
                            const Path& path,
                            Findings& out);
/// The rules of a spec.
void CheckClaimSpec(const resource_v1::ResourceClaimSpec& spec,
                    Origin origin,
                    const ExpressionChecker* checker,
                    const Path& path,
                    Findings& out);
/// Claims get labels and annotations from their template; other metadata is not allowed.
void CheckTemplateMetadata(const meta_v1::ObjectMeta& meta, const Path& path, FieldErrors& errors);
/// Requests for admin access need a namespace that grants it; `path` is that of the requests.
void CheckAdminAccess(const resource_v1::ResourceClaimSpec& spec,
                      std::string_view namespace_,
                      const Options& options,
                      FieldErrors& errors);
/// Checks one request or result at `path` that has admin access.
void CheckAdminNamespace(std::string_view namespace_,
                         const Options& options,
                         const Path& path,
                         FieldErrors& errors);

}  // namespace dray::api::validation::inline devices
