// SPDX-License-Identifier: Apache-2.0
#include "api/conversion/conversion.h"

#include "api/conversion/autoscaler.h"
#include "api/conversion/structs.h"
#include "api/custom_kind.h"
#include "base/check.h"

namespace dray::api::conversion {

Object ToHub(const Object& object, Release release) {
  if (IsCustom(object.kind())) return object;  // it changes its version when it is stored
  const KindInfo& hub = object.kind().storage();
  if (&hub == &object.kind()) return object;
  Object converted = Object::Make(hub);
  ConvertValue({.direction = Direction::kToHub, .release = release},
               object.type(),
               object.value(),
               hub.type(),
               converted.mutable_value());
  AutoscalerToHub(object, converted);
  return converted;
}

Object FromHub(const Object& hub, const KindInfo& version, Release release) {
  if (const CustomKind* custom = CustomOf(version); custom != nullptr) {
    return &hub.kind() == &version ? hub : ReadAs(hub, *custom);
  }
  DRAY_CHECK(&version.storage() == &hub.kind());
  if (&version == &hub.kind()) return hub;
  Object converted = Object::Make(version);
  ConvertValue({.direction = Direction::kFromHub, .release = release},
               hub.type(),
               hub.value(),
               version.type(),
               converted.mutable_value());
  AutoscalerFromHub(hub, converted);
  return converted;
}

Object ThereAndBack(const Object& hub, const KindInfo& version, Release release) {
  if (&version != &hub.kind()) return ToHub(FromHub(hub, version, release), release);
  if (!NeedsPruning(hub.type(), hub.value(), release)) return hub;
  Object shown = hub.Clone();
  Prune(shown.type(), shown.mutable_value(), release);
  return shown;
}

}  // namespace dray::api::conversion
