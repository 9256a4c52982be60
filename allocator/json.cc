// SPDX-License-Identifier: Apache-2.0
#include "dray/api/json.h"

#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/conversion/conversion.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/try.h"

namespace dray::api::inline v0 {
namespace {

/// An object of any version of `hub`, as `hub`.
Result<Object> ReadAs(const KindInfo& hub, std::string_view json, Time now) {
  DRAY_TRY(const TypeMeta meta, ReadTypeMeta(json));
  const KindInfo* const kind = Scheme().FindKind(meta.api_version, meta.kind);
  if (kind == nullptr || &kind->storage() != &hub) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{:?} of {:?} is no version of {} of {}",
                            meta.kind,
                            meta.api_version,
                            hub.kind,
                            hub.api_version));
  }
  DRAY_TRY(Object object, DecodeJson(*kind, json, nullptr));
  defaults::SetDefaults(object, now);
  return conversion::ToHub(object);
}

}  // namespace

template <class T>
Result<T> FromJson(std::string_view json, Time now) {
  DRAY_TRY(const Object object, ReadAs(Reflected<T>::kKind, json, now));
  return object.As<T>();
}

template <class T>
Result<T> FromYaml(std::string_view yaml, Time now) {
  DRAY_TRY(const YamlDocument document, YamlToJson(yaml));
  return FromJson<T>(document.json, now);
}

template <class T>
std::string ToJson(const T& object) {
  std::string json;
  const KindInfo& kind = Reflected<T>::kKind;
  EncodeJson({.api_version = std::string(kind.api_version), .kind = std::string(kind.kind)},
             kind.type(),
             &object,
             json);
  return json;
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define DRAY_JSON_OF(T)                                   \
  template Result<T> FromJson<T>(std::string_view, Time); \
  template Result<T> FromYaml<T>(std::string_view, Time); \
  template std::string ToJson<T>(const T&)
// NOLINTEND(bugprone-macro-parentheses)

DRAY_JSON_OF(core_v1::Node);
DRAY_JSON_OF(core_v1::Pod);
DRAY_JSON_OF(resource_v1::DeviceClass);
DRAY_JSON_OF(resource_v1::DeviceTaintRule);
DRAY_JSON_OF(resource_v1::ResourceClaim);
DRAY_JSON_OF(resource_v1::ResourceClaimTemplate);
DRAY_JSON_OF(resource_v1::ResourceSlice);

}  // namespace dray::api::inline v0
