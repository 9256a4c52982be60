// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/constraints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace dray::allocator {
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

bool Constraint::Add(const v1::DeviceAttribute* attribute) {
  if (attribute == nullptr) return false;
  return form_ == AttributeForm::kSets ? AddSet(*attribute) : AddSingle(*attribute);
}

bool Constraint::AddSingle(const v1::DeviceAttribute& attribute) {
  const bool is_match = constraint_->match_attribute.has_value();
  const auto clashes = [&](const v1::DeviceAttribute* other) {
    const Comparison comparison = Compare(attribute, *other);
    if (is_match) return comparison != Comparison::kEqual;
    return comparison == Comparison::kEqual || comparison == Comparison::kUnusable;
  };
  // The first one may be of any type, also one that cannot be compared.
  if (is_match ? !singles_.empty() && clashes(singles_.front())
               : std::ranges::any_of(singles_, clashes)) {
    return false;
  }
  singles_.push_back(&attribute);
  return true;
}

bool Constraint::AddSet(const v1::DeviceAttribute& attribute) {
  std::optional<AttributeValues> values = ValuesOf(attribute);
  if (!values.has_value()) return false;
  if (constraint_->match_attribute.has_value()) {
    if (!sets_.empty()) values = Common(sets_.back(), *values);
    if (!values.has_value()) return false;
  } else if (std::ranges::any_of(sets_, [&](const AttributeValues& other) {
               return Common(other, *values).has_value();
             })) {
    return false;
  }
  sets_.push_back(*std::move(values));
  return true;
}

void Constraint::RemoveLast() {
  if (form_ == AttributeForm::kSets) {
    sets_.pop_back();
  } else {
    singles_.pop_back();
  }
}

}  // namespace dray::allocator
