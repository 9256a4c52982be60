// SPDX-License-Identifier: Apache-2.0
#include "api/quota/limit_ranges.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/object.h"

namespace dray::api::quota {
namespace {

template <class T>
T ReadRange(const std::string& json) {
  T value;
  const auto read = DecodeJson(TypeOf<T>(), json, &value, nullptr);
  EXPECT_TRUE(read.has_value()) << json;
  return value;
}

std::vector<core_v1::LimitRange> RangeOf(const std::string& items) {
  return {ReadRange<core_v1::LimitRange>(R"({"spec":{"limits":[)" + items + "]}}")};
}

core_v1::Pod PodWith(const std::string& resources, const std::string& init = "") {
  return ReadRange<core_v1::Pod>(
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":)" + resources +
      "}]" + init + "}}");
}

TEST(LimitRanges, FillInWhatContainersLeaveOut) {
  core_v1::Pod pod = PodWith(R"({"limits":{"cpu":"2"}})", R"(,"initContainers":[{"name":"i"}])");
  FillIn(RangeOf(R"({"type":"Container","default":{"cpu":"1","memory":"1Gi"},)"
                 R"("defaultRequest":{"cpu":"500m"}},{"type":"Pod","max":{"cpu":"3"}})"),
         pod);
  EXPECT_EQ(pod.metadata.annotations.find("kubernetes.io/limit-ranger")->second,
            "LimitRanger plugin set: cpu request for container c; memory limit for container c; "
            "cpu request for init container i; cpu, memory limit for init container i");
  const auto& resources = pod.spec.containers[0].resources;
  EXPECT_EQ(resources.limits.find("cpu")->second.ToString(), "2");
  EXPECT_EQ(resources.limits.find("memory")->second.ToString(), "1Gi");
  EXPECT_EQ(resources.requests.find("cpu")->second.ToString(), "500m");
}

TEST(LimitRanges, APodThatSaysEverythingIsLeftAlone) {
  core_v1::Pod pod = PodWith(R"({"limits":{"cpu":"2"}})");
  FillIn(RangeOf(R"({"type":"Container","default":{"cpu":"1"}})"), pod);
  EXPECT_TRUE(pod.metadata.annotations.empty());
}

struct Bounds {
  const char* name;
  const char* item;
  const char* resources;
  const char* want;
};

class LimitRangeBounds : public ::testing::TestWithParam<Bounds> {};

TEST_P(LimitRangeBounds, AreToldAsUpstreamTellsThem) {
  EXPECT_EQ(BoundsBrokenBy(PodWith(GetParam().resources), RangeOf(GetParam().item)),
            GetParam().want);
}

constexpr const char* kMax = R"({"type":"Container","max":{"cpu":"2"}})";
constexpr const char* kMin = R"({"type":"Container","min":{"cpu":"100m"}})";
constexpr const char* kRatio = R"({"type":"Container","maxLimitRequestRatio":{"cpu":"2"}})";
constexpr const char* kOfPod = R"({"type":"Pod","max":{"cpu":"2"},"min":{"memory":"1Gi"}})";

INSTANTIATE_TEST_SUITE_P(
    All,
    LimitRangeBounds,
    ::testing::Values(
        Bounds{"Most", kMax, R"({"limits":{"cpu":"2"}})", ""},
        Bounds{"OnePast",
               kMax,
               R"({"limits":{"cpu":"2001m"}})",
               "maximum cpu usage per Container is 2, but limit is 2001m"},
        Bounds{"NoLimit",
               kMax,
               R"({"requests":{"cpu":"1"}})",
               "maximum cpu usage per Container is 2.  No limit is specified"},
        Bounds{"RequestAboveMost",
               kMax,
               R"({"limits":{"cpu":"1"},"requests":{"cpu":"3"}})",
               "maximum cpu usage per Container is 2, but request is 3"},
        Bounds{"Least", kMin, R"({"requests":{"cpu":"100m"}})", ""},
        Bounds{"BelowLeast",
               kMin,
               R"({"requests":{"cpu":"99m"}})",
               "minimum cpu usage per Container is 100m, but request is 99m"},
        Bounds{"NoRequest",
               kMin,
               "{}",
               "minimum cpu usage per Container is 100m.  No request is specified"},
        Bounds{"LimitBelowLeast",
               kMin,
               R"({"limits":{"cpu":"1m"},"requests":{"cpu":"1"}})",
               "minimum cpu usage per Container is 100m, but limit is 1m"},
        Bounds{"Ratio", kRatio, R"({"limits":{"cpu":"2"},"requests":{"cpu":"1"}})", ""},
        Bounds{"RatioPast",
               kRatio,
               R"({"limits":{"cpu":"3"},"requests":{"cpu":"1"}})",
               "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000"},
        Bounds{"RatioOfNothing",
               kRatio,
               R"({"limits":{"cpu":"3"}})",
               "cpu max limit to request ratio per Container is 2, but no request is specified or "
               "request is 0"},
        Bounds{"RatioWithoutLimit",
               kRatio,
               R"({"requests":{"cpu":"3"}})",
               "cpu max limit to request ratio per Container is 2, but no limit is specified or "
               "limit is 0"},
        Bounds{"SeveralOfAPod",
               kOfPod,
               R"({"limits":{"cpu":"3"}})",
               "[minimum memory usage per Pod is 1Gi.  No request is specified, maximum cpu usage "
               "per Pod is 2, but limit is 3]"},
        Bounds{
            "OthersType", R"({"type":"PersistentVolumeClaim","min":{"storage":"1"}})", "{}", ""}),
    [](const auto& info) { return info.param.name; });

TEST(LimitRanges, VolumeClaimsAreMeasuredByWhatTheyRequest) {
  const auto ranges = RangeOf(
      R"({"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"2Gi"}})");
  const auto broken = [&](const std::string& size) {
    return BoundsBrokenBy(
        ReadRange<core_v1::PersistentVolumeClaim>(
            R"({"spec":{"resources":{"requests":{"storage":")" + size + R"("}}}})"),
        ranges);
  };
  EXPECT_EQ(broken("1Gi"), "");
  EXPECT_EQ(broken("2Gi"), "");
  EXPECT_EQ(broken("3Gi"),
            "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi");
  EXPECT_EQ(broken("1Mi"),
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi");
}

}  // namespace
}  // namespace dray::api::quota
