// SPDX-License-Identifier: Apache-2.0
// The service account of new pods, as upstream's admission plug-in ServiceAccount gives it.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/core_v1/service_account.h"
#include "api/object.h"
#include "base/result.h"

namespace dray::server::registry {

inline constexpr std::string_view kDefaultAccount = "default";
/// The ConfigMap that tells pods whom to trust, and the key in it.
inline constexpr std::string_view kRootCertificates = "kube-root-ca.crt";
inline constexpr std::string_view kRootCertificatesKey = "ca.crt";
/// How names of volumes with a token begin.
inline constexpr std::string_view kTokenVolume = "kube-api-access-";

/// Whom the processes of a new pod are.
struct PodAccount {
  api::core_v1::ServiceAccount account;
  std::string volume;  // the name of a volume with the account's token, should there be none yet
};

/// Gives `pod` the account, the secrets of its image pulls, and, unless one of them says no, a
/// volume with its token, which each container mounts that mounts nothing there.
///
/// Errors: kForbidden  the account allows its own secrets only, and the pod names another.
Result<> AdmitAccount(const PodAccount& account, api::Object& pod);

/// Errors: kForbidden  a mirror pod that names an account, a secret, or a token.
Result<> CheckMirror(const api::Object& pod);

}  // namespace dray::server::registry
