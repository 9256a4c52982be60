// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_events.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tests/judges/chance.h"
#include "tests/judges/random_devices.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using allocator::DeviceId;

/// Replaces the object of that name, or appends it; removes it if `object` is null.
template <class T>
void Replace(std::vector<Frozen<T>>& objects, const std::string& name, const Frozen<T>& object) {
  const auto found = std::ranges::find_if(
      objects, [&](const Frozen<T>& other) { return other->metadata.name == name; });
  if (found == objects.end()) {
    if (object != nullptr) objects.push_back(object);
  } else if (object != nullptr) {
    *found = object;
  } else {
    objects.erase(found);
  }
}

void ApplyClaim(const ClaimEvent& event, allocator::AllocatedState& state) {
  const bool takes = event.kind == ClaimEvent::Kind::kTake;
  for (const DeviceId& device : event.devices) {
    if (takes) {
      state.devices.insert(device);
    } else {
      state.devices.erase(device);
    }
  }
  for (const ClaimEvent::Share& share : event.shares) {
    if (takes) {
      state.shares.insert(share.id);
      for (const auto& [name, amount] : share.amounts)
        state.capacity[share.id.device][name] += amount;
      continue;
    }
    state.shares.erase(share.id);
    const auto consumed = state.capacity.find(share.id.device);
    if (consumed == state.capacity.end()) continue;
    for (const auto& [name, amount] : share.amounts) consumed->second[name] -= amount;
    // Upstream does not record a consumption that is all zero.
    const bool is_empty = std::ranges::all_of(
        consumed->second, [](const auto& entry) { return entry.second.IsZero(); });
    if (is_empty) state.capacity.erase(consumed);
  }
}

class EventWriter {
 public:
  EventWriter(Problem start, uint64_t seed) : problem_(std::move(start)), chance_(seed) {
    for (const DeviceId& device : problem_.allocated.devices)
      held_.push_back({.kind = ClaimEvent::Kind::kTake, .devices = {device}});
  }

  Event Next() {
    const int choice = chance_.Between(0, 99);
    Event event = choice < 35   ? Take()
                  : choice < 60 ? GiveBack()
                  : choice < 90 ? Event(ChangeSlices())
                                : Event(ChangeClasses());
    Apply(event, problem_);
    return event;
  }

 private:
  struct Published {
    DeviceId id;
    const v1::Device* device;
  };

  Event Take() {
    std::vector<Published> published;
    for (const auto& slice : problem_.slices) {
      for (const v1::Device& device : slice->spec.devices)
        published.push_back({{slice->spec.driver, slice->spec.pool.name, device.name}, &device});
    }
    ClaimEvent event{.kind = ClaimEvent::Kind::kTake};
    const int count = chance_.Between(1, 3);
    for (int i = 0; i < count && !published.empty(); ++i) AddTo(event, chance_.Pick(published));
    if (event.devices.empty() && event.shares.empty()) return GiveBack();
    held_.push_back(event);
    return event;
  }

  /// Adds the device, or a share of it, to the event if it is free.
  void AddTo(ClaimEvent& event, const Published& published) {
    const auto& [id, device] = published;
    if (problem_.allocated.devices.contains(id)) return;
    if (std::ranges::find(event.devices, id) != event.devices.end()) return;
    if (!device->allow_multiple_allocations.value_or(false)) {
      event.devices.push_back(id);
      return;
    }
    ClaimEvent::Share share{.id = {.device = id, .share = fmt::format("event-{}", ++shares_)}};
    for (const auto& [name, capacity] : device->capacity)
      share.amounts[name] = RandomAmount(name, chance_);
    event.shares.push_back(std::move(share));
  }

  Event GiveBack() {
    if (held_.empty()) return ChangeSlices();
    const size_t index = chance_.Below(held_.size());
    ClaimEvent event = std::move(held_[index]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
    event.kind = ClaimEvent::Kind::kGiveBack;
    return event;
  }

  SliceEvent ChangeSlices() {
    const int choice = chance_.Between(0, 9);
    if (!gone_slices_.empty() && (problem_.slices.empty() || choice < 2)) {
      const Frozen<v1::ResourceSlice> back = std::move(gone_slices_.back());
      gone_slices_.pop_back();
      return {back->metadata.name, back};
    }
    if (problem_.slices.empty()) return {"none", nullptr};
    const Frozen<v1::ResourceSlice> slice = chance_.Pick(problem_.slices);
    if (choice < 4) {
      gone_slices_.push_back(slice);
      return {slice->metadata.name, nullptr};
    }
    auto changed = std::make_shared<v1::ResourceSlice>(*slice);
    ChangeSpec(changed->spec);
    return {slice->metadata.name, std::move(changed)};
  }

  void ChangeSpec(v1::ResourceSliceSpec& spec) {
    switch (chance_.Below(6)) {
      case 0: ++spec.pool.generation; break;
      case 1: spec.pool.resource_slice_count = chance_.Between(1, 3); break;
      case 2:
        if (spec.node_name.has_value()) {
          spec.node_name = chance_.Pick(problem_.nodes).metadata.name;
        } else {
          spec.all_nodes = !spec.all_nodes.value_or(false);
        }
        break;
      case 3:
        spec.devices.push_back({.name = fmt::format("new-{}", ++devices_)});
        spec.devices.back().attributes["numa"] = {.int_ = chance_.Between(0, 2)};
        break;
      case 4:
        if (!spec.devices.empty())
          spec.devices.erase(spec.devices.begin() +
                             static_cast<std::ptrdiff_t>(chance_.Below(spec.devices.size())));
        break;
      default:
        if (!spec.devices.empty()) ChangeDevice(spec.devices[chance_.Below(spec.devices.size())]);
        break;
    }
  }

  void ChangeDevice(v1::Device& device) {
    switch (chance_.Below(4)) {
      case 0: device.attributes["numa"] = {.int_ = chance_.Between(0, 2)}; break;
      case 1: device.attributes["model"] = {.string = chance_.Percent(50) ? "A100" : "H100"}; break;
      case 2: device.taints.push_back({.key = "maintenance", .effect = "NoSchedule"}); break;
      default: device.taints.clear(); break;
    }
  }

  ClassEvent ChangeClasses() {
    if (!gone_classes_.empty() && (problem_.classes.empty() || chance_.Percent(60))) {
      const Frozen<v1::DeviceClass> back = std::move(gone_classes_.back());
      gone_classes_.pop_back();
      return {back->metadata.name, back};
    }
    if (problem_.classes.empty()) return {"none", nullptr};
    const Frozen<v1::DeviceClass> device_class = chance_.Pick(problem_.classes);
    if (chance_.Percent(40)) {
      gone_classes_.push_back(device_class);
      return {device_class->metadata.name, nullptr};
    }
    auto changed = std::make_shared<v1::DeviceClass>(*device_class);
    if (changed->spec.selectors.size() > 1 && chance_.Percent(50)) {
      changed->spec.selectors.pop_back();
    } else {
      changed->spec.selectors.emplace_back();
      changed->spec.selectors.back().cel =
          v1::CELDeviceSelector{.expression = R"(device.driver != "other.example.com")"};
    }
    return {device_class->metadata.name, std::move(changed)};
  }

  Problem problem_;  // after the events so far
  Chance chance_;
  std::vector<ClaimEvent> held_;
  std::vector<Frozen<v1::ResourceSlice>> gone_slices_;
  std::vector<Frozen<v1::DeviceClass>> gone_classes_;
  int shares_ = 0;
  int devices_ = 0;
};

}  // namespace

std::vector<DeviceId> ClaimEvent::Touched() const {
  std::vector<DeviceId> touched = devices;
  for (const Share& share : shares) touched.push_back(share.id.device);
  return touched;
}

std::vector<Event> RandomEvents(const Problem& start, uint64_t seed, size_t count) {
  EventWriter writer(start, seed);
  std::vector<Event> events;
  while (events.size() < count) events.push_back(writer.Next());
  return events;
}

void Apply(const Event& event, Problem& problem) {
  if (const auto* slice = std::get_if<SliceEvent>(&event)) {
    Replace(problem.slices, slice->name, slice->slice);
  } else if (const auto* device_class = std::get_if<ClassEvent>(&event)) {
    Replace(problem.classes, device_class->name, device_class->device_class);
  } else {
    ApplyClaim(std::get<ClaimEvent>(event), problem.allocated);
  }
}

}  // namespace dray::judges
