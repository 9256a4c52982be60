// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/funnel.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "allocator/internals.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "allocator/snapshot/cluster_state.h"
#include "base/try.h"
#include "cel/api_device.h"

namespace dray::planning::inline explain {
namespace {

namespace rules = allocator::rules;
namespace v1 = api::resource_v1;

constexpr std::string_view kOutdated = "a newer generation of the pool is there";

size_t PlaceOf(Step step) {
  return static_cast<size_t>(step);
}

allocator::DeviceIdView IdIn(const v1::ResourceSlice& slice, size_t device) {
  return {slice.spec.driver, slice.spec.pool.name, slice.spec.devices[device].name};
}

}  // namespace

Step NodeFunnel::bottleneck() const {
  for (size_t i = 0; i + 1 < kSteps; ++i) {
    const auto step = static_cast<Step>(i);
    if (std::cmp_greater_equal(LeftAfter(counts, step), wanted)) continue;
    // The number of devices of other classes is of no interest if some are of the class.
    const bool says_little = step == Step::kElsewhere && counts[PlaceOf(Step::kClass)] > 0;
    return says_little ? Step::kClass : step;
  }
  return Step::kUsable;
}

FunnelCounter::FunnelCounter(const allocator::Snapshot& snapshot, const Holders& holders)
    : snapshot_(snapshot),
      inventory_(allocator::Internals::ClusterOf(snapshot)->inventory()),
      holders_(holders),
      state_(snapshot.State()) {}

Result<std::unique_ptr<FunnelCounter>> FunnelCounter::Of(
    const allocator::Snapshot& snapshot,
    std::span<const Frozen<v1::ResourceClaim>> claims,
    const Holders& holders) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::unique_ptr<FunnelCounter> counter(new FunnelCounter(snapshot, holders));
  const rules::GatheredPools nothing;  // "all" depends on the node: see Add
  DRAY_TRY(counter->plans_,
           rules::PlanClaims(
               {.inventory = counter->inventory_,
                .gathered = nothing,
                .state = counter->state_,
                .features = snapshot.features()},
               [](const auto&, const auto&) -> Result<bool> { return false; },
               claims));
  for (const rules::ClaimPlan& plan : counter->plans_) {
    for (const rules::RequestPlan& request : plan.requests) {
      for (const rules::Variant& variant : request.variants) {
        counter->judges_.emplace_back(
            variant,
            Conditions::Of(variant.criteria,
                           *allocator::Internals::ClusterOf(snapshot)->selectors()));
      }
    }
  }
  counter->NumberSlices();
  for (size_t i = 0; i < counter->plans_.size(); ++i) counter->AddWays(counter->plans_[i], i);
  return counter;
}

void FunnelCounter::AddWays(const rules::ClaimPlan& plan, size_t claim) {
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const std::vector<rules::Variant>& variants = plan.requests[i].variants;
    for (size_t j = 0; j < variants.size(); ++j) {
      const rules::Variant& variant = variants[j];
      funnels_.push_back({.claim = plan.key,
                          .request = variant.name.Full(),
                          .claim_index = claim,
                          .request_index = i,
                          .alternative = j,
                          .device_class = variant.criteria.device_class->metadata.name,
                          .wants_all = variant.mode == rules::CountMode::kAll,
                          .is_admin = variant.admin_access,
                          .wanted = variant.needed,
                          .devices = devices_});
      removals_.emplace_back();
      known_.emplace_back(devices_);
    }
  }
}

void FunnelCounter::NumberSlices() {
  slices_ = inventory_.slices();
  for (const auto& slice : slices_) {
    first_device_.emplace(slice.get(), devices_);
    devices_ += slice->spec.devices.size();
  }
}

Result<std::vector<NodeFunnel>> FunnelCounter::Add(const api::core_v1::Node& node) {
  DRAY_TRY(const rules::GatheredPools gathered,
           rules::GatherPools(inventory_, node, snapshot_.features()));
  NodeDevices devices(gathered, state_, snapshot_.features(), node);
  std::vector<NodeFunnel> counts(funnels_.size());
  for (size_t way = 0; way < counts.size(); ++way) {
    if (!funnels_[way].wants_all) counts[way].wanted = funnels_[way].wanted;
  }
  for (const rules::Pool& pool : gathered.pools) {
    if (MayTakeFrom(pool)) {
      AddDevices(pool, devices, counts);
    } else {
      AddPool(pool, node.metadata.name, counts);
    }
  }
  for (size_t way = 0; way < counts.size(); ++way) {
    if (funnels_[way].wants_all) counts[way].wanted = std::max<int64_t>(counts[way].wanted, 1);
  }
  return counts;
}

bool FunnelCounter::MayTakeFrom(const rules::Pool& pool) const {
  return pool.state == rules::PoolState::kComplete ||
         (pool.state == rules::PoolState::kIncomplete &&
          rules::RulesOf(snapshot_.features()).takes_from_incomplete_pools);
}

/// The condition of class or selectors that rejects the device.
std::optional<Fall> FunnelCounter::Unselected(size_t way,
                                              const v1::ResourceSlice& slice,
                                              size_t device) {
  return judges_[way].Unselected(
      slice.spec.driver, slice.spec.devices[device], rules::RulesOf(snapshot_.features()));
}

/// Counts a pool whose devices are unavailable: it rejects all that would be selected.
void FunnelCounter::AddPool(const rules::Pool& pool,
                            std::string_view node,
                            std::vector<NodeFunnel>& counts) {
  const Fall fall{.step = Step::kPool, .why = PoolTrouble(pool)};
  for (const v1::ResourceSlice* slice : inventory_.OfPool(pool.driver, pool.name)) {
    const std::string& of_node = slice->spec.node_name.value_or("");
    if (!of_node.empty() && of_node != node) continue;
    const size_t first = first_device_.at(slice);
    for (size_t way = 0; way < counts.size(); ++way) {
      for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
        const Fall here = Unselected(way, *slice, i).value_or(fall);
        ++counts[way].counts[PlaceOf(here.step)];
        Record(way, first + i, here, TextOf(way, here, IdIn(*slice, i)));
      }
    }
  }
}

void FunnelCounter::AddDevices(const rules::Pool& pool,
                               NodeDevices& devices,
                               std::vector<NodeFunnel>& counts) {
  for (const std::vector<rules::DeviceEntry>& slice : pool.slices) {
    for (const rules::DeviceEntry& entry : slice) {
      const auto& published = entry.slice->spec.devices;
      const size_t number =
          first_device_.at(entry.slice) + static_cast<size_t>(entry.device - published.data());
      for (size_t way = 0; way < counts.size(); ++way) {
        const Fall fall = devices.Judge(judges_[way], entry);
        ++counts[way].counts[PlaceOf(fall.step)];
        if (funnels_[way].wants_all && fall.is_listed) ++counts[way].wanted;
        const Known& known = known_[way][number];
        if (known.removal == UINT32_MAX || known.step < fall.step)
          Record(way, number, fall, TextOf(way, fall, entry.id()));
      }
    }
  }
}

std::string FunnelCounter::TextOf(size_t way,
                                  const Fall& fall,
                                  const allocator::DeviceIdView& device) const {
  switch (fall.step) {
    case Step::kClass:
    case Step::kSelectors: return judges_[way].conditions().all()[fall.condition].text;
    case Step::kInUse: {
      const std::vector<size_t> holders = holders_.Of(device);
      if (holders.empty()) return {};
      return holders_.ClaimAt(holders.front()).metadata.namespace_;
    }
    default: return fall.why;
  }
}

void FunnelCounter::Record(size_t way, size_t device, const Fall& fall, const std::string& text) {
  Known& known = known_[way][device];
  if (known.removal != UINT32_MAX && known.step >= fall.step) return;
  known = {.step = fall.step, .removal = RemovalFor(way, fall, text)};
}

uint32_t FunnelCounter::RemovalFor(size_t way, const Fall& fall, const std::string& text) {
  const bool of_selector = fall.step == Step::kClass || fall.step == Step::kSelectors;
  std::vector<Removal>& removals = funnels_[way].removals;
  const std::string key = of_selector ? fmt::format("{} {}", fall.condition, fall.why) : text;
  const auto [found, is_new] =
      removals_[way].try_emplace(std::pair(fall.step, key), static_cast<uint32_t>(removals.size()));
  if (is_new) {
    removals.push_back({.step = fall.step, .text = text});
    if (of_selector) removals.back().error = fall.why;
  }
  return found->second;
}

/// Counts devices that no node considers, because their pool has a newer generation.
void FunnelCounter::MarkOutdated() {
  std::map<std::pair<std::string_view, std::string_view>, int64_t> newest;
  for (const auto& slice : slices_) {
    const auto& pool = slice->spec.pool;
    int64_t& generation =
        newest.try_emplace({slice->spec.driver, pool.name}, pool.generation).first->second;
    generation = std::max(generation, pool.generation);
  }
  const Fall fall{.step = Step::kPool, .why = std::string(kOutdated)};
  for (const auto& slice : slices_) {
    const auto& pool = slice->spec.pool;
    if (pool.generation == newest.at({slice->spec.driver, pool.name})) continue;
    const size_t first = first_device_.at(slice.get());
    for (size_t way = 0; way < funnels_.size(); ++way) {
      for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
        if (known_[way][first + i].step != Step::kElsewhere) continue;
        const Fall here = Unselected(way, *slice, i).value_or(fall);
        Record(way, first + i, here, TextOf(way, here, IdIn(*slice, i)));
      }
    }
  }
}

std::vector<Funnel> FunnelCounter::Finish() {
  MarkOutdated();
  for (size_t way = 0; way < funnels_.size(); ++way) {
    Funnel& funnel = funnels_[way];
    for (const Known& known : known_[way]) {
      ++funnel.counts[PlaceOf(known.step)];
      if (known.removal != UINT32_MAX) ++funnel.removals[known.removal].devices;
    }
    AddValues(funnel, way);
    std::erase_if(funnel.removals, [](const Removal& removal) {
      return removal.devices == 0 || removal.step == Step::kUsable;
    });
    std::ranges::sort(funnel.removals, [](const Removal& a, const Removal& b) {
      return std::tuple(a.step, b.devices, std::tie(a.text, a.error)) <
             std::tuple(b.step, a.devices, std::tie(b.text, b.error));
    });
  }
  return std::move(funnels_);
}

/// Adds the values of the devices that conditions reject.
void FunnelCounter::AddValues(Funnel& funnel, size_t way) {
  std::vector<const Condition*> condition_of(funnel.removals.size(), nullptr);
  for (const auto& [key, place] : removals_[way]) {
    if (key.first != Step::kClass && key.first != Step::kSelectors) continue;
    const size_t number = std::stoul(key.second);
    condition_of[place] = &judges_[way].conditions().all()[number];
  }
  std::vector<std::vector<Counter>> counters(funnel.removals.size());
  for (const auto& slice : slices_) {
    const size_t first = first_device_.at(slice.get());
    for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
      const uint32_t place = known_[way][first + i].removal;
      if (place == UINT32_MAX || condition_of[place] == nullptr) continue;
      const std::vector<cel::DeviceName>& names = condition_of[place]->names;
      counters[place].resize(names.size());
      const cel::Device seen = cel::DeviceOf(slice->spec.driver, slice->spec.devices[i]);
      for (size_t name = 0; name < names.size(); ++name)
        counters[place][name].Count(ValueText(seen, names[name]), first + i);
    }
  }
  for (size_t place = 0; place < counters.size(); ++place) {
    for (size_t name = 0; name < counters[place].size(); ++name) {
      NameValues values{.name = condition_of[place]->names[name],
                        .values = counters[place][name].all()};
      std::ranges::sort(values.values, [](const Counted& a, const Counted& b) {
        return std::tuple(b.count, a.first) < std::tuple(a.count, b.first);
      });
      funnel.removals[place].have.push_back(std::move(values));
    }
    AddMissing(funnel.removals[place]);
  }
}

/// Adds suggestions for names that none of the devices has.
void FunnelCounter::AddMissing(Removal& removal) {
  for (const NameValues& have : removal.have) {
    if (have.values.size() != 1 || have.values.front().text != kNoValue) continue;
    if (!census_.has_value()) {
      census_.emplace();
      for (const auto& slice : slices_) {
        for (const v1::Device& device : slice->spec.devices)
          census_->Add(cel::DeviceOf(slice->spec.driver, device));
      }
    }
    removal.missing.push_back({.name = have.name,
                               .devices = census_->On(have.name),
                               .total = devices_,
                               .suggestions = census_->Near(have.name)});
  }
}

std::string FunnelCounter::PoolTrouble(const rules::Pool& pool) const {
  const std::string name = fmt::format("{}/{}", pool.driver, pool.name);
  if (pool.state == rules::PoolState::kInvalid)
    return fmt::format("pool {} is invalid: {}", name, pool.invalid_reason);
  int64_t newest = 0;
  for (const v1::ResourceSlice* slice : inventory_.OfPool(pool.driver, pool.name))
    newest = std::max(newest, slice->spec.pool.generation);
  size_t there = 0;
  int64_t announced = 0;
  for (const v1::ResourceSlice* slice : inventory_.OfPool(pool.driver, pool.name)) {
    if (slice->spec.pool.generation != newest) continue;
    if (there++ == 0) announced = slice->spec.pool.resource_slice_count;
  }
  return fmt::format(
      "pool {} is incomplete: of {} slices its driver has published {}", name, announced, there);
}

Result<std::vector<FallenDevice>> FunnelCounter::DevicesOn(const api::core_v1::Node& node,
                                                           size_t way) {
  DRAY_TRY(const rules::GatheredPools gathered,
           rules::GatherPools(inventory_, node, snapshot_.features()));
  NodeDevices devices(gathered, state_, snapshot_.features(), node);
  std::vector<FallenDevice> fallen;
  for (const rules::Pool& pool : gathered.pools) {
    if (!MayTakeFrom(pool)) continue;
    for (const std::vector<rules::DeviceEntry>& slice : pool.slices) {
      for (const rules::DeviceEntry& entry : slice) {
        fallen.push_back({.device = allocator::DeviceId::Of(entry.id()),
                          .fall = devices.Judge(judges_[way], entry),
                          .slice = entry.slice,
                          .published = entry.device});
      }
    }
  }
  return fallen;
}

}  // namespace dray::planning::inline explain
