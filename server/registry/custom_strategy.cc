// SPDX-License-Identifier: Apache-2.0
// What the server decides about objects of custom kinds.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/custom_kind.h"
#include "api/text/go_quote.h"
#include "custom/rules/rules.h"
#include "custom/schema/list_rules.h"
#include "custom/schema/metadata.h"
#include "custom/schema/validate.h"
#include "server/registry/custom_version.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/more_strategies.h"

namespace dray::server::registry {
namespace {

using api::Tree;
using Causes = std::vector<ErrorCause>;

// The object as its schema sees it: with what stands beside the content. O(members).
Tree WholeTree(const api::Object& object) {
  Tree whole = object.As<api::CustomObject>().content;
  std::vector<Tree::Member> frame;
  frame.emplace_back("apiVersion", Tree(object.kind().api_version));
  frame.emplace_back("kind", Tree(object.kind().kind));
  frame.emplace_back("metadata", custom::schema::WriteMetadata(object.metadata()));
  whole.Insert(frame);
  return whole;
}

void AddCauses(Causes more, Causes& causes) {
  std::ranges::move(more, std::back_inserter(causes));
}

// Runs the rules of the definition, or adds why they cannot run.
void CheckRules(const SchemaVersion& version, const Tree& now, const Tree* then, Causes& causes) {
  if (version.rules() == nullptr) return;
  if (std::optional<ErrorCause> why_not = custom::rules::WhyRulesDoNotRun(causes)) {
    causes.push_back(*std::move(why_not));
    return;
  }
  custom::rules::Budget budget;
  AddCauses(custom::rules::RunRules(*version.rules(), now, then, budget).causes, causes);
}

// Schema, embedded objects, lists, rules, in upstream's order; `validate` checks the part that the
// write is for.
template <class Validate>
Causes Check(const api::Object& object, const api::Object* old, Validate validate) {
  const Frozen<SchemaVersion> version = RulesOf(object.kind());
  if (version == nullptr) return {};
  const custom::schema::Schema& schema = version->schema();
  const Tree now = WholeTree(object);
  Tree before;
  if (old != nullptr) before = WholeTree(*old);
  const Tree* const then = old == nullptr ? nullptr : &before;
  Causes causes = validate(now, then, schema);
  AddCauses(custom::schema::CheckLists(now, then, schema), causes);
  CheckRules(*version, now, then, causes);
  return causes;
}

// Values and the resources in them.
Causes ValidateWhole(const Tree& now, const Tree* then, const custom::schema::Schema& schema) {
  Causes causes = custom::schema::Validate(now, then, schema);
  AddCauses(custom::schema::CheckEmbedded(now, schema.root(), {}, CheckEmbeddedMetadata), causes);
  return causes;
}

Causes ValidateNew(const api::Object& object,
                   const api::Object* /*old*/,
                   const api::validation::Options& /*options*/) {
  return Check(object, nullptr, [](const Tree& now, const Tree* old, const auto& schema) {
    return ValidateWhole(now, old, schema);
  });
}

// Upstream looks at the metadata of a changed object as at that of a new one, too, and says what it
// finds again.
Causes ValidateChange(const api::Object& object,
                      const api::Object* old,
                      const api::validation::Options& options) {
  const api::meta_v1::ObjectMeta& meta = object.metadata();
  Causes causes = CheckChangedMetadata(
      object.kind(), meta, old->metadata(), options.profile, ChangedPart::kMain);
  AddCauses(CheckNewMetadata(object.kind(), meta, options.profile), causes);
  AddCauses(Check(object,
                  old,
                  [](const Tree& now, const Tree* then, const auto& schema) {
                    return ValidateWhole(now, then, schema);
                  }),
            causes);
  return causes;
}

// Failures of rules that an update is forgiven because the value is as it was.
std::vector<std::string> ForgivenFailures(const api::Object& object, const api::Object& old) {
  const Frozen<SchemaVersion> version = RulesOf(object.kind());
  if (version == nullptr || version->rules() == nullptr) return {};
  const Tree before = WholeTree(old);
  custom::rules::Budget budget;
  return custom::rules::RunRules(*version->rules(), WholeTree(object), &before, budget).warnings;
}

std::vector<std::string> WarningsAbout(const api::Object& object,
                                       const api::Object* old,
                                       const api::Profile& /*profile*/) {
  std::vector<std::string> warnings;
  if (old != nullptr) warnings = ForgivenFailures(object, *old);
  for (const std::string& finalizer : object.metadata().finalizers) {
    const bool is_old =
        old != nullptr && std::ranges::count(old->metadata().finalizers, finalizer) > 0;
    const bool is_known = finalizer == "orphan" || finalizer == "foregroundDeletion";
    if (is_old || is_known || finalizer.contains('/')) continue;
    warnings.push_back(
        fmt::format("metadata.finalizers: {}: prefer a domain-qualified finalizer name to avoid "
                    "accidental conflicts with other finalizer writers",
                    api::GoQuote(finalizer)));
  }
  return warnings;
}

Causes ValidateStatusOf(const api::Object& object,
                        const api::Object* old,
                        const api::validation::Options& /*options*/) {
  return Check(object, old, [](const Tree& now, const Tree* then, const auto& schema) {
    return custom::schema::ValidateStatus(now, then, schema);
  });
}

constexpr Strategy kCustom = {.type = &api::TypeOf<api::CustomObject>,
                              .any_finalizers = true,
                              .validate_create = ValidateNew,
                              .validate_update = ValidateChange,
                              .validate_status = ValidateStatusOf,
                              .warnings = WarningsAbout};

constexpr Strategy kCustomStrategies[] = {kCustom};

}  // namespace

std::span<const Strategy> CustomStrategies() {
  return kCustomStrategies;
}

}  // namespace dray::server::registry
