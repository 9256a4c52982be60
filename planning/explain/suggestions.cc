// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/suggestions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/internals.h"
#include "allocator/inventory/inventory.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/claims/extended_claim.h"
#include "api/resource_v1/claim.h"
#include "cel/syntax/conjuncts.h"
#include "dray/allocator.h"
#include "planning/explain/holders.h"
#include "planning/explain/pod_split.h"
#include "planning/objects/spelled_amount.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

constexpr size_t kNodesTriedMax = 200;    // for one change
constexpr size_t kNodesFreedMax = 8;      // nodes whose claims might be freed
constexpr size_t kHoldersTriedMax = 256;  // claims of one node that might be freed
constexpr size_t kHoldersNamedMax = 3;    // of one suggestion
constexpr size_t kClassesTriedMax = 16;   // in place of the requested one
constexpr size_t kFirstPodsTriedMax = 4;  // nodes for the first of two pods
constexpr size_t kAmountsTriedMax = 8;    // of one capacity
constexpr size_t kDevicesAddedMax = 32;   // as many as a claim may have
constexpr std::string_view kAddedPool = "one-more";

std::string Devices(size_t count) {
  return count == 1 ? "1 device" : fmt::format("{} devices", count);
}

/// Calls `edit` with the way (an exact request or an alternative) in a copy of the claims.
template <class Edit>
WantedClaims Edited(const WantedClaims& claims, const Funnel& way, Edit edit) {
  WantedClaims changed = claims;
  auto claim = std::make_shared<v1::ResourceClaim>(*claims[way.claim_index]);
  v1::DeviceRequest& request = claim->spec.devices.requests[way.request_index];
  if (request.first_available.empty()) {
    edit(*request.exactly);
  } else {
    edit(request.first_available[way.alternative]);
  }
  changed[way.claim_index] = std::move(claim);
  return changed;
}

class Suggester {
 public:
  Suggester(const SuggestionQuestion& question,
            FunnelCounter& counter,
            const Holders& holders,
            FreedClaims& freed)
      : question_(question), counter_(counter), holders_(holders), freed_(freed) {}

  std::vector<Suggestion> Run() && {
    using Self = Suggester;
    EachWay(&Self::Tolerate);
    if (!IsEnough()) DropConstraints();
    for (const auto change : {&Self::DropConditions,
                              &Self::AskForFewer,
                              &Self::AskForLessCapacity,
                              &Self::TakeOtherClass}) {
      if (!IsEnough()) EachWay(change);
    }
    if (!IsEnough()) SplitPod();
    if (!IsEnough()) FreeClaims();
    if (!IsEnough()) AddDevices();
    std::ranges::sort(found_, {}, [](const Suggestion& suggestion) {
      return std::tie(suggestion.kind, suggestion.amount, suggestion.text);
    });
    return std::move(found_);
  }

 private:
  bool IsEnough() const { return question_.one_kind && !found_.empty(); }

  void EachWay(void (Suggester::*change)(size_t way)) {
    for (size_t way = 0; way < question_.funnels.size(); ++way) {
      const bool is_open = !IsOfScheduler(question_.funnels[way].claim_index);
      if (is_open || change == &Suggester::AskForFewer) (this->*change)(way);
    }
  }

  /// Whether the scheduler makes the claim, for extended resources. Its user can only change the
  /// number of devices.
  bool IsOfScheduler(size_t claim) const {
    const auto& annotations = question_.claims[claim]->metadata.annotations;
    return annotations.contains(api::claims::kExtendedClaimAnnotation);
  }

  /// Keeps the suggestion if its claims fit somewhere in the cluster.
  bool Try(Suggestion suggestion, const allocator::Snapshot& cluster) {
    const allocator::Attempt attempt(cluster, suggestion.claims);
    const size_t count = std::min(question_.nodes.size(), kNodesTriedMax);
    for (size_t i = 0; i < count; ++i) {
      if (FitOn(attempt, *question_.nodes[i], question_.budget) != Fit::kYes) continue;
      suggestion.node = question_.nodes[i]->metadata.name;
      found_.push_back(std::move(suggestion));
      return true;
    }
    return false;
  }

  std::string Named(const Funnel& way) const {
    return fmt::format("request {} of claim {}", way.request, way.claim);
  }

  void Tolerate(size_t way) {
    const Funnel& funnel = question_.funnels[way];
    for (const Removal& removal : funnel.removals) {
      if (removal.step != Step::kTaints) continue;
      const size_t colon = removal.text.rfind(':');
      const std::string_view key_value = std::string_view(removal.text).substr(0, colon);
      const size_t equals = key_value.find('=');
      v1::DeviceToleration toleration;
      toleration.key = key_value.substr(0, equals);
      toleration.effect = std::string_view(removal.text).substr(colon + 1);
      toleration.operator_ = "Equal";
      if (equals != std::string_view::npos) toleration.value = key_value.substr(equals + 1);
      Try({.kind = ChangeKind::kTolerate,
           .text = fmt::format("let {} tolerate {}", Named(funnel), removal.text),
           .claims = Edited(question_.claims,
                            funnel,
                            [&](auto& request) { request.tolerations.push_back(toleration); })},
          question_.snapshot);
    }
  }

  void DropConstraints() {
    for (size_t i = 0; i < question_.claims.size(); ++i) {
      if (IsOfScheduler(i)) continue;
      const auto& constraints = question_.claims[i]->spec.devices.constraints;
      for (size_t j = 0; j < constraints.size(); ++j) {
        auto claim = std::make_shared<v1::ResourceClaim>(*question_.claims[i]);
        auto& fewer = claim->spec.devices.constraints;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(j));
        WantedClaims claims = question_.claims;
        claims[i] = std::move(claim);
        const bool matches = constraints[j].match_attribute.has_value();
        Try({.kind = ChangeKind::kDropConstraint,
             .text = fmt::format("drop the constraint {} {} of claim {}",
                                 matches ? "matchAttribute" : "distinctAttribute",
                                 matches ? *constraints[j].match_attribute
                                         : constraints[j].distinct_attribute.value_or(""),
                                 KeyOf(*question_.claims[i])),
             .claims = std::move(claims)},
            question_.snapshot);
      }
    }
  }

  void DropConditions(size_t way) {
    const Funnel& funnel = question_.funnels[way];
    const std::vector<Condition>& conditions = counter_.judge(way).conditions().all();
    for (size_t i = 0; i < conditions.size(); ++i) {
      if (conditions[i].of_class) continue;
      const auto drop = [&](auto& request) {
        auto& selectors = request.selectors;
        const size_t selector = conditions[i].selector;
        std::vector<std::string> rest;
        for (size_t j = 0; j < conditions.size(); ++j) {
          const Condition& other = conditions[j];
          if (j != i && !other.of_class && other.selector == selector)
            rest.push_back(fmt::format("({})", other.text));
        }
        if (rest.empty()) {
          selectors.erase(selectors.begin() + static_cast<ptrdiff_t>(selector));
        } else {
          selectors[selector].cel->expression = fmt::format("{}", fmt::join(rest, " && "));
        }
      };
      Try({.kind = ChangeKind::kDropCondition,
           .text = fmt::format("drop the condition {} from {}", conditions[i].text, Named(funnel)),
           .claims = Edited(question_.claims, funnel, drop)},
          question_.snapshot);
    }
  }

  void AskForFewer(size_t way) {
    const Funnel& funnel = question_.funnels[way];
    if (funnel.wants_all) return;
    const bool is_resource = IsOfScheduler(funnel.claim_index);
    for (int64_t count = std::min<int64_t>(funnel.wanted, kDevicesAddedMax) - 1; count > 0;
         --count) {
      std::string text =
          is_resource
              ? fmt::format("ask for {} of {} instead of {}", count, funnel.request, funnel.wanted)
              : fmt::format("ask for {} instead of {} in {}",
                            Devices(static_cast<size_t>(count)),
                            funnel.wanted,
                            Named(funnel));
      Suggestion suggestion{.kind = ChangeKind::kFewerDevices,
                            .amount = static_cast<size_t>(funnel.wanted - count),
                            .text = std::move(text),
                            .claims = Edited(question_.claims, funnel, [&](auto& request) {
                              request.count = count;
                            })};
      if (Try(std::move(suggestion), question_.snapshot)) return;
    }
  }

  /// Suggests the capacity that is left on one of the most promising nodes, if it is less.
  void AskForLessCapacity(size_t way) {
    const Funnel& funnel = question_.funnels[way];
    const v1::CapacityRequirements* const asked = counter_.judge(way).variant().capacity;
    if (asked == nullptr) return;
    for (const auto& [name, wanted] : asked->requests) {
      for (const api::Quantity& left : CapacitiesLeft(way, name)) {
        if (left >= wanted) continue;
        Suggestion suggestion{.kind = ChangeKind::kLessCapacity,
                              .text = fmt::format("ask for {} of {} instead of {} in {}",
                                                  SpelledAs({&wanted}, left).ToString(),
                                                  name,
                                                  wanted.ToString(),
                                                  Named(funnel)),
                              .claims = Edited(question_.claims, funnel, [&](auto& request) {
                                request.capacity->requests.insert_or_assign(name, left);
                              })};
        if (Try(std::move(suggestion), question_.snapshot)) break;
      }
    }
  }

  /// The free capacities of devices on the most promising nodes, largest first.
  std::vector<api::Quantity> CapacitiesLeft(size_t way, const std::string& name) {
    std::vector<api::Quantity> amounts;
    const allocator::AllocatedState& taken = counter_.state();
    for (size_t i = 0; i < std::min(question_.nodes.size(), kNodesFreedMax); ++i) {
      const auto devices = counter_.DevicesOn(*question_.nodes[i], way);
      if (!devices) continue;
      for (const FallenDevice& device : *devices) {
        const auto capacity = device.published->capacity.find(name);
        const bool is_short =
            device.fall.step == Step::kTooSmall || device.fall.step == Step::kCapacity;
        if (!is_short || capacity == device.published->capacity.end()) continue;
        api::Quantity left = capacity->second.value;
        const allocator::ConsumedCapacity* const used = taken.FindCapacity(device.device.view());
        if (used != nullptr && used->contains(name)) left -= used->find(name)->second;
        if (left.Sign() > 0) amounts.push_back(std::move(left));
      }
    }
    std::ranges::sort(amounts, std::greater());
    const auto repeated = std::ranges::unique(amounts);
    amounts.erase(repeated.begin(), repeated.end());
    if (amounts.size() > kAmountsTriedMax) amounts.resize(kAmountsTriedMax);
    return amounts;
  }

  /// Drivers of devices of the way's class on the most promising nodes.
  std::set<std::string> DriversOf(size_t way) {
    std::set<std::string> drivers;
    for (size_t i = 0; i < std::min(question_.nodes.size(), kNodesTriedMax); ++i) {
      const auto devices = counter_.DevicesOn(*question_.nodes[i], way);
      if (!devices) continue;
      for (const FallenDevice& device : *devices) {
        if (device.fall.step > Step::kClass) drivers.insert(device.device.driver);
      }
    }
    return drivers;
  }

  /// The first node where the claims fit with devices of these drivers for the request; null: none.
  const api::core_v1::Node* NodeWith(const allocator::Attempt& attempt,
                                     const Funnel& way,
                                     const std::set<std::string>& drivers) const {
    for (size_t i = 0; i < std::min(question_.nodes.size(), kNodesTriedMax); ++i) {
      const Result<allocator::Outcome> outcome =
          attempt.Allocate(*question_.nodes[i], question_.budget);
      if (!outcome) continue;
      const auto* const allocation = std::get_if<allocator::Allocation>(&*outcome);
      if (allocation == nullptr) continue;
      const auto& results = allocation->results[way.claim_index].devices.results;
      const bool are_theirs = std::ranges::all_of(results, [&](const auto& result) {
        return result.request != way.request || drivers.contains(result.driver);
      });
      return are_theirs ? question_.nodes[i] : nullptr;
    }
    return nullptr;
  }

  /// Suggests another class with devices of the same driver; those of other drivers are no
  /// substitute.
  void TakeOtherClass(size_t way) {
    const Funnel& funnel = question_.funnels[way];
    const std::set<std::string> drivers = DriversOf(way);
    size_t tried = 0;
    for (const auto& device_class :
         allocator::Internals::ClusterOf(question_.snapshot)->inventory().classes()) {
      const std::string& name = device_class->metadata.name;
      if (name == funnel.device_class || drivers.empty() || tried++ == kClassesTriedMax) continue;
      Suggestion suggestion{.kind = ChangeKind::kOtherClass,
                            .text = fmt::format("use class {} in {}", name, Named(funnel)),
                            .claims = Edited(question_.claims, funnel, [&](auto& request) {
                              request.device_class_name = name;
                            })};
      const allocator::Attempt attempt(question_.snapshot, suggestion.claims);
      const auto* const node = NodeWith(attempt, funnel, drivers);
      if (node == nullptr) continue;
      suggestion.node = node->metadata.name;
      found_.push_back(std::move(suggestion));
    }
  }

  /// Suggests the first split of which both parts fit at the same time.
  void SplitPod() {
    for (const PodSplit& split : SplitsOf(question_.claims)) {
      if (FitsSomewhere(allocator::Attempt(question_.snapshot, split.second)) == nullptr) continue;
      if (TryApart(split) || TryApart({split.second, split.first, split.text})) return;
    }
  }

  /// The first node that fits; null: none.
  const api::core_v1::Node* FitsSomewhere(const allocator::Attempt& attempt) const {
    const auto nodes = question_.nodes.first(std::min(question_.nodes.size(), kNodesTriedMax));
    const auto found = std::ranges::find_if(nodes, [&](const api::core_v1::Node* node) {
      return FitOn(attempt, *node, question_.budget) == Fit::kYes;
    });
    return found == nodes.end() ? nullptr : *found;
  }

  /// Allocates the first pod's devices, then searches for the second's.
  bool TryApart(const PodSplit& split) {
    const allocator::Attempt first(question_.snapshot, split.first);
    size_t tried = 0;
    const size_t count = std::min(question_.nodes.size(), kNodesTriedMax);
    for (size_t i = 0; i < count && tried < kFirstPodsTriedMax; ++i) {
      const api::core_v1::Node& node = *question_.nodes[i];
      const Result<allocator::Outcome> outcome = first.Allocate(node, question_.budget);
      if (!outcome) continue;
      const auto* const allocation = std::get_if<allocator::Allocation>(&*outcome);
      if (allocation == nullptr) continue;
      ++tried;
      const allocator::Snapshot rest = freed_.WithTaken(allocation->results);
      const auto* const second = FitsSomewhere(allocator::Attempt(rest, split.second));
      if (second == nullptr) continue;
      size_t moved = 0;
      for (const auto& claim : split.second) moved += claim->spec.devices.requests.size();
      found_.push_back({.kind = ChangeKind::kSplitPod,
                        .amount = moved,
                        .text = fmt::format("split into two pods: {}", split.text),
                        .node = node.metadata.name,
                        .claims = split.first,
                        .second_claims = split.second,
                        .second_node = second->metadata.name});
      return true;
    }
    return false;
  }

  /// Suggests, on each of the most promising nodes, the fewest claims whose devices would do.
  void FreeClaims() {
    const allocator::Budget& budget = question_.budget;
    std::set<std::vector<size_t>> reported;
    for (size_t i = 0; i < std::min(question_.nodes.size(), kNodesFreedMax); ++i) {
      const api::core_v1::Node& node = *question_.nodes[i];
      const auto devices = counter_.DevicesOn(node, question_.way);
      if (!devices) continue;
      const std::vector<size_t> there = HoldersOn(*devices, holders_, question_.own_claims);
      if (there.empty() || there.size() > kHoldersTriedMax) continue;
      const auto fits_without = [&](std::span<const size_t> gone) {
        std::vector<size_t> places;
        for (const size_t place : gone) places.push_back(there[place]);
        const allocator::Snapshot cluster = freed_.Without(places);
        return FitOn(allocator::Attempt(cluster, question_.claims), node, budget) == Fit::kYes;
      };
      std::vector<size_t> all(there.size());
      for (size_t j = 0; j < all.size(); ++j) all[j] = j;
      if (!fits_without(all)) continue;
      std::vector<size_t> fewest;
      for (const size_t place : Minimal(there.size(), fits_without)) fewest.push_back(there[place]);
      if (!reported.insert(fewest).second) continue;
      found_.push_back({.kind = ChangeKind::kFreeClaims,
                        .amount = fewest.size(),
                        .text = FreeText(fewest),
                        .node = node.metadata.name,
                        .claims = question_.claims,
                        .freed = fewest});
    }
  }

  std::string FreeText(std::span<const size_t> places) const {
    std::vector<std::string> names;
    for (const size_t place : places.first(std::min(places.size(), kHoldersNamedMax))) {
      const Holder holder = holders_.At(place);
      std::string pods;
      if (!holder.pods.empty()) pods = fmt::format(" (pod {})", fmt::join(holder.pods, ", "));
      names.push_back(holder.claim + pods);
    }
    const size_t more = places.size() - names.size();
    return fmt::format("take back {} {}{}",
                       places.size() == 1 ? "claim" : "claims",
                       fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  }

  /// Suggests more devices on the most promising node, like one that would do if it were free.
  void AddDevices() {
    if (question_.nodes.empty()) return;
    const FallenDevice* model = nullptr;
    const api::core_v1::Node* node = nullptr;
    std::vector<FallenDevice> devices;
    for (size_t i = 0; i < std::min(question_.nodes.size(), kNodesFreedMax); ++i) {
      auto here = counter_.DevicesOn(*question_.nodes[i], question_.way);
      if (!here) continue;
      const auto found = std::ranges::max_element(
          *here, {}, [](const FallenDevice& device) { return device.fall.step; });
      if (found == here->end() || found->fall.step < Step::kTaints) continue;
      const auto place = found - here->begin();
      devices = *std::move(here);
      model = &devices[static_cast<size_t>(place)];
      node = question_.nodes[i];
      break;
    }
    if (model == nullptr) return;
    for (size_t count = 1; count <= kDevicesAddedMax; ++count) {
      if (TryAdding(*model, *node, count)) return;
    }
  }

  bool TryAdding(const FallenDevice& model, const api::core_v1::Node& node, size_t count) {
    auto slice = std::make_shared<v1::ResourceSlice>();
    slice->metadata.name = fmt::format("{}-{}", node.metadata.name, kAddedPool);
    slice->spec.driver = model.device.driver;
    slice->spec.node_name = node.metadata.name;
    slice->spec.pool = {.name = slice->metadata.name, .generation = 1, .resource_slice_count = 1};
    for (size_t i = 0; i < count; ++i) {
      v1::Device device = *model.published;
      device.name = fmt::format("{}-{}", kAddedPool, i);
      device.taints.clear();
      device.consumes_counters.clear();
      device.node_name.reset();
      device.node_selector.reset();
      device.all_nodes.reset();
      slice->spec.devices.push_back(std::move(device));
    }
    const allocator::ClusterChange change = Frozen<v1::ResourceSlice>(slice);
    const allocator::Snapshot cluster = question_.snapshot.With({&change, 1});
    Suggestion suggestion{.kind = ChangeKind::kMoreDevices,
                          .amount = count,
                          .text = fmt::format("have {} more like {} on node {}",
                                              Devices(count),
                                              model.device.ToString(),
                                              node.metadata.name),
                          .node = node.metadata.name,
                          .claims = question_.claims,
                          .added = slice};
    const allocator::Attempt attempt(cluster, question_.claims);
    if (FitOn(attempt, node, question_.budget) != Fit::kYes) return false;
    found_.push_back(std::move(suggestion));
    return true;
  }

  const SuggestionQuestion& question_;
  FunnelCounter& counter_;
  const Holders& holders_;
  FreedClaims& freed_;
  std::vector<Suggestion> found_;
};

}  // namespace

std::string_view ChangeName(ChangeKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"tolerate",
                                                      "dropConstraint",
                                                      "dropCondition",
                                                      "fewerDevices",
                                                      "lessCapacity",
                                                      "otherClass",
                                                      "splitPod",
                                                      "freeClaims",
                                                      "moreDevices"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<size_t> HoldersOn(std::span<const FallenDevice> devices,
                              const Holders& holders,
                              const std::set<std::string>& own_claims) {
  std::set<size_t> places;
  for (const FallenDevice& device : devices) {
    for (const size_t place : holders.Of(device.device.view())) {
      if (!own_claims.contains(holders.ClaimAt(place).metadata.uid)) places.insert(place);
    }
  }
  return {places.begin(), places.end()};
}

std::vector<Suggestion> Suggest(const SuggestionQuestion& question,
                                FunnelCounter& counter,
                                const Holders& holders,
                                FreedClaims& freed) {
  return Suggester(question, counter, holders, freed).Run();
}

}  // namespace dray::planning::inline explain
