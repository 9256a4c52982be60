// SPDX-License-Identifier: Apache-2.0
// What the server decides about objects of custom kinds.
#include <algorithm>
#include <cstdint>
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
#include "server/registry/scale_rules.h"

namespace dray::server::registry {
namespace {

using api::Tree;
using Causes = std::vector<ErrorCause>;

// How much of the metadata a tree has.
enum class Metadata : uint8_t { kNames, kWhole };

// The parts of the metadata that schemas may say something about.
Tree NamesIn(const api::meta_v1::ObjectMeta& metadata) {
  Tree names = Tree::Object();
  if (!metadata.name.empty()) names.Set("name", Tree(metadata.name));
  if (!metadata.generate_name.empty()) names.Set("generateName", Tree(metadata.generate_name));
  return names;
}

// The object as its schema sees it: with what stands beside the content. O(members).
Tree WholeTree(const api::Object& object, Metadata metadata) {
  Tree whole = object.As<api::CustomObject>().content;
  std::vector<Tree::Member> frame;
  frame.emplace_back("apiVersion", Tree(object.kind().api_version));
  frame.emplace_back("kind", Tree(object.kind().kind));
  frame.emplace_back("metadata",
                     metadata == Metadata::kNames
                         ? NamesIn(object.metadata())
                         : custom::schema::WriteMetadata(object.metadata()));
  whole.Insert(frame);
  return whole;
}

void AddCauses(Causes more, Causes& causes) {
  std::ranges::move(more, std::back_inserter(causes));
}

// What is wrong with an object, and what an update is forgiven.
struct Findings {
  Causes causes;
  std::vector<std::string> forgiven;
};

// Runs the rules of the definition, or adds why they cannot run.
void CheckRules(const SchemaVersion& version,
                const Tree& now,
                const Tree* then,
                Findings& findings) {
  if (version.rules() == nullptr) return;
  if (std::optional<ErrorCause> why_not = custom::rules::WhyRulesDoNotRun(findings.causes)) {
    findings.causes.push_back(*std::move(why_not));
    return;
  }
  custom::rules::Budget budget;
  custom::rules::RuleOutcome outcome = custom::rules::RunRules(*version.rules(), now, then, budget);
  AddCauses(std::move(outcome.causes), findings.causes);
  findings.forgiven = std::move(outcome.warnings);
}

// Schema, embedded objects, scale, lists, rules, in upstream's order; `validate` checks the part
// that the write is for.
template <class Validate>
Findings CheckWith(Metadata metadata,
                   const SchemaVersion& version,
                   const api::Object& object,
                   const api::Object* old,
                   Validate validate) {
  const Tree now = WholeTree(object, metadata);
  Tree before;
  if (old != nullptr) before = WholeTree(*old, metadata);
  const Tree* const then = old == nullptr ? nullptr : &before;
  Findings findings{.causes = validate(now, then, version), .forgiven = {}};
  AddCauses(custom::schema::CheckLists(now, then, version.schema()), findings.causes);
  CheckRules(version, now, then, findings);
  return findings;
}

// Whether rules or an embedded resource at the root may look at all of the metadata.
bool SeesMetadata(const SchemaVersion& version) {
  const bool has_root_rules = version.rules() != nullptr && !version.rules()->root->rules.empty();
  return has_root_rules || version.schema().root().is_embedded_resource;
}

// Making a tree of all metadata costs more than checking most objects. What is found without it is
// looked for again with it, because an update is forgiven what it leaves as it was.
template <class Validate>
Findings Check(const api::Object& object, const api::Object* old, Validate validate) {
  const Frozen<SchemaVersion> version = RulesOf(object.kind());
  if (version == nullptr) return {};
  if (!SeesMetadata(*version)) {
    Findings findings = CheckWith(Metadata::kNames, *version, object, old, validate);
    if (findings.causes.empty() && findings.forgiven.empty()) return findings;
  }
  return CheckWith(Metadata::kWhole, *version, object, old, validate);
}

// Values, the resources in them, and what the subresource scale shows.
Causes ValidateWhole(const Tree& now, const Tree* then, const SchemaVersion& version) {
  const custom::schema::Schema& schema = version.schema();
  Causes causes = custom::schema::Validate(now, then, schema);
  AddCauses(CheckScaleSpec(now, version.said()), causes);
  AddCauses(CheckScaleStatus(now, version.said()), causes);
  AddCauses(custom::schema::CheckEmbedded(now, schema.root(), {}, CheckEmbeddedMetadata), causes);
  return causes;
}

Causes ValidateNew(const api::Object& object,
                   const api::Object* /*old*/,
                   const api::validation::Options& /*options*/) {
  return Check(object, nullptr, ValidateWhole).causes;
}

// Adds `findings` to `causes`, and to `forgiven` what they forgive.
Causes Reported(Findings findings, Causes causes, std::vector<std::string>& forgiven) {
  AddCauses(std::move(findings.causes), causes);
  std::ranges::move(findings.forgiven, std::back_inserter(forgiven));
  return causes;
}

// Upstream looks at the metadata of a changed object as at that of a new one, too, and says what it
// finds again.
Causes ValidateChange(const api::Object& object,
                      const api::Object& old,
                      const api::validation::Options& options,
                      std::vector<std::string>& forgiven) {
  const api::meta_v1::ObjectMeta& meta = object.metadata();
  Causes causes = CheckChangedMetadata(
      object.kind(), meta, old.metadata(), options.profile, ChangedPart::kMain);
  AddCauses(CheckNewMetadata(object.kind(), meta, options.profile), causes);
  return Reported(Check(object, &old, ValidateWhole), std::move(causes), forgiven);
}

std::vector<std::string> WarningsAbout(const api::Object& object,
                                       const api::Object* old,
                                       const api::Profile& /*profile*/) {
  std::vector<std::string> warnings;
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
                        const api::Object& old,
                        const api::validation::Options& /*options*/,
                        std::vector<std::string>& forgiven) {
  const auto validate = [](const Tree& now, const Tree* then, const SchemaVersion& version) {
    Causes causes = custom::schema::ValidateStatus(now, then, version.schema());
    AddCauses(CheckScaleStatus(now, version.said()), causes);
    return causes;
  };
  return Reported(Check(object, &old, validate), {}, forgiven);
}

constexpr Strategy kCustom = {.type = &api::TypeOf<api::CustomObject>,
                              .any_finalizers = true,
                              .validate_create = ValidateNew,
                              .forgiving_update = ValidateChange,
                              .forgiving_status = ValidateStatusOf,
                              .warnings = WarningsAbout};

constexpr Strategy kCustomStrategies[] = {kCustom};

}  // namespace

std::span<const Strategy> CustomStrategies() {
  return kCustomStrategies;
}

}  // namespace dray::server::registry
