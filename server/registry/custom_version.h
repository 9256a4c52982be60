// SPDX-License-Identifier: Apache-2.0
// What the server knows of one version of a custom kind beyond its KindInfo.
#pragma once

#include <string>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/custom_kind.h"
#include "api/managed_fields/schema_shape.h"
#include "base/frozen.h"
#include "custom/rules/rules.h"
#include "custom/schema/schema.h"

namespace dray::server::registry {

/// Immutable. Made once for each content of a version, however often its definition is written.
class SchemaVersion final : public api::CustomVersion {
 public:
  /// `said` is of a definition that was found valid. O(size of the schema).
  explicit SchemaVersion(api::apiextensions_v1::CustomResourceDefinitionVersion said);

  void Prune(api::CustomObject& object, std::vector<std::string>* unknown) const override;
  Result<> SetDefaults(api::CustomObject& object) const override;
  const api::managed_fields::SchemaShape& shape() const override { return shape_; }
  const custom::schema::Schema& schema() const { return *schema_; }
  /// Its x-kubernetes-validations; null: it has none.
  const custom::rules::RuleSet* rules() const { return rules_.get(); }

  /// As the definition has it.
  const api::apiextensions_v1::CustomResourceDefinitionVersion& said() const { return said_; }

 private:
  const api::apiextensions_v1::CustomResourceDefinitionVersion said_;
  const api::managed_fields::SchemaShape shape_;
  const Frozen<custom::schema::Schema> schema_;
  const Frozen<custom::rules::RuleSet> rules_;
};

/// The rules of a version of a custom kind now; null for all other kinds.
Frozen<SchemaVersion> RulesOf(const api::KindInfo& kind);

}  // namespace dray::server::registry
