// SPDX-License-Identifier: Apache-2.0
#include "api/validation/shown_in_version.h"

#include <string>

#include <gtest/gtest.h>

#include "api/kind.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1beta1.h"
#include "api/resource_v1beta2.h"

namespace dray::api::validation {
namespace {

std::string ShownIn(const KindInfo* version) {
  resource_v1::DeviceRequest request;
  request.name = "r";
  request.exactly.emplace().device_class_name = "gpu.example";
  return ShownInVersion(request, Findings({}, version));
}

TEST(ShownInVersion, HasTheFormOfTheVersion) {
  const std::string nested = R"({"name":"r","exactly":{"deviceClassName":"gpu.example"}})";
  EXPECT_EQ(ShownIn(nullptr), nested);
  EXPECT_EQ(ShownIn(&Reflected<resource_v1::ResourceClaim>::kKind), nested);
  EXPECT_EQ(ShownIn(&Reflected<resource_v1beta2::ResourceClaim>::kKind), nested);
  EXPECT_EQ(ShownIn(&Reflected<resource_v1beta1::ResourceClaim>::kKind),
            R"({"name":"r","deviceClassName":"gpu.example"})");
}

TEST(ShownInVersion, IsTheSameForWhatIsTheSame) {
  resource_v1::DeviceSubRequest request;
  request.name = "r";
  request.device_class_name = "gpu.example";
  const Findings out({}, &Reflected<resource_v1beta1::ResourceClaim>::kKind);
  EXPECT_EQ(ShownInVersion(request, out), R"({"name":"r","deviceClassName":"gpu.example"})");
}

}  // namespace
}  // namespace dray::api::validation
