// SPDX-License-Identifier: Apache-2.0
#include "api/claims/compact_slices.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::api::claims {
namespace {

namespace v1 = resource_v1;

v1::Device Gpu(int number, std::string_view memory) {
  v1::Device device;
  device.name = fmt::format("d{}", number);
  device.attributes["model"].string = "a model with a long name";
  device.attributes["serial"].string = fmt::format("serial-number-{:09}", number);
  device.attributes["cores"].int_ = 8;
  device.capacity["memory"].value = *Quantity::Parse(memory);
  return device;
}

/// A slice with two devices, each with a serial number of its own.
v1::ResourceSlice Slice(int number) {
  v1::ResourceSlice slice;
  slice.metadata.name = fmt::format("s{}", number);
  slice.spec.devices.push_back(Gpu(2 * number, "1Gi"));
  slice.spec.devices.push_back(Gpu(2 * number + 1, "1073741824"));
  return slice;
}

v1::ResourceSlice Shared(CompactSlices& compact, int number) {
  v1::ResourceSlice slice = Slice(number);
  compact.Share(slice);
  return slice;
}

TEST(CompactSlices, ReadAsBefore) {
  CompactSlices compact;
  for (int i = 0; i < 3; ++i) {
    const v1::ResourceSlice shared = Shared(compact, i);
    EXPECT_EQ(shared, Slice(i));
    EXPECT_EQ(shared.spec.devices[0].capacity.at("memory").value.ToString(), "1Gi");
    EXPECT_EQ(shared.spec.devices[1].capacity.at("memory").value.ToString(), "1073741824")
        << "equal amounts that are written differently stay two";
  }
}

TEST(CompactSlices, HoldEachAttributeAndCapacityOnce) {
  CompactSlices compact;
  std::vector<v1::ResourceSlice> slices;
  std::set<const void*> entries;
  size_t published = 0;
  for (int i = 0; i < 10; ++i) {
    slices.push_back(Shared(compact, i));
    const v1::ResourceSlice& slice = slices.back();
    for (const v1::Device& device : slice.spec.devices) {
      for (const auto& entry : device.attributes) entries.insert(&entry);
      for (const auto& entry : device.capacity) entries.insert(&entry);
      published += device.attributes.size() + device.capacity.size();
    }
  }
  EXPECT_EQ(published, 80U);
  EXPECT_EQ(entries.size(), 24U) << "20 serial numbers, model, cores, and memory written two ways";
}

TEST(CompactSlices, ForgetWhatWentAndNothingElse) {
  std::optional<v1::ResourceSlice> slice;
  {
    CompactSlices compact;
    slice = Shared(compact, 1);
    // More than is kept for slices that went.
    for (int i = 0; i < 10'000; ++i) Shared(compact, i);
    const v1::ResourceSlice again = Shared(compact, 1);
    EXPECT_EQ(&again.spec.devices[0].attributes.find("serial")->second,
              &std::as_const(*slice).spec.devices[0].attributes.find("serial")->second);
  }
  EXPECT_EQ(slice->spec.devices[0].attributes.at("model").string, "a model with a long name")
      << "slices outlive the table";
}

}  // namespace
}  // namespace dray::api::claims
