// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/question.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "allocator/selector_cache.h"
#include "base/try.h"
#include "cel/api_device.h"
#include "cel/device_activation.h"
#include "cel/selector.h"
#include "dray/profile.h"
#include "dray/selector.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using allocator::Implementation;

Failure Refuse(std::string why) {
  return Fail(StatusReason::kInvalid, std::move(why));
}

bool Tolerates(const v1::DeviceToleration& toleration, const v1::DeviceTaint& taint) {
  const bool same_effect = toleration.effect.empty() || toleration.effect == taint.effect;
  const bool same_key = toleration.key.empty() || toleration.key == taint.key;
  const std::string& how = toleration.operator_;
  const bool same_value =
      how == "Exists" || ((how.empty() || how == "Equal") && toleration.value == taint.value);
  return same_effect && same_key && same_value;
}

bool IsKeptAway(const v1::Device& device, std::span<const v1::DeviceToleration> tolerations) {
  for (const v1::DeviceTaint& taint : device.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    bool is_tolerated = false;
    for (const v1::DeviceToleration& toleration : tolerations)
      is_tolerated = is_tolerated || Tolerates(toleration, taint);
    if (!is_tolerated) return true;
  }
  return false;
}

class ProblemReader {
 public:
  ProblemReader(const Problem& problem, const api::core_v1::Node& node)
      : problem_(problem),
        features_(problem.features),
        node_(node),
        selectors_(allocator::SelectorCacheFor(features_, 200)),
        question_{.problem = &problem, .node = &node} {}

  Result<Question> Read() {
    DRAY_TRY(question_.seen, SeePools(problem_, node_));
    for (const SeenPool& pool : question_.seen.pools)
      question_.has_invalid_pool |= pool.health == PoolHealth::kInvalid;
    for (const SeenDevice& device : question_.seen.devices) {
      cel::Device view = cel::DeviceOf(device.slice->spec.driver, *device.device);
      // The stable implementation has no shared devices.
      if (is_stable()) view.allow_multiple_allocations = false;
      views_.emplace_back(view);
    }
    for (size_t i = 0; i < problem_.claims.size(); ++i) {
      const v1::DeviceClaim& claim = problem_.claims[i]->spec.devices;
      int64_t sum = 0;
      for (const v1::DeviceRequest& request : claim.requests) {
        DRAY_TRY(Want want, ReadRequest(i, request));
        int64_t least = want.ways.front().needed();
        for (const Way& way : want.ways) least = std::min(least, way.needed());
        if (static_cast<__int128>(sum) + least > kClaimDevicesMax)
          return Refuse("too many devices");
        sum += least;
        question_.wants.push_back(std::move(want));
      }
      if (sum < 0) return Refuse("fewer than no devices");
      DRAY_TRY_VOID(CheckConstraints(claim));
    }
    return std::move(question_);
  }

 private:
  bool is_stable() const { return features_.Picked() == Implementation::kStable; }

  Result<> CheckConstraints(const v1::DeviceClaim& claim) const {
    for (const v1::DeviceConstraint& constraint : claim.constraints) {
      if (constraint.match_attribute.has_value()) continue;
      if (is_stable() || !constraint.distinct_attribute.has_value())
        return Refuse("unknown constraint");
    }
    return {};
  }

  Result<Want> ReadRequest(size_t claim, const v1::DeviceRequest& request) {
    Want want{.claim = claim, .ways = {}};
    if (!request.first_available.empty()) {
      if (!features_.prioritized_list) return Refuse("alternatives are off");
      for (const v1::DeviceSubRequest& alternative : request.first_available) {
        DRAY_TRY(Way way, ReadWay({request.name, alternative.name}, alternative));
        want.ways.push_back(std::move(way));
      }
      return want;
    }
    if (!request.exactly.has_value()) return Refuse("an empty request");
    const v1::ExactDeviceRequest& exact = *request.exactly;
    if (exact.admin_access.has_value() && !features_.admin_access)
      return Refuse("admin access is off");
    DRAY_TRY(
        Way way,
        ReadWay({.request = request.name, .is_admin = exact.admin_access.value_or(false)}, exact));
    want.ways.push_back(std::move(way));
    return want;
  }

  /// The members in which exact requests and alternatives differ.
  struct Head {
    std::string_view request;
    std::string_view alternative = {};
    bool is_admin = false;
  };

  template <class Request>
  Result<Way> ReadWay(const Head& head, const Request& asked) {
    if (!features_.consumable_capacity && !is_stable() && asked.capacity.has_value())
      return Refuse("capacity requests are off");
    if (!features_.derived_attributes && !asked.derived_attributes.empty())
      return Refuse("derived attributes are off");
    Way way{.request = head.request,
            .alternative = head.alternative,
            .selectors = asked.selectors,
            .tolerations = asked.tolerations,
            .derived = asked.derived_attributes,
            .capacity = asked.capacity.has_value() ? &*asked.capacity : nullptr,
            .is_admin = head.is_admin,
            .wants_all = asked.allocation_mode == "All",
            .count = asked.count};
    for (const v1::DeviceSelector& selector : asked.selectors) {
      if (!selector.cel.has_value()) return Refuse("a selector without expression");
    }
    for (const auto& device_class : problem_.classes) {
      if (device_class->metadata.name == asked.device_class_name)
        way.device_class = device_class.get();
    }
    if (asked.device_class_name.empty() || way.device_class == nullptr) return Refuse("no class");
    if (!way.wants_all && asked.allocation_mode != "ExactCount") return Refuse("unknown mode");
    for (size_t i = 0; i < question_.seen.devices.size(); ++i)
      way.opinions.push_back(Judge(way, i));
    if (way.wants_all) DRAY_TRY_VOID(ListAll(way));
    return way;
  }

  Result<> ListAll(Way& way) const {
    for (const SeenPool& pool : question_.seen.pools) {
      if (pool.health != PoolHealth::kUsable)
        return Refuse("all devices, but a pool is not usable");
    }
    for (size_t i = 0; i < way.opinions.size(); ++i) {
      const Opinion& opinion = way.opinions[i];
      if (opinion.selectable == Answer::kError) return Refuse("a selector fails");
      if (opinion.selectable == Answer::kNo) continue;
      if (features_.consumable_capacity) {
        const Answer holds = Holds(way, *question_.seen.devices[i].device).answer;
        if (holds == Answer::kError) return Refuse("an amount cannot be computed");
        if (holds == Answer::kNo) continue;
      }
      way.all_devices.push_back(i);
    }
    return {};
  }

  /// The amounts, if the unused device is large enough for them.
  TakenAmounts Holds(const Way& way, const v1::Device& device) const {
    TakenAmounts taken = AmountsOf(device, way.capacity, features_.fractional_capacity_range);
    if (taken.answer != Answer::kYes) return taken;
    for (const auto& [name, amount] : taken.amounts) {
      if (amount > device.capacity.at(name).value) taken.answer = Answer::kNo;
    }
    return taken;
  }

  Opinion Judge(const Way& way, size_t index) {
    const SeenDevice& seen = question_.seen.devices[index];
    Opinion opinion{.selectable = IsSelectable(way, index)};
    opinion.acceptable = opinion.selectable;
    if (opinion.selectable != Answer::kYes) return opinion;
    if (features_.consumable_capacity) {
      TakenAmounts taken = Holds(way, *seen.device);
      opinion.acceptable = taken.answer;
      opinion.amounts = std::move(taken.amounts);
      if (taken.answer != Answer::kYes) return opinion;
    }
    if (!MayBeUsed(way, seen)) opinion.acceptable = Answer::kNo;
    return opinion;
  }

  bool MayBeUsed(const Way& way, const SeenDevice& seen) const {
    if (!way.is_admin && problem_.allocated.devices.contains(seen.id())) return false;
    if (!features_.partitionable_devices && !seen.device->consumes_counters.empty()) return false;
    if (features_.device_taints && IsKeptAway(*seen.device, way.tolerations)) return false;
    if (seen.slice->spec.skip_node_operations.empty()) return true;
    if (features_.Picked() != Implementation::kExperimental) return true;
    const auto& declared = node_.status.declared_features;
    return features_.optional_node_operations &&
           std::ranges::find(declared, "DRAOptionalNodeOperations") != declared.end();
  }

  Answer IsSelectable(const Way& way, size_t index) {
    const SeenDevice& seen = question_.seen.devices[index];
    if (!features_.device_binding_and_status && !seen.device->binding_conditions.empty())
      return Answer::kNo;
    const std::span<const v1::DeviceSelector> of_class = way.device_class->spec.selectors;
    for (const auto& list : {of_class, way.selectors}) {
      for (const v1::DeviceSelector& selector : list) {
        const Answer answer = Evaluate(selector, index);
        if (answer != Answer::kYes) return answer;
      }
    }
    if (!seen.slice->spec.per_device_node_selection.value_or(false)) return Answer::kYes;
    const Result<bool> is_here = IsForNode(node_, *seen.device);
    if (!is_here) return Answer::kError;
    return *is_here ? Answer::kYes : Answer::kNo;
  }

  Answer Evaluate(const v1::DeviceSelector& selector, size_t index) {
    if (!selector.cel.has_value()) return Answer::kError;
    const Result<cel::Selector> compiled = selectors_->Compile(selector.cel->expression);
    if (!compiled) return Answer::kError;
    const cel::Evaluation evaluation = compiled->Evaluate(views_[index]);
    if (evaluation.error() != nullptr) return Answer::kError;
    return evaluation.matches() ? Answer::kYes : Answer::kNo;
  }

  const Problem& problem_;
  const allocator::Features& features_;
  const api::core_v1::Node& node_;
  std::shared_ptr<allocator::SelectorCache> selectors_;
  Question question_;
  std::deque<cel::DeviceActivation> views_;  // by device
};

}  // namespace

std::string Way::FullName() const {
  return alternative.empty() ? std::string(request) : fmt::format("{}/{}", request, alternative);
}

bool Way::IsNamedIn(const std::vector<std::string>& names) const {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return name == request || name == FullName(); });
}

Result<Question> Read(const Problem& problem, const api::core_v1::Node& node) {
  return ProblemReader(problem, node).Read();
}

}  // namespace dray::judges
