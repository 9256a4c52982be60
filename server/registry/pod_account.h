// SPDX-License-Identifier: Apache-2.0
// The service account of new pods, as upstream's admission plugin ServiceAccount sets it.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/core_v1/service_account.h"
#include "api/object.h"
#include "base/result.h"

namespace dray::server::registry {

inline constexpr std::string_view kDefaultAccount = "default";
/// The ConfigMap with the certificates that pods trust, and the key in it.
inline constexpr std::string_view kRootCertificates = "kube-root-ca.crt";
inline constexpr std::string_view kRootCertificatesKey = "ca.crt";
/// The prefix of names of volumes with a token.
inline constexpr std::string_view kTokenVolume = "kube-api-access-";

/// The service account of a new pod.
struct PodAccount {
  api::core_v1::ServiceAccount account;
  std::string volume;  // the name for a volume with the token, if the pod has none yet
};

/// Gives `pod` the account and its image pull secrets. Unless pod or account disable it, adds a
/// volume with the token and mounts it in each container that mounts nothing at that path.
///
/// Errors: kForbidden  the account allows only its own secrets, and the pod names another.
Result<> AdmitAccount(const PodAccount& account, api::Object& pod);

/// Errors: kForbidden  a mirror pod that names an account, a secret, or a token.
Result<> CheckMirror(const api::Object& pod);

}  // namespace dray::server::registry
