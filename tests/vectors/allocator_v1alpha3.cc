// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_v1alpha3.h"

#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "base/frozen.h"
#include "base/try.h"
#include "tests/judges/problem_json.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
namespace a3 = api::resource_v1alpha3;
namespace v1 = api::resource_v1;

constexpr api::Release kRelease = api::Release::k1_31;

template <class Old, class Hub>
Result<std::vector<Frozen<Hub>>> Objects(const json::object& problem, std::string_view member) {
  std::vector<Frozen<Hub>> objects;
  for (const json::value& value : problem.at(member).as_array()) {
    DRAY_TRY(
        const api::Object object,
        api::DecodeJson(
            api::Reflected<Old>::kKind, json::serialize(value), nullptr, {.release = kRelease}));
    objects.push_back(api::FrozenOf<Hub>(api::conversion::ToHub(object, kRelease)));
  }
  return objects;
}

}  // namespace

Result<judges::Problem> DecodeV1alpha3Problem(const json::object& problem) {
  json::object rest = problem;  // which is the same in all versions
  for (const char* member : {"classes", "slices", "claims"}) rest[member] = json::array();
  DRAY_TRY(judges::Problem decoded, judges::DecodeProblem(rest));
  DRAY_TRY(decoded.classes, (Objects<a3::DeviceClass, v1::DeviceClass>(problem, "classes")));
  DRAY_TRY(decoded.slices, (Objects<a3::ResourceSlice, v1::ResourceSlice>(problem, "slices")));
  DRAY_TRY(decoded.claims, (Objects<a3::ResourceClaim, v1::ResourceClaim>(problem, "claims")));
  return decoded;
}

std::string V1alpha3Json(const v1::AllocationResult& result) {
  v1::ResourceClaim claim;
  claim.status.allocation = result;
  const api::Object old = api::conversion::FromHub(
      api::Object::Of(std::move(claim)), api::Reflected<a3::ResourceClaim>::kKind, kRelease);
  std::string text;
  api::EncodeJson(api::TypeOf<a3::AllocationResult>(),
                  &*old.As<a3::ResourceClaim>().status.allocation,
                  text,
                  {.release = kRelease});
  return text;
}

}  // namespace dray::vectors
