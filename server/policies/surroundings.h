// SPDX-License-Identifier: Apache-2.0
// The objects and rights that policies and webhooks read besides the write itself.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::policies {

/// Other inputs at the time of the write.
class Surroundings {
 public:
  virtual const api::Scheme& scheme() const = 0;
  /// The object of that name, if it is there; without a namespace for cluster-scoped kinds.
  virtual std::optional<api::Object> Find(const api::KindInfo& kind,
                                          std::string_view namespace_name,
                                          std::string_view name) const = 0;
  /// Passes each object of the kind to `take`, until that returns false.
  virtual void Each(const api::KindInfo& kind,
                    std::string_view namespace_name,
                    const std::function<bool(const api::Object& object)>& take) const = 0;
  virtual access::Verdict Decide(const access::User& user,
                                 const access::Attributes& asked) const = 0;

 protected:
  ~Surroundings() = default;
};

}  // namespace dray::server::policies
