// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/rules_between.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "allocator/rules/selector_environment.h"
#include "api/resource_v1/slice.h"
#include "cel/api_device.h"
#include "cel/derived_attribute.h"
#include "cel/device_activation.h"
#include "dray/profile.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using allocator::DeviceIdView;
using State = Attribute::State;

template <class Values>
Attribute Comparable(char type, const Values& values) {
  Attribute attribute{.state = State::kComparable, .type = type};
  for (const auto& value : values) attribute.values.insert(fmt::format("{}", value));
  return attribute;
}

Attribute Scalar(const v1::DeviceAttribute& attribute) {
  if (attribute.string.has_value()) return Comparable('s', std::vector{*attribute.string});
  if (attribute.int_.has_value()) return Comparable('i', std::vector{*attribute.int_});
  if (attribute.bool_.has_value())
    return Comparable('b', std::vector<std::string>{*attribute.bool_ ? "true" : "false"});
  if (attribute.version.has_value()) return Comparable('v', std::vector{*attribute.version});
  return {.state = State::kNotComparable};
}

/// With list attributes enabled, a single value is a set of one.
Attribute Set(const v1::DeviceAttribute& attribute) {
  if (!attribute.ints.empty()) return Comparable('i', attribute.ints);
  if (!attribute.bools.empty()) {
    std::vector<std::string> values;
    for (const api::Bool value : attribute.bools)
      values.emplace_back(value.value ? "true" : "false");
    return Comparable('b', values);
  }
  if (!attribute.strings.empty()) return Comparable('s', attribute.strings);
  if (!attribute.versions.empty()) return Comparable('v', attribute.versions);
  return Scalar(attribute);
}

/// The published attribute, by its whole name or without the domain if that is the driver's.
const v1::DeviceAttribute* Published(const SeenDevice& seen, std::string_view name) {
  const auto& attributes = seen.device->attributes;
  if (attributes.contains(name)) return &attributes.at(name);
  const std::string domain = seen.slice->spec.driver + "/";
  if (!name.starts_with(domain)) return nullptr;
  name.remove_prefix(domain.size());
  return attributes.contains(name) ? &attributes.at(name) : nullptr;
}

bool HaveCommonValue(const Attribute& a, const Attribute& b) {
  return a.type == b.type && std::ranges::any_of(a.values, [&](const std::string& value) {
           return b.values.contains(value);
         });
}

bool HaveSomethingInCommon(const std::vector<const Attribute*>& attributes) {
  return std::ranges::any_of(attributes.front()->values, [&](const std::string& value) {
    return std::ranges::all_of(attributes, [&](const Attribute* other) {
      return other->type == attributes.front()->type && other->values.contains(value);
    });
  });
}

bool HasTwoTerms(const api::Maybe<api::core_v1::NodeSelector>& selector) {
  return selector.has_value() && selector->node_selector_terms.size() > 1;
}

}  // namespace

RulesBetween::RulesBetween(const Question& question) : question_(question) {
  for (const SeenPool& pool : question.seen.pools) books_.push_back(Open(pool));
  for (size_t i = 0; i < question.problem->claims.size(); ++i) {
    for (const auto& constraint : question.problem->claims[i]->spec.devices.constraints)
      constraints_.push_back(View(i, constraint));
  }
}

RulesBetween::PoolBooks RulesBetween::Open(const SeenPool& pool) const {
  const allocator::AllocatedState& state = question_.problem->allocated;
  const bool is_stable = question_.features().Picked() == allocator::Implementation::kStable;
  PoolBooks books;
  for (const v1::CounterSet* set : pool.counter_sets) {
    for (const auto& [name, counter] : set->counters)
      books.available[{set->name, name}] = counter.value;
  }
  for (const auto* slices : {&pool.here, &pool.elsewhere}) {
    for (const v1::ResourceSlice* slice : *slices) {
      for (const v1::Device& device : slice->spec.devices) {
        const DeviceIdView id{pool.driver, pool.name, device.name};
        if (is_stable ? !state.devices.contains(id) : !state.IsAllocated(id)) continue;
        for (const auto& consumption : device.consumes_counters) {
          books.groups[consumption.counter_set].push_back(consumption.compatibility_groups);
          for (const auto& [name, counter] : consumption.counters)
            books.available[{consumption.counter_set, name}] -= counter.value;
        }
      }
    }
  }
  return books;
}

RulesBetween::ConstraintView RulesBetween::View(size_t claim,
                                                const v1::DeviceConstraint& constraint) const {
  ConstraintView view{.claim = claim, .is_match = constraint.match_attribute.has_value()};
  const std::string& name =
      view.is_match ? *constraint.match_attribute : *constraint.distinct_attribute;
  for (const Want& want : question_.wants) {
    auto& by_way = view.attributes.emplace_back();
    for (const Way& way : want.ways) {
      const bool covers = want.claim == claim &&
                          (constraint.requests.empty() || way.IsNamedIn(constraint.requests));
      by_way.push_back(covers ? std::optional(Attributes(way, name)) : std::nullopt);
    }
  }
  return view;
}

std::vector<Attribute> RulesBetween::Attributes(const Way& way, const std::string& name) const {
  const bool has_lists = question_.features().list_type_attributes;
  const auto compare = [&](const v1::DeviceAttribute* attribute) {
    if (attribute == nullptr) return Attribute{};
    return has_lists ? Set(*attribute) : Scalar(*attribute);
  };
  const v1::DeviceDerivedAttribute* derived = nullptr;
  for (const v1::DeviceDerivedAttribute& candidate : way.derived) {
    if (candidate.name == name) derived = &candidate;
  }
  std::vector<Attribute> attributes;
  if (derived == nullptr) {
    for (const SeenDevice& seen : question_.seen.devices)
      attributes.push_back(compare(Published(seen, name)));
    return attributes;
  }
  cel::Environment environment = allocator::rules::EnvironmentOf(question_.features());
  environment.purpose = cel::Purpose::kDerivedAttribute;
  const Result<cel::DerivedAttribute> compiled =
      cel::DerivedAttribute::Compile(derived->expression, environment);
  for (const SeenDevice& seen : question_.seen.devices) {
    const cel::DeviceActivation view(cel::DeviceOf(seen.slice->spec.driver, *seen.device));
    const cel::DerivedValue value =
        compiled ? compiled->Evaluate(view) : cel::DerivedValue{cel::EvaluationError{}};
    attributes.push_back(value.attribute() == nullptr ? Attribute{.state = State::kError}
                                                      : compare(value.attribute()));
  }
  return attributes;
}

std::string RulesBetween::Broken(std::span<const Taken> taken) const {
  for (const Taken& one : taken) {
    if (way(one).opinions[one.device].acceptable != Answer::kYes)
      return fmt::format(
          "{} does not suit request {}", seen(one).id().ToString(), way(one).FullName());
  }
  if (ClaimIsTooLarge(taken)) return "more devices than a claim may have";
  if (UsersClash(taken)) return "a device is in use";
  if (CountersFall(taken)) return "counters do not suffice";
  if (GroupsClash(taken)) return "compatibility groups do not meet";
  if (CapacityFalls(taken)) return "capacity does not suffice";
  for (const ConstraintView& constraint : constraints_) {
    if (ConstraintFails(constraint, taken)) return "a constraint is not satisfied";
  }
  return {};
}

bool RulesBetween::ClaimIsTooLarge(std::span<const Taken> taken) const {
  std::map<size_t, int64_t> counts;
  return std::ranges::any_of(
      taken, [&](const Taken& one) { return ++counts[claim(one)] > kClaimDevicesMax; });
}

/// A device that cannot be shared has one user. Admin access conflicts only with devices that its
/// own claim has taken before; what it takes counts as in use for later requests.
bool RulesBetween::UsersClash(std::span<const Taken> taken) const {
  for (size_t later = 0; later < taken.size(); ++later) {
    for (size_t sooner = 0; sooner < later; ++sooner) {
      if (taken[sooner].device != taken[later].device) continue;
      if (taken[sooner].want == taken[later].want) return true;
      if (is_shareable(taken[later])) continue;
      if (!way(taken[later]).is_admin || claim(taken[sooner]) == claim(taken[later])) return true;
    }
  }
  return false;
}

/// The devices that consume counters of the pool. Only the first of a device's shares does, if
/// there was none before.
std::vector<Taken> RulesBetween::PayingFor(std::span<const Taken> taken, size_t pool) const {
  std::vector<Taken> paying;
  std::set<size_t> shared;
  for (const Taken& one : taken) {
    if (seen(one).pool != pool || seen(one).device->consumes_counters.empty()) continue;
    if (is_shareable(one)) {
      if (question_.problem->allocated.IsShared(seen(one).id())) continue;
      if (!shared.insert(one.device).second) continue;
    }
    paying.push_back(one);
  }
  return paying;
}

bool RulesBetween::CountersFall(std::span<const Taken> taken) const {
  for (size_t pool = 0; pool < books_.size(); ++pool) {
    const std::vector<Taken> paying = PayingFor(taken, pool);
    if (paying.empty()) continue;
    std::map<CounterName, api::Quantity> left = books_[pool].available;
    for (const Taken& one : paying) {
      for (const auto& consumption : seen(one).device->consumes_counters) {
        for (const auto& [name, counter] : consumption.counters)
          left[{consumption.counter_set, name}] -= counter.value;
      }
    }
    // An overdrawn counter makes the whole pool unavailable, also its other counters.
    if (std::ranges::any_of(left, [](const auto& entry) { return entry.second.Sign() < 0; }))
      return true;
  }
  return false;
}

/// Either no user of a counter set names a group, or all of them have a group in common. If
/// committed devices contradict each other, the first decides which case applies.
bool RulesBetween::GroupsClash(std::span<const Taken> taken) const {
  if (!question_.features().compatibility_groups) return false;
  for (size_t pool = 0; pool < books_.size(); ++pool) {
    std::map<std::string, std::vector<std::vector<std::string>>> users = books_[pool].groups;
    for (auto& [set, before] : users) {
      const bool is_grouped = !before.front().empty();
      std::erase_if(before, [&](const auto& groups) { return groups.empty() == is_grouped; });
    }
    std::set<std::string> touched;
    for (const Taken& one : PayingFor(taken, pool)) {
      for (const auto& consumption : seen(one).device->consumes_counters) {
        users[consumption.counter_set].push_back(consumption.compatibility_groups);
        touched.insert(consumption.counter_set);
      }
    }
    for (const std::string& set : touched) {
      const auto& lists = users[set];
      const auto names = [](const std::string& group) {
        return [&group](const auto& list) { return std::ranges::find(list, group) != list.end(); };
      };
      const bool have_none = std::ranges::all_of(lists, [](const auto& l) { return l.empty(); });
      const bool have_one = std::ranges::any_of(lists.front(), [&](const std::string& group) {
        return std::ranges::all_of(lists, names(group));
      });
      if (!have_none && !have_one) return true;
    }
  }
  return false;
}

bool RulesBetween::CapacityFalls(std::span<const Taken> taken) const {
  if (!question_.features().consumable_capacity) return false;
  for (const Taken& one : taken) {
    const v1::Device& device = *seen(one).device;
    const auto committed = question_.problem->allocated.capacity.find(seen(one).id());
    for (const auto& [name, capacity] : device.capacity) {
      api::Quantity total;
      if (committed != question_.problem->allocated.capacity.end()) {
        const auto amount = committed->second.find(name);
        if (amount != committed->second.end()) total += amount->second;
      }
      // An exclusive user has no record of its consumption.
      for (const Taken& other : taken) {
        const bool counts = is_shareable(one) ? other.device == one.device : &other == &one;
        if (counts) total += way(other).opinions[other.device].amounts.at(name);
      }
      if (total > capacity.value) return true;
    }
  }
  return false;
}

bool RulesBetween::ConstraintFails(const ConstraintView& constraint,
                                   std::span<const Taken> taken) const {
  std::vector<const Attribute*> covered;
  for (const Taken& one : taken) {
    const auto& attributes = constraint.attributes[one.want][one.way];
    if (attributes.has_value()) covered.push_back(&(*attributes)[one.device]);
  }
  const bool has_lists = question_.features().list_type_attributes;
  for (size_t i = 0; i < covered.size(); ++i) {
    const State state = covered[i]->state;
    if (state == State::kMissing || state == State::kError) return true;
    // With single values, the first device is accepted without a check of its value.
    if (state == State::kNotComparable && (has_lists || i > 0)) return true;
  }
  if (covered.size() < 2) return false;
  if (constraint.is_match) return !HaveSomethingInCommon(covered);
  for (size_t i = 0; i < covered.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (HaveCommonValue(*covered[i], *covered[k])) return true;
    }
  }
  return false;
}

std::string RulesBetween::Doubt() const {
  for (const Want& want : question_.wants) {
    for (const Way& way : want.ways) {
      for (const Opinion& opinion : way.opinions) {
        if (opinion.selectable == Answer::kError) return "a selector fails";
        if (opinion.acceptable == Answer::kError) return "an amount cannot be computed";
      }
    }
  }
  for (const ConstraintView& constraint : constraints_) {
    for (size_t want = 0; want < constraint.attributes.size(); ++want) {
      for (size_t way = 0; way < constraint.attributes[want].size(); ++way) {
        const auto& attributes = constraint.attributes[want][way];
        if (!attributes.has_value()) continue;
        if (question_.wants[want].ways[way].wants_all) return "a constraint for all devices";
        if (std::ranges::find(*attributes, State::kError, &Attribute::state) != attributes->end())
          return "a derived attribute fails";
      }
    }
  }
  for (const SeenDevice& seen : question_.seen.devices) {
    if (HasTwoTerms(seen.slice->spec.node_selector) || HasTwoTerms(seen.device->node_selector))
      return "a node selector has several terms";
    for (const auto& consumption : seen.device->consumes_counters) {
      for (const auto& [name, counter] : consumption.counters) {
        if (counter.value.Sign() < 0) return "a counter grows when it is drawn on";
      }
    }
  }
  return {};
}

}  // namespace dray::judges
