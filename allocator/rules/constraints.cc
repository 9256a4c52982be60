// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/constraints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "allocator/rules/release_rules.h"
#include "base/check.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;

enum class Comparison { kEqual, kDifferent, kOtherType, kUnusable };

/// By the candidate's type, tried in upstream's order; versions compare as text.
Comparison Compare(const v1::DeviceAttribute& candidate, const v1::DeviceAttribute& other) {
  const auto judge = [](const auto& ours, const auto& theirs) {
    if (!theirs.has_value()) return Comparison::kOtherType;
    return *ours == *theirs ? Comparison::kEqual : Comparison::kDifferent;
  };
  if (candidate.string.has_value()) return judge(candidate.string, other.string);
  if (candidate.int_.has_value()) return judge(candidate.int_, other.int_);
  if (candidate.bool_.has_value()) return judge(candidate.bool_, other.bool_);
  if (candidate.version.has_value()) return judge(candidate.version, other.version);
  return Comparison::kUnusable;
}

}  // namespace

std::string RequestName::Full() const {
  std::string full(base);
  if (!alternative.empty()) full.append("/").append(alternative);
  return full;
}

bool NamesRequest(std::span<const std::string> names, const RequestName& request) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return name == request.base || (!request.alternative.empty() && name == request.Full());
  });
}

const v1::DeviceAttribute* FindAttribute(const DeviceEntry& device,
                                         std::string_view qualified_name) {
  const auto& attributes = device.device->attributes;
  if (const auto found = attributes.find(qualified_name); found != attributes.end())
    return &found->second;
  const size_t slash = qualified_name.find('/');
  if (slash == std::string_view::npos || qualified_name.substr(0, slash) != device.driver())
    return nullptr;
  const auto found = attributes.find(qualified_name.substr(slash + 1));
  return found == attributes.end() ? nullptr : &found->second;
}

Constraint::Constraint(const v1::DeviceConstraint& constraint, const Features& features)
    : constraint_(&constraint), compares_sets_(features.list_type_attributes) {
  const bool is_match = constraint.match_attribute.has_value();
  const Rules& rules = RulesOf(features);
  never_widens_ = is_match && compares_sets_ && rules.set_match_never_widens;
  remembers_one_ = !is_match && rules.distinct_remembers_one;
}

bool Constraint::Covers(const RequestName& request) const {
  return constraint_->requests.empty() || NamesRequest(constraint_->requests, request);
}

const std::string& Constraint::attribute_name() const {
  const std::optional<std::string>& name = constraint_->match_attribute.has_value()
                                               ? constraint_->match_attribute
                                               : constraint_->distinct_attribute;
  DRAY_CHECK(name.has_value());
  return *name;
}

bool Constraint::Add(const RequestName& request, const v1::DeviceAttribute* attribute) {
  if (attribute == nullptr) return false;
  Member member{.request = request.base, .attribute = attribute, .values = {}};
  if (compares_sets_) member.values = ValuesOf(*attribute);
  const bool accepted = constraint_->match_attribute.has_value() ? AddMatching(std::move(member))
                                                                 : AddDistinct(std::move(member));
  if (accepted) ++count_;
  return accepted;
}

/// Without lists the first one may be of any type, also one that cannot be compared.
bool Constraint::AddMatching(Member member) {
  if (compares_sets_ && !member.values.has_value()) return false;
  if (count_ == 0) {
    members_.clear();
  } else if (!compares_sets_) {
    if (Compare(*member.attribute, *members_.front().attribute) != Comparison::kEqual) return false;
  } else {
    member.values = Common(*members_.back().values, *member.values);
    if (!member.values.has_value()) return false;
    if (never_widens_) members_.pop_back();
  }
  members_.push_back(std::move(member));
  return true;
}

bool Constraint::AddDistinct(Member member) {
  const bool accepts_anything = remembers_one_ && count_ == 0;
  if (!accepts_anything) {
    if (compares_sets_ && !member.values.has_value()) return false;
    if (std::ranges::any_of(members_, [&](const Member& m) { return Clashes(member, m); }))
      return false;
  }
  if (remembers_one_) Forget(member.request);
  members_.push_back(std::move(member));
  return true;
}

bool Constraint::Clashes(const Member& candidate, const Member& other) const {
  if (compares_sets_) {
    return other.values.has_value() && Common(*other.values, *candidate.values).has_value();
  }
  const Comparison comparison = Compare(*candidate.attribute, *other.attribute);
  return comparison == Comparison::kEqual || comparison == Comparison::kUnusable;
}

void Constraint::Forget(std::string_view request) {
  std::erase_if(members_, [&](const Member& member) { return member.request == request; });
}

void Constraint::RemoveLast(const RequestName& request) {
  --count_;
  if (remembers_one_) {
    Forget(request.base);
  } else if (!never_widens_) {
    members_.pop_back();
  }
}

}  // namespace dray::allocator::rules
