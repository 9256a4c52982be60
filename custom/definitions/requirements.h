// SPDX-License-Identifier: Apache-2.0
// Which rules a definition must keep. A stored definition that breaks a rule which upstream added
// later may go on to break it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/object_meta.h"
#include "base/result.h"
#include "custom/rules/rule_checks.h"
#include "custom/rules/rule_compiler.h"

namespace dray::custom::definitions {

/// What the layers above know and these rules need.
struct Environment {
  /// Whether TLS clients can trust the certificates in this PEM text; the error says why not. Null:
  /// every text passes.
  Result<> (*check_ca_bundle)(std::string_view pem) = nullptr;
  /// What is wrong with the metadata of an embedded resource, below "metadata". Null: nothing.
  std::vector<ErrorCause> (*check_metadata)(const api::meta_v1::ObjectMeta& metadata) = nullptr;
  /// The language of x-kubernetes-validations.
  rules::RuleLanguage language = {};
};

/// The names of versions.
using VersionNames = std::set<std::string, std::less<>>;

struct Requirements {
  bool known_review_version = true;
  bool immutable_names = false;  // what decides where objects are stored
  bool schema_in_every_version = true;
  bool known_types = true;
  bool structural_schemas = true;
  bool pruned_defaults = true;
  bool atomic_items_in_sets = true;
  bool good_keys_of_lists = true;
  bool good_ca_bundle = false;
  /// Versions whose schema was stored before: their rules may cost more than today's limit.
  VersionNames unchanged_schemas = {};
  /// Versions that may have more selectable fields than today's limit; "" for all of them.
  VersionNames many_selectable_fields = {};
  /// Expressions that are stored keep what a release takes away.
  rules::StoredExpressions stored_expressions = {};
  Environment environment = {};
};

}  // namespace dray::custom::definitions
