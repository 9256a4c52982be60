// SPDX-License-Identifier: Apache-2.0
// The release and gates whose rules a server applies to writes.
#pragma once

#include <memory>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/validation/options.h"
#include "server/registry/profile_expressions.h"
#include "server/registry/served_kinds.h"

namespace dray::server::registry {

/// The rules of one release and its gates. Without a release, the structured kinds follow 1.37 and
/// the classic ones 1.30. Constant; safe from any thread. Copies share the compiled expressions.
class RuleSet {
 public:
  explicit RuleSet(const Emulation& emulation = {});

  /// The options of validation for an object of `kind`, the client's version. `namespace_object`:
  /// the object's namespace, null for cluster-scoped kinds. Valid as long as both arguments and
  /// this.
  api::validation::Options For(const api::KindInfo& kind,
                               const api::Object* namespace_object) const;

  /// The release of the structured kinds.
  api::Release release() const { return structured_.release; }

  /// Whether a gate of the server as a whole is on.
  bool Has(api::Gate gate) const { return structured_.Has(gate); }

 private:
  api::Profile structured_;
  api::Profile classic_;
  std::shared_ptr<const ProfileExpressions> expressions_;
};

}  // namespace dray::server::registry
