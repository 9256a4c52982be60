// SPDX-License-Identifier: Apache-2.0
// The kinds that a server serves: those of the release it plays, without those that feature gates
// and --runtime-config turn off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/release.h"
#include "base/result.h"

namespace dray::server::registry {

/// Whether alpha and beta versions are served that --runtime-config does not name.
enum class Previews : uint8_t {
  kAll,
  kAsUpstream,  // of resource.k8s.io all, of other groups those that kube-apiserver has on by
                // default
};

/// The release that a server plays, and its settings.
struct Emulation {
  /// kAny: all versions of all releases, with the newest rules of each generation.
  api::Release release = api::Release::kAny;
  api::FeatureGates gates = api::FeatureGates::AllOf(api::Release::kNewest);
  /// kube-apiserver's --runtime-config: "resource.k8s.io/v1beta1=false,api/alpha=false".
  std::string runtime_config = {};
  Previews previews = Previews::kAll;
};

/// The kinds of `scheme` that such a server knows. Kinds that are never served (Status, options)
/// stay. Keys of runtime_config, weakest first: api/all, api/ga, api/beta, api/alpha,
/// GROUP/VERSION, GROUP/VERSION/RESOURCE; "v1" is the core group.
///
/// Errors: kInvalid  a key that names nothing in the release, a value that is not a boolean, or the
Result<std::vector<const api::KindInfo*>> ServedKinds(const api::Scheme& scheme,
                                                      const Emulation& emulation);

/// Whether objects of `kind` have the subresource `name` in `release`.
bool HasSubresource(const api::KindInfo& kind, std::string_view name, api::Release release);

/// "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+", or empty
/// when `kind` is not deprecated in `release`.
std::string DeprecationWarning(const api::KindInfo& kind, api::Release release);

}  // namespace dray::server::registry
