// SPDX-License-Identifier: Apache-2.0
// What the server knows of one version of a custom kind beyond its KindInfo.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/custom_kind.h"
#include "api/managed_fields/schema_shape.h"
#include "base/frozen.h"
#include "base/lazy.h"
#include "base/result.h"
#include "custom/rules/rules.h"
#include "custom/schema/schema.h"

namespace dray::server::registry {

/// Immutable. Made once for each content of a version, however often its definition is written.
/// Most definitions of a cluster are idle, so the schema is kept as a message, which takes a tenth
/// of the memory of its struct, and is compiled when its first object is read or written.
class SchemaVersion final : public api::CustomVersion {
 public:
  using Version = api::apiextensions_v1::CustomResourceDefinitionVersion;
  using Schema = api::apiextensions_v1::JSONSchemaProps;

  /// `said` is of a definition that was found valid, and so is `schema`, as DefinitionOutline has
  /// it; one that cannot be read counts as none. O(size of the schema).
  SchemaVersion(Version said, std::string schema);

  void Prune(api::CustomObject& object, std::vector<std::string>* unknown) const override;
  Result<> SetDefaults(api::CustomObject& object) const override;
  const api::managed_fields::SchemaShape& shape() const override { return compiled().shape; }
  const custom::schema::Schema& schema() const { return *compiled().schema; }
  /// Its x-kubernetes-validations; null: it has none.
  const custom::rules::RuleSet* rules() const { return compiled().rules.get(); }

  /// Whether the definition says the same in `other`, with `schema`. O(size of the schema).
  bool IsOf(const Version& other, std::string_view schema) const;
  /// As the definition has it, but for the schema.
  const Version& said() const { return said_; }
  /// The schema that the definition has, if any. O(size).
  std::optional<Schema> DecodeSchema() const;

 private:
  struct Compiled {
    explicit Compiled(const Schema* schema);

    api::managed_fields::SchemaShape shape;
    Frozen<custom::schema::Schema> schema;
    Frozen<custom::rules::RuleSet> rules;
  };
  const Compiled& compiled() const;

  Version said_;
  std::string schema_;
  Lazy<std::unique_ptr<const Compiled>> compiled_;
};

/// The rules of a version of a custom kind now; null for all other kinds.
Frozen<SchemaVersion> RulesOf(const api::KindInfo& kind);

}  // namespace dray::server::registry
