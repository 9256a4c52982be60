// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/consumable_capacity.h"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
using testing::FeaturesWith;
using ::testing::HasSubstr;

/// A device with capacity "m" of `value` under `policy` (JSON, or empty for none).
v1::Device DeviceOf(std::string_view value, std::string_view policy) {
  return testing::FromJson<v1::Device>(fmt::format(
      R"({{"name":"a","allowMultipleAllocations":true,"capacity":{{"m":{{"value":"{}"{}}}}}}})",
      value,
      policy.empty() ? std::string() : fmt::format(R"(,"requestPolicy":{})", policy)));
}

std::optional<v1::CapacityRequirements> RequestOf(std::string_view amount) {
  if (amount.empty()) return std::nullopt;
  v1::CapacityRequirements request;
  request.requests["m"] = *api::Quantity::Parse(amount);
  return request;
}

struct AmountCase {
  std::string_view value, policy, asked;
  std::string_view taken;             // in v0.37.2, or its error
  std::string_view taken_in_36 = {};  // where that differs
  std::string_view switches = "ConsumableCapacity";
};

std::string Taken(const AmountCase& c, std::string_view profile) {
  const std::optional<v1::CapacityRequirements> request = RequestOf(c.asked);
  const Result<ConsumedCapacity> taken = AmountsTaken(DeviceOf(c.value, c.policy),
                                                      request.has_value() ? &*request : nullptr,
                                                      FeaturesWith(profile, c.switches));
  return taken ? taken->find("m")->second.ToString() : taken.error().message;
}

TEST(AmountsTaken, FollowThePolicy) {
  constexpr AmountCase kCases[] = {
      {"10", "", "", "10"},
      {"10", "", "3", "3"},
      {"10", R"({"default":"4"})", "", "4"},
      {"10", R"({"default":"4"})", "3", "3"},
      {"10", R"({"validValues":["2","4","8"]})", "3", "4"},
      {"10", R"({"validValues":["2","4","8"]})", "9", "9"},
      {"10", R"({"validRange":{"min":"2"}})", "1", "2"},
      {"10", R"({"validRange":{"min":"2"}})", "5", "5"},
      {"10", R"({"validRange":{"max":"2"}})", "5", "5"},
      {"10", R"({"validRange":{"min":"2","step":"3"}})", "4", "5"},
      {"4Gi", R"({"validRange":{"min":"1Gi","step":"1Gi"}})", "1500Mi", "2Gi"},
      // Rounded amounts are spelt like the step since 0.37.
      {"10G", R"({"validRange":{"min":"1G","step":"1G"}})", "2500M", "3G", "3000000000"},
      {"10k", R"({"validRange":{"min":"1Ki","step":"1Ki"}})", "2000", "2Ki"},
      {"2", R"({"validRange":{"min":"250m","step":"250m"}})", "600m", "1"},
      // Beyond 64 bits.
      {"90E", "", "10E", "10E"},
      {"90E",
       R"({"validRange":{"min":"1","step":"1"}})",
       "10E",
       R"(capacity "m": capacity request cannot be represented in the device's range arithmetic: )"
       R"(request 10E exceeds MaxInt64)",
       "0"},
      {"90E",
       R"({"validRange":{"min":"2","step":"2"}})",
       "9223372036854775807",
       R"(capacity "m": capacity request cannot be represented in the device's range arithmetic: )"
       R"(rounding request 9223372036854775807 up to the next step passes MaxInt64)",
       "-9223372036854775808"},
      {"10", "", "-1", R"(capacity "m": capacity value is negative)", "-1"},
      // On these upstream crashes.
      {"10",
       R"({"validRange":{"min":"1","step":"0"}})",
       "3",
       R"(capacity "m": the step of the valid range is zero)"},
  };
  for (const AmountCase& c : kCases) {
    EXPECT_EQ(Taken(c, "v0.37.2"), c.taken) << c.policy << " " << c.asked;
    EXPECT_EQ(Taken(c, "v0.36.6"), c.taken_in_36.empty() ? c.taken : c.taken_in_36)
        << c.policy << " " << c.asked;
  }
}

TEST(AmountsTaken, FractionsOfRangesHaveASwitch) {
  AmountCase c{"2", R"({"validRange":{"min":"250m","step":"250m"}})", "600m", "750m"};
  c.switches = "ConsumableCapacity FractionalCapacityRange";
  EXPECT_EQ(Taken(c, "v0.37.2"), "750m");
  c.asked = "1m";
  EXPECT_EQ(Taken(c, "v0.37.2"), "250m");
  c.asked = "300000n";  // below the minimum it is never counted in thousandths
  EXPECT_EQ(Taken(c, "v0.37.2"), "250m");
  c.asked = "250000001n";
  EXPECT_THAT(Taken(c, "v0.37.2"), HasSubstr("is not a representable milli value"));
}

struct FitCase {
  std::string_view value, policy, asked, committed, given;
  std::string_view fits;  // "yes", "no" or part of an error
};

TEST(FitsCapacity, InWhatIsLeftAndAsThePolicyAllows) {
  constexpr FitCase kCases[] = {
      {"10", "", "4", "3", "3", "yes"},
      {"10", "", "4", "3", "3.001", "no"},
      {"10", "", "11", "", "", "no"},
      {"10", R"({"validRange":{"min":"1","max":"5"}})", "6", "", "", "no"},
      {"10", R"({"validRange":{"min":"1","max":"5"}})", "5", "", "", "yes"},
      {"10", R"({"validValues":["2","4"]})", "5", "", "", "no"},
      {"10", R"({"validValues":["2","4"]})", "2000m", "", "", "yes"},
      // Its own default may be against the policy, if it is written alike.
      {"10", R"({"default":"7","validValues":["2","4"]})", "7", "", "", "yes"},
      {"10", R"({"default":"7","validValues":["2","4"]})", "7000m", "", "", "no"},
      {"10", R"({"default":"7","validRange":{"step":"2"}})", "6", "", "", "no minimum"},
  };
  for (const FitCase& c : kCases) {
    const auto amounts = [](std::string_view amount) {
      ConsumedCapacity map;
      if (!amount.empty()) map["m"] = *api::Quantity::Parse(amount);
      return map;
    };
    const std::optional<v1::CapacityRequirements> request = RequestOf(c.asked);
    const ConsumedCapacity committed = amounts(c.committed);
    const ConsumedCapacity given = amounts(c.given);
    const Result<bool> fits = FitsCapacity(DeviceOf(c.value, c.policy),
                                           &*request,
                                           FeaturesWith("v0.37.2", "ConsumableCapacity"),
                                           &committed,
                                           &given);
    const std::string answer = fits ? (*fits ? "yes" : "no") : fits.error().message;
    EXPECT_THAT(answer, HasSubstr(std::string(c.fits))) << c.policy << " " << c.asked;
  }
}

TEST(FitsCapacity, NotWithoutTheCapacity) {
  v1::CapacityRequirements request;
  request.requests["other"] = api::Quantity::FromInt(1);
  for (const char* profile : {"v0.36.6", "v0.37.2"}) {
    const Result<bool> fits =
        FitsCapacity(DeviceOf("1", ""), &request, FeaturesWith(profile, "ConsumableCapacity"));
    ASSERT_TRUE(fits) << fits.error().message;
    EXPECT_FALSE(*fits);
  }
}

}  // namespace
}  // namespace dray::allocator::rules
