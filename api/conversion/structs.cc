// SPDX-License-Identifier: Apache-2.0
// Two structs are walked side by side. A member goes to the member of the same name; where one side
// wraps it (`*string` and `string`, capacity as a quantity and as a struct around one), the zero
// value stands for absence, as upstream's conversions have it. Members without a counterpart stay
// behind. O(size).
#include "api/conversion/structs.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "api/core_v1/event.h"
#include "api/events_v1.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "base/check.h"

namespace dray::api::conversion {
namespace {

namespace a1 = resource_v1alpha1;
namespace a2 = resource_v1alpha2;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;
namespace hub = resource_v1;

// Up to 1.32 a device without a basic part was refused, so the hub remembers that there was none.
constexpr Releases kKnowsNoBasic = {.first = 0, .last = 32};

// Versions mostly declare their members in the same order, so the search starts where the last one
// ended. Inlined structs meet by their label.
const Field* FindFrom(const Type& type, std::string_view name, size_t& next) {
  const size_t size = type.fields.size();
  for (size_t tried = 0; tried < size; ++tried) {
    const size_t index = (next + tried) % size;
    if (type.fields[index].name != name) continue;
    next = (index + 1) % size;
    return &type.fields[index];
  }
  return nullptr;
}

const Field& VersionedOf(Way way, const Field& from, const Field& to) {
  return way.direction == Direction::kToHub ? from : to;
}

// Whether a member has the value of a new object, so it need not be converted. Cheap, because most
// members are.
bool IsAsNew(const Type& type, const void* member) {
  if (type.kind == TypeKind::kList) return !type.container->present(member);
  if (type.container != nullptr) return type.container->size(member) == 0;
  return type.kind == TypeKind::kString && static_cast<const std::string*>(member)->empty();
}

bool IsNothing(const Type& type, const void* value) {
  if (type.kind == TypeKind::kRawJson) return static_cast<const RawJson*>(value)->IsNull();
  return IsZero(type, value);
}

// In releases where the member could be zero but not absent, zero becomes absent in the hub.
bool IsPlainZero(Way way, const Field& versioned, const void* member) {
  if (way.direction != Direction::kToHub || !versioned.facets.plain.Rules(way.release))
    return false;
  const Type& type = versioned.type();
  return type.container->size(member) == 0 ||
         IsNothing(type.element(), type.container->at(member, 0));
}

// [] of a list that is not written when empty.
bool IsUnseen(Way way, const Field& versioned, const Type& type, const void* member) {
  const Facets& facets = versioned.facets;
  return way.direction == Direction::kFromHub && type.kind == TypeKind::kList &&
         type.container->size(member) == 0 && (!facets.required || facets.omit_empty) &&
         !facets.nullable.Rules(way.release);
}

void ConvertMembers(
    Way way, const Type& from_type, const void* from, const Type& to_type, void* to) {
  size_t next = 0;
  for (const Field& source : from_type.fields) {
    const void* member = source.of(from);
    if (IsAsNew(source.type(), member)) continue;
    const Field* target = FindFrom(to_type, source.name, next);
    if (target == nullptr) continue;
    const Field& versioned = VersionedOf(way, source, *target);
    if (!versioned.facets.in.Has(way.release)) continue;
    if (IsPlainZero(way, versioned, member) || IsUnseen(way, versioned, source.type(), member)) {
      continue;
    }
    ConvertValue(way, source.type(), member, target->type(), MutableMember(*target, to));
  }
}

// ------------------------------------------------------------------------------------------------
// The pairs that differ in shape.

// Whether `value` has any of the members it shares with `other`, be it as an empty list.
bool HasAnyOf(const Type& type, const void* value, const Type& other, Release release) {
  size_t next = 0;
  return std::ranges::any_of(type.fields, [&](const Field& field) {
    if (!field.facets.in.Has(release) || FindFrom(other, field.name, next) == nullptr) return false;
    const void* member = field.of(value);
    const Type& member_type = field.type();
    if (member_type.kind == TypeKind::kList) return member_type.container->present(member);
    if (field.facets.plain.Rules(release)) {
      return member_type.container->size(member) != 0 &&
             !IsNothing(member_type.element(), member_type.container->at(member, 0));
    }
    return !IsZero(member_type, member);
  });
}

// Flat requests have the members of `exactly` themselves; without any of them there is none.
void RequestToHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, type, from, TypeOf<hub::DeviceRequest>(), to);
  const Type& exact = TypeOf<hub::ExactDeviceRequest>();
  if (!HasAnyOf(type, from, exact, way.release)) return;
  auto& request = *static_cast<hub::DeviceRequest*>(to);
  ConvertMembers(way, type, from, exact, &request.exactly.emplace());
}

void RequestFromHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, TypeOf<hub::DeviceRequest>(), from, type, to);
  const auto& request = *static_cast<const hub::DeviceRequest*>(from);
  if (!request.exactly.has_value()) return;
  ConvertMembers(way, TypeOf<hub::ExactDeviceRequest>(), &*request.exactly, type, to);
}

// Everything about a device but its name stands under `basic`.
template <class Device>
void DeviceToHub(Way way, const Type& /*type*/, const void* from, void* to) {
  const auto& device = *static_cast<const Device*>(from);
  auto& converted = *static_cast<hub::Device*>(to);
  converted.name = device.name;
  if (device.basic.has_value()) {
    using Basic = typename decltype(device.basic)::value_type;
    ConvertMembers(way, TypeOf<Basic>(), &*device.basic, TypeOf<hub::Device>(), to);
  } else {
    converted.no_basic = kKnowsNoBasic.Rules(way.release);
  }
}

template <class Device>
void DeviceFromHub(Way way, const Type& /*type*/, const void* from, void* to) {
  const auto& device = *static_cast<const hub::Device*>(from);
  auto& converted = *static_cast<Device*>(to);
  converted.name = device.name;
  using Basic = typename decltype(converted.basic)::value_type;
  Basic& basic = converted.basic.emplace();
  ConvertMembers(way, TypeOf<hub::Device>(), from, TypeOf<Basic>(), &basic);
  const bool had_none = device.no_basic && kKnowsNoBasic.Rules(way.release);
  if (had_none && IsZero(TypeOf<Basic>(), &basic)) converted.basic.reset();
}

// v1alpha3 knows only the amount of a capacity.
void AmountToCapacity(Way /*way*/, const Type& /*type*/, const void* from, void* to) {
  static_cast<hub::DeviceCapacity*>(to)->value = *static_cast<const Quantity*>(from);
}

void AmountFromCapacity(Way /*way*/, const Type& /*type*/, const void* from, void* to) {
  *static_cast<Quantity*>(to) = static_cast<const hub::DeviceCapacity*>(from)->value;
}

// v1alpha1 has one handle, which is the driver's whose name the status has.
void StatusToHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, type, from, TypeOf<a2::ResourceClaimStatus>(), to);
  const auto& status = *static_cast<const a1::ResourceClaimStatus*>(from);
  if (!status.allocation.has_value() || status.allocation->resource_handle.empty()) return;
  a2::ResourceHandle handle;
  handle.driver_name = status.driver_name;
  handle.data = status.allocation->resource_handle;
  // ConvertMembers has made the allocation.
  static_cast<a2::ResourceClaimStatus*>(to)->allocation->resource_handles.push_back(handle);
}

void StatusFromHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, TypeOf<a2::ResourceClaimStatus>(), from, type, to);
  const auto& status = *static_cast<const a2::ResourceClaimStatus*>(from);
  if (!status.allocation.has_value()) return;
  const auto& handles = status.allocation->resource_handles;
  const auto own = std::ranges::find(handles, status.driver_name, &a2::ResourceHandle::driver_name);
  if (own == handles.end()) return;
  // ConvertMembers has made the allocation.
  static_cast<a1::ResourceClaimStatus*>(to)->allocation->resource_handle = own->data;
}

// events.k8s.io has other names for members, and the prefix "deprecated" for obsolete ones.
void EventToHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, type, from, TypeOf<core_v1::Event>(), to);
  const auto& event = *static_cast<const events_v1::Event*>(from);
  auto& converted = *static_cast<core_v1::Event*>(to);
  converted.involved_object = event.regarding;
  converted.message = event.note;
  converted.reporting_component = event.reporting_controller;
  converted.source = event.deprecated_source;
  converted.first_timestamp = event.deprecated_first_timestamp;
  converted.last_timestamp = event.deprecated_last_timestamp;
  converted.count = event.deprecated_count;
}

void EventFromHub(Way way, const Type& type, const void* from, void* to) {
  ConvertMembers(way, TypeOf<core_v1::Event>(), from, type, to);
  const auto& event = *static_cast<const core_v1::Event*>(from);
  auto& converted = *static_cast<events_v1::Event*>(to);
  converted.regarding = event.involved_object;
  converted.note = event.message;
  converted.reporting_controller = event.reporting_component;
  converted.deprecated_source = event.source;
  converted.deprecated_first_timestamp = event.first_timestamp;
  converted.deprecated_last_timestamp = event.last_timestamp;
  converted.deprecated_count = event.count;
}

// How values of a type of some version become values of a hub's type, and back. The functions get
// the type of the version.
struct Pair {
  using Function = void (*)(Way way, const Type& versioned, const void* from, void* to);

  const Type& (*versioned)();
  const Type& (*in_hub)();
  Function to_hub;
  Function from_hub;
};

constexpr Pair kPairs[] = {
    {&TypeOf<b1::DeviceRequest>, &TypeOf<hub::DeviceRequest>, RequestToHub, RequestFromHub},
    {&TypeOf<a3::DeviceRequest>, &TypeOf<hub::DeviceRequest>, RequestToHub, RequestFromHub},
    {&TypeOf<b1::Device>, &TypeOf<hub::Device>, DeviceToHub<b1::Device>, DeviceFromHub<b1::Device>},
    {&TypeOf<a3::Device>, &TypeOf<hub::Device>, DeviceToHub<a3::Device>, DeviceFromHub<a3::Device>},
    {&TypeOf<Quantity>, &TypeOf<hub::DeviceCapacity>, AmountToCapacity, AmountFromCapacity},
    {&TypeOf<a1::ResourceClaimStatus>,
     &TypeOf<a2::ResourceClaimStatus>,
     StatusToHub,
     StatusFromHub},
    {&TypeOf<events_v1::Event>, &TypeOf<core_v1::Event>, EventToHub, EventFromHub},
};

const Pair* FindPair(const Type& versioned, const Type& in_hub) {
  const auto* found = std::ranges::find_if(kPairs, [&](const Pair& pair) {
    return &pair.versioned() == &versioned && &pair.in_hub() == &in_hub;
  });
  return found == std::end(kPairs) ? nullptr : found;
}

bool ConvertPair(Way way, const Type& from_type, const void* from, const Type& to_type, void* to) {
  const bool to_hub = way.direction == Direction::kToHub;
  const Type& versioned = to_hub ? from_type : to_type;
  const Type& in_hub = to_hub ? to_type : from_type;
  if (in_hub.kind != TypeKind::kStruct) return false;
  const Pair* pair = FindPair(versioned, in_hub);
  if (pair == nullptr) return false;
  (to_hub ? pair->to_hub : pair->from_hub)(way, versioned, from, to);
  return true;
}

// ------------------------------------------------------------------------------------------------

void ConvertElements(
    Way way, const Type& from_type, const void* from, const Type& to_type, void* to) {
  const ContainerOperations& source = *from_type.container;
  const ContainerOperations& target = *to_type.container;
  const Type& from_element = from_type.element();
  const Type& to_element = to_type.element();
  const size_t size = source.size(from);
  if (target.reserve != nullptr) target.reserve(to, size);
  if (from_type.kind == TypeKind::kMap) {
    VisitMap(from_type, from, [&](std::string_view key, const void* value) {
      ConvertValue(way, from_element, value, to_element, target.add(to, key));
    });
    return;
  }
  if (source.present != nullptr && source.present(from)) target.set_present(to);
  for (size_t i = 0; i < size; ++i) {
    ConvertValue(way, from_element, source.at(from, i), to_element, target.add(to, {}));
  }
}

// `T` to `optional<T>`, and back.
void ConvertPresence(
    Way way, const Type& from_type, const void* from, const Type& to_type, void* to) {
  if (from_type.kind == TypeKind::kOptional) {
    if (from_type.container->size(from) == 0) return;
    const void* value = from_type.container->at(from, 0);
    ConvertValue(way, from_type.element(), value, to_type, to);
  } else if (!IsZero(from_type, from)) {
    ConvertValue(way, from_type, from, to_type.element(), to_type.container->add(to, {}));
  }
}

}  // namespace

void ConvertValue(Way way, const Type& from_type, const void* from, const Type& to_type, void* to) {
  if (&from_type == &to_type) return Assign(to_type, to, from);
  if (ConvertPair(way, from_type, from, to_type, to)) return;
  if (from_type.kind != to_type.kind) {
    DRAY_CHECK(from_type.kind == TypeKind::kOptional || to_type.kind == TypeKind::kOptional);
    return ConvertPresence(way, from_type, from, to_type, to);
  }
  if (from_type.kind == TypeKind::kStruct) {
    return ConvertMembers(way, from_type, from, to_type, to);
  }
  DRAY_CHECK(from_type.container != nullptr);
  ConvertElements(way, from_type, from, to_type, to);
}

bool NeedsPruning(const Type& type, const void* value, Release release) {
  if (type.scalar != nullptr) return false;
  if (type.kind == TypeKind::kStruct) {
    return std::ranges::any_of(type.fields, [&](const Field& field) {
      const void* member = field.of(value);
      return field.IsOn({.release = release}) ? NeedsPruning(field.type(), member, release)
                                              : !IsZero(field.type(), member);
    });
  }
  const Type& element = type.element();
  if (element.scalar != nullptr) return false;
  const size_t size = type.container->size(value);
  for (size_t i = 0; i < size; ++i) {
    if (NeedsPruning(element, type.container->at(value, i), release)) return true;
  }
  return false;
}

void Prune(const Type& type, void* value, Release release) {
  if (type.scalar != nullptr) return;
  if (type.kind == TypeKind::kStruct) {
    for (const Field& field : type.fields) {
      void* member = MutableMember(field, value);
      if (field.IsOn({.release = release})) {
        Prune(field.type(), member, release);
      } else {
        Clear(field.type(), member);
      }
    }
    return;
  }
  const Type& element = type.element();
  if (element.scalar != nullptr) return;
  const size_t size = type.container->size(value);
  for (size_t i = 0; i < size; ++i) Prune(element, type.container->own(value, i), release);
}

}  // namespace dray::api::conversion
