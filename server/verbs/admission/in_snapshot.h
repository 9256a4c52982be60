// SPDX-License-Identifier: Apache-2.0
// The objects of a snapshot and the rights of users, as policies and webhooks look them up.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "server/access/rbac.h"
#include "server/policies/surroundings.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// All other objects, as they are in one snapshot. Core and snapshot outlive it.
class InSnapshot final : public policies::Surroundings {
 public:
  InSnapshot(const Core& core, const store::Snapshot& snapshot)
      : core_(core), snapshot_(snapshot), scheme_(core.scheme.Now()) {}

  const api::Scheme& scheme() const override { return *scheme_; }
  std::optional<api::Object> Find(const api::KindInfo& kind,
                                  std::string_view namespace_name,
                                  std::string_view name) const override;
  void Each(const api::KindInfo& kind,
            std::string_view namespace_name,
            const std::function<bool(const api::Object& object)>& take) const override;
  access::Verdict Decide(const User& user, const access::Attributes& asked) const override;

 private:
  const Core& core_;
  const store::Snapshot& snapshot_;
  const Frozen<api::Scheme> scheme_;
};

}  // namespace dray::server::verbs::admission
