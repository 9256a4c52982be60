// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/prepared_claims.h"

#include <algorithm>
#include <string>
#include <utility>

#include "allocator/rules/taints.h"

namespace dray::allocator::search {
namespace {

namespace v1 = api::resource_v1;

void SetBit(std::vector<uint64_t>& words, size_t bit) {
  words[bit / 64] |= uint64_t{1} << (bit % 64);
}

}  // namespace

PreparedClaims::PreparedClaims(Frozen<snapshot::ClusterState> cluster,
                               std::span<const Frozen<v1::ResourceClaim>> claims,
                               Work& work)
    : cluster_(std::move(cluster)), claims_(claims.begin(), claims.end()) {
  const Features& features = cluster_->features();
  // Older releases keep state between branches of a search that were given up, or differ in ways
  // that need not be fast.
  needs_literal_ =
      features.release != api::Release::kNewest && features.release != api::Release::kAny;
  if (needs_literal_) return;
  // Without pools: what is wrong with the claims themselves shows.
  const rules::GatheredPools no_pools;
  const AllocatedState no_state;
  Result<std::vector<rules::ClaimPlan>> plans = rules::PlanClaims(
      {.inventory = cluster_->inventory(),
       .gathered = no_pools,
       .state = no_state,
       .features = features},
      [](const rules::Criteria&, const rules::DeviceEntry&) -> Result<bool> { return false; },
      claims);
  if (!plans) {
    needs_literal_ = true;
    return;
  }
  plans_ = *std::move(plans);
  for (size_t i = 0; i < plans_.size(); ++i) AddClaim(i, work);
}

void PreparedClaims::AddClaim(size_t claim, Work& work) {
  const rules::ClaimPlan& plan = plans_[claim];
  const Features& features = cluster_->features();
  first_constraint_.push_back(constraints_.size());
  for (const v1::DeviceConstraint& constraint : plan.claim->spec.devices.constraints) {
    constraints_.push_back({.claim = claim,
                            .is_match = constraint.match_attribute.has_value(),
                            .form = features.list_type_attributes
                                        ? snapshot::AttributeForm::kSets
                                        : snapshot::AttributeForm::kSingle});
  }
  for (const rules::RequestPlan& request : plan.requests) {
    requests_.push_back({.claim = claim,
                         .first_variant = variants_.size(),
                         .last_variant = variants_.size() + request.variants.size(),
                         .prioritized = request.is_prioritized});
    for (const rules::Variant& variant : request.variants) AddVariant(variant, claim, work);
  }
}

void PreparedClaims::AddVariant(const rules::Variant& plan, size_t claim, Work& work) {
  PreparedVariant variant{.plan = &plan, .claim = claim, .request = requests_.size() - 1};
  if (plan.criteria.device_class == nullptr) {
    needs_literal_ = true;
    return;
  }
  variant.row = cluster_->shapes().Row(
      plan.criteria.device_class->spec.selectors, plan.criteria.selectors, work);
  if (cluster_->features().consumable_capacity)
    variant.amounts = cluster_->shapes().Amounts(plan.capacity, work);
  variant.covering = CoveringOf(plan, claim, work);
  any_all_ = any_all_ || variant.wants_all();
  any_admin_ = any_admin_ || variant.admin();
  variants_.push_back(std::move(variant));
}

std::vector<PreparedVariant::Covering> PreparedClaims::CoveringOf(const rules::Variant& plan,
                                                                  size_t claim,
                                                                  Work& work) {
  std::vector<PreparedVariant::Covering> covering;
  const std::vector<rules::Constraint>& constraints = plans_[claim].constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    work.Charge(WorkOfItems(4 * plan.derived_attributes.size()));
    if (!constraints[i].Covers(plan.name)) continue;
    const size_t index = first_constraint_[claim] + i;
    const std::string& name = constraints[i].attribute_name();
    const v1::DeviceDerivedAttribute* derived = nullptr;
    for (const v1::DeviceDerivedAttribute& candidate : plan.derived_attributes) {
      if (candidate.name == name) derived = &candidate;  // of several the last counts
    }
    const snapshot::AttributeForm form = constraints_[index].form;
    covering.push_back({.constraint = index,
                        .column = derived == nullptr ? cluster_->shapes().Column(name, form, work)
                                                     : cluster_->shapes().DerivedColumn(
                                                           derived->expression, form, work)});
  }
  return covering;
}

const ContentRows& PreparedClaims::RowsOf(const snapshot::SliceContent& content, Work& work) const {
  {
    const MutexLock lock(mutex_);
    if (content.id < rows_.size() && rows_[content.id] != nullptr) return *rows_[content.id];
  }
  std::unique_ptr<ContentRows> made = MakeRows(content, work);
  const MutexLock lock(mutex_);
  if (content.id >= rows_.size()) rows_.resize(std::max<size_t>(content.id + 1, 2 * rows_.size()));
  std::unique_ptr<ContentRows>& rows = rows_[content.id];
  if (rows == nullptr) rows = std::move(made);
  return *rows;
}

std::unique_ptr<ContentRows> PreparedClaims::MakeRows(const snapshot::SliceContent& content,
                                                      Work& work) const {
  auto rows = std::make_unique<ContentRows>();
  rows->words = content.words();
  rows->usable.resize(rows->words * variants_.size());
  if (any_all_) rows->listed.resize(rows->words * variants_.size());
  const Features& features = cluster_->features();
  for (size_t i = 0; i < content.shapes.size(); ++i) {
    const snapshot::ShapeId id = content.shapes[i];
    for (const PreparedVariant& variant : variants_) {
      work.Charge(WorkOfItems(4 + variant.covering.size() + 2 * variant.plan->tolerations.size()));
    }
    const snapshot::Shape& shape = cluster_->shapes()[id];
    if (shape.Has(snapshot::Shape::kShareable) && features.consumable_capacity) {
      if (!rows->any_shareable) {
        rows->shareable.resize(rows->words);
        rows->amounts.resize(content.shapes.size() * variants_.size());
      }
      rows->any_shareable = true;
      SetBit(rows->shareable, i);
    }
    if (shape.Has(snapshot::Shape::kDrawsCounters)) {
      if (!rows->any_draws) rows->draws.resize(rows->words);
      rows->any_draws = true;
      SetBit(rows->draws, i);
    }
    for (size_t v = 0; v < variants_.size(); ++v) Judge(v, i, shape, id, *rows);
  }
  return rows;
}

/// One device for one variant.
void PreparedClaims::Judge(size_t v,
                           size_t device,
                           const snapshot::Shape& shape,
                           snapshot::ShapeId id,
                           ContentRows& rows) const {
  const PreparedVariant& variant = variants_[v];
  const Features& features = cluster_->features();
  if (shape.Has(snapshot::Shape::kHasBindingConditions) && !features.device_binding_and_status)
    return;
  const snapshot::Match match = variant.row->cells[id];
  if (match == snapshot::Match::kNo) return;
  if (match == snapshot::Match::kError) {
    rows.needs_literal = true;
    return;
  }
  if (variant.amounts != nullptr) {
    const snapshot::Match fits = variant.amounts->fits[id];
    if (fits == snapshot::Match::kError) rows.needs_literal = true;
    if (fits != snapshot::Match::kYes) return;
    if (shape.Has(snapshot::Shape::kShareable))
      rows.amounts[device * variants_.size() + v] = &variant.amounts->amounts[id];
  }
  const size_t bit = v * rows.words * 64 + device;
  if (any_all_) SetBit(rows.listed, bit);
  if (shape.Has(snapshot::Shape::kTainted) &&
      rules::TaintInTheWay(*shape.device, variant.plan->tolerations, features) != nullptr) {
    return;
  }
  if (shape.Has(snapshot::Shape::kDrawsCounters) && !features.partitionable_devices) return;
  for (const PreparedVariant::Covering& covering : variant.covering) {
    const uint32_t set = covering.column->set_of[id];
    // A constraint that refuses one of all devices is an error, where the search gets there.
    if (set == snapshot::AttributeColumn::kAbsent && !variant.wants_all()) return;
    if (set == snapshot::AttributeColumn::kUnusable || set == snapshot::AttributeColumn::kError)
      rows.needs_literal = true;
  }
  SetBit(rows.usable, bit);
}

}  // namespace dray::allocator::search
