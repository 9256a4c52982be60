// SPDX-License-Identifier: Apache-2.0
// Lists that are merged element by element cost in proportion to their lengths.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/core_v1/config_map.h"
#include "api/merge/deep_merge.h"
#include "api/object.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha2.h"
#include "tests/cost/bounds.h"
#include "tests/cost/forms.h"
#include "tests/cost/usage.h"

namespace dray::cost {
namespace {

constexpr size_t kBytes = size_t{768} << 10U;

api::Object Read(const api::KindInfo& kind, std::string_view json) {
  auto object = api::DecodeJson(kind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json.substr(0, 200);
  return *std::move(object);
}

// `prepare` returns the function to run for the given number of bytes.
void ExpectProportion(std::string_view name,
                      const std::function<std::function<size_t()>(size_t)>& prepare) {
  Growth growth{std::string(name)};
  for (const size_t size : {kBytes / 4, kBytes / 2, kBytes}) {
    const std::function<size_t()> run = prepare(size);
    size_t answer = 0;
    const Usage usage = Measure([&] { answer = run(); });
    growth.Add(size, usage, answer);
  }
  EXPECT_EQ(growth.Complaint(), "");
}

// No element of one set is in the other.
TEST(MergeCost, OfSetsIsInProportion) {
  const auto with = [](size_t bytes, std::string_view unit) {
    return Read(api::Reflected<api::core_v1::ConfigMap>::kKind,
                Filled(bytes / 2, R"({"metadata":{"finalizers":[)", unit, "]}}"));
  };
  ExpectProportion("sets", [&](size_t bytes) {
    return [into = with(bytes, R"("a#")"), other = with(bytes, R"("b#")")]() mutable {
      api::DeepMerge(into, other);
      return into.As<api::core_v1::ConfigMap>().metadata.finalizers.size();
    };
  });
}

// The oldest version shows one of all handles; the others stay where they were.
TEST(MergeCost, OfHiddenElementsIsInProportion) {
  using Oldest = api::Reflected<api::resource_v1alpha1::ResourceClaim>;
  using Hub = api::Reflected<api::resource_v1alpha2::ResourceClaim>;
  ExpectProportion("hidden elements", [](size_t bytes) {
    const api::Object stored =
        Read(Hub::kKind,
             Filled(bytes,
                    R"({"metadata":{"name":"c"},"status":{"driverName":"d.example",)"
                    R"("allocation":{"resourceHandles":[)",
                    R"({"driverName":"other","data":"#"})",
                    R"(,{"driverName":"d.example","data":"s"}]}}})"));
    api::Object next = api::conversion::ToHub(api::conversion::FromHub(stored, Oldest::kKind));
    return [stored, next = std::move(next)]() mutable {
      next.Mutable<api::resource_v1alpha2::ResourceClaim>().metadata.labels["x"] = "y";
      api::conversion::MergeBack(Oldest::kKind, stored, next, api::Release::kAny);
      return next.As<api::resource_v1alpha2::ResourceClaim>()
          .status.allocation->resource_handles.size();
    };
  });
}

}  // namespace
}  // namespace dray::cost
