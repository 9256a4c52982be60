// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/prepared.h"

#include <algorithm>
#include <string>
#include <utility>

#include "allocator/rules/taints.h"

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;

void SetBit(std::vector<uint64_t>& words, size_t bit) {
  words[bit / 64] |= uint64_t{1} << (bit % 64);
}

}  // namespace

Prepared::Prepared(Snapshot snapshot, std::span<const Frozen<v1::ResourceClaim>> claims)
    : snapshot_(std::move(snapshot)), claims_(claims.begin(), claims.end()) {
  const Features& features = snapshot_.features();
  // Older releases keep state between branches of a search that were given up, or differ in ways
  // that nobody needs to be fast.
  needs_literal_ =
      features.release != api::Release::kNewest && features.release != api::Release::kAny;
  if (needs_literal_) return;
  // Without pools: what is wrong with the claims themselves shows.
  const GatheredPools no_pools;
  const AllocatedState no_state;
  Result<std::vector<ClaimPlan>> plans = PlanClaims(
      {.inventory = snapshot_.inventory(),
       .gathered = no_pools,
       .state = no_state,
       .features = features},
      [](const Criteria&, const DeviceEntry&) -> Result<bool> { return false; },
      claims);
  if (!plans) {
    needs_literal_ = true;
    return;
  }
  plans_ = *std::move(plans);
  for (size_t i = 0; i < plans_.size(); ++i) AddClaim(i);
}

void Prepared::AddClaim(size_t claim) {
  const ClaimPlan& plan = plans_[claim];
  const Features& features = snapshot_.features();
  first_constraint_.push_back(constraints_.size());
  for (const v1::DeviceConstraint& constraint : plan.claim->spec.devices.constraints) {
    constraints_.push_back(
        {.claim = claim,
         .is_match = constraint.match_attribute.has_value(),
         .form = features.list_type_attributes ? AttributeForm::kSets : AttributeForm::kSingle});
  }
  for (const RequestPlan& request : plan.requests) {
    requests_.push_back({.claim = claim,
                         .first_variant = variants_.size(),
                         .last_variant = variants_.size() + request.variants.size(),
                         .prioritized = request.is_prioritized});
    for (const Variant& variant : request.variants) AddVariant(variant, claim);
  }
}

void Prepared::AddVariant(const Variant& plan, size_t claim) {
  PreparedVariant variant{.plan = &plan, .claim = claim, .request = requests_.size() - 1};
  if (plan.criteria.device_class == nullptr) {
    needs_literal_ = true;
    return;
  }
  variant.row =
      snapshot_.shapes().Row(plan.criteria.device_class->spec.selectors, plan.criteria.selectors);
  if (snapshot_.features().consumable_capacity)
    variant.amounts = snapshot_.shapes().Amounts(plan.capacity);
  variant.covering = CoveringOf(plan, claim);
  any_all_ = any_all_ || variant.wants_all();
  any_admin_ = any_admin_ || variant.admin();
  variants_.push_back(std::move(variant));
}

std::vector<PreparedVariant::Covering> Prepared::CoveringOf(const Variant& plan, size_t claim) {
  std::vector<PreparedVariant::Covering> covering;
  const std::vector<Constraint>& constraints = plans_[claim].constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].Covers(plan.name)) continue;
    const size_t index = first_constraint_[claim] + i;
    const std::string& name = constraints[i].attribute_name();
    const v1::DeviceDerivedAttribute* derived = nullptr;
    for (const v1::DeviceDerivedAttribute& candidate : plan.derived_attributes) {
      if (candidate.name == name) derived = &candidate;  // of several the last counts
    }
    const AttributeForm form = constraints_[index].form;
    covering.push_back({.constraint = index,
                        .column = derived == nullptr ? snapshot_.shapes().Column(name, form)
                                                     : snapshot_.shapes().DerivedColumn(
                                                           derived->expression, form)});
  }
  return covering;
}

const ContentRows& Prepared::RowsOf(const SliceContent& content) const {
  {
    const MutexLock lock(mutex_);
    if (content.id < rows_.size() && rows_[content.id] != nullptr) return *rows_[content.id];
  }
  std::unique_ptr<ContentRows> made = MakeRows(content);
  const MutexLock lock(mutex_);
  if (content.id >= rows_.size()) rows_.resize(std::max<size_t>(content.id + 1, 2 * rows_.size()));
  std::unique_ptr<ContentRows>& rows = rows_[content.id];
  if (rows == nullptr) rows = std::move(made);
  return *rows;
}

std::unique_ptr<ContentRows> Prepared::MakeRows(const SliceContent& content) const {
  auto rows = std::make_unique<ContentRows>();
  rows->words = content.words();
  rows->usable.resize(rows->words * variants_.size());
  if (any_all_) rows->listed.resize(rows->words * variants_.size());
  const Features& features = snapshot_.features();
  for (size_t i = 0; i < content.shapes.size(); ++i) {
    const ShapeId id = content.shapes[i];
    const Shape& shape = snapshot_.shapes()[id];
    if (shape.Has(Shape::kShareable) && features.consumable_capacity) {
      if (!rows->any_shareable) {
        rows->shareable.resize(rows->words);
        rows->amounts.resize(content.shapes.size() * variants_.size());
      }
      rows->any_shareable = true;
      SetBit(rows->shareable, i);
    }
    if (shape.Has(Shape::kDrawsCounters)) {
      if (!rows->any_draws) rows->draws.resize(rows->words);
      rows->any_draws = true;
      SetBit(rows->draws, i);
    }
    for (size_t v = 0; v < variants_.size(); ++v) Judge(v, i, shape, id, *rows);
  }
  return rows;
}

/// One device for one variant.
void Prepared::Judge(
    size_t v, size_t device, const Shape& shape, ShapeId id, ContentRows& rows) const {
  const PreparedVariant& variant = variants_[v];
  const Features& features = snapshot_.features();
  if (shape.Has(Shape::kHasBindingConditions) && !features.device_binding_and_status) return;
  const Match match = variant.row->cells[id];
  if (match == Match::kNo) return;
  if (match == Match::kError) {
    rows.needs_literal = true;
    return;
  }
  if (variant.amounts != nullptr) {
    const Match fits = variant.amounts->fits[id];
    if (fits == Match::kError) rows.needs_literal = true;
    if (fits != Match::kYes) return;
    if (shape.Has(Shape::kShareable))
      rows.amounts[device * variants_.size() + v] = &variant.amounts->amounts[id];
  }
  const size_t bit = v * rows.words * 64 + device;
  if (any_all_) SetBit(rows.listed, bit);
  if (shape.Has(Shape::kTainted) && features.device_taints &&
      BlockingTaint(*shape.device, variant.plan->tolerations) != nullptr) {
    return;
  }
  if (shape.Has(Shape::kDrawsCounters) && !features.partitionable_devices) return;
  for (const PreparedVariant::Covering& covering : variant.covering) {
    const uint32_t set = covering.column->set_of[id];
    // A constraint that refuses one of all devices is an error, where the search gets there.
    if (set == AttributeColumn::kAbsent && !variant.wants_all()) return;
    if (set == AttributeColumn::kUnusable || set == AttributeColumn::kError)
      rows.needs_literal = true;
  }
  SetBit(rows.usable, bit);
}

}  // namespace dray::allocator
