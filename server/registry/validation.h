// SPDX-License-Identifier: Apache-2.0
// What the verbs know about a kind beyond its table: defaults, validation and warnings, as
// functions handed in by whoever builds the server. Metadata rules are the server's own and run
// before them (server/registry/metadata_rules.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::server::registry {

/// What a rule may look at besides the object.
struct RuleContext {
  WallTime now;
  /// Whose shapes the client speaks: defaults differ.
  api::Release release = api::Release::kAny;
  /// The kind in the client's version: a few paths of errors are those of the version.
  const api::KindInfo* version = nullptr;
  /// The Namespace object an object lies in; null for cluster-scoped kinds.
  const api::Object* namespace_object = nullptr;
};

/// All are optional. Functions are called from any thread; the causes they return stand in the
/// order of upstream's answers.
struct KindRules {
  /// The release and the gates the rules are of; those of the metadata are the server's own.
  api::Profile profile = {};

  /// Fills in what clients may leave out. Also runs on the outcome of a patch.
  std::function<void(api::Object& object, const RuleContext& context)> set_defaults;

  /// Takes out of an object that is complete otherwise what features that are switched off would
  /// need. `old` is what is stored, null for new objects.
  std::function<void(api::Object& object, const api::Object* old)> drop_disabled;

  /// What admission adds after the defaults, to new objects and to those that an update changes.
  std::function<void(api::Object& object)> admit;

  std::function<std::vector<Cause>(const api::Object& object, const RuleContext& context)>
      validate_create;
  /// `old` is what is stored; `object` has its status already.
  std::function<std::vector<Cause>(
      const api::Object& object, const api::Object& old, const RuleContext& context)>
      validate_update;
  /// `object` has everything but the status from `old`.
  std::function<std::vector<Cause>(
      const api::Object& object, const api::Object& old, const RuleContext& context)>
      validate_status_update;

  /// Texts of Warning headers, on create and update. `old` is null on create.
  std::function<std::vector<std::string>(const api::Object& object, const api::Object* old)>
      warnings;
};

/// The rules of all kinds, by version: defaults are those of the version a client speaks,
/// everything else is judged in the version that is stored. Filled before the server starts,
/// constant afterwards.
class RuleBook {
 public:
  void Add(const api::KindInfo& kind, KindRules rules) {
    entries_.push_back({.kind = &kind, .rules = std::move(rules)});
  }

  /// The rules of `kind`: those added last; empty ones when there are none.
  const KindRules& Of(const api::KindInfo& kind) const;

 private:
  struct Entry {
    const api::KindInfo* kind;
    KindRules rules;
  };
  std::vector<Entry> entries_;
};

}  // namespace dray::server::registry
