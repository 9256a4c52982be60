// SPDX-License-Identifier: Apache-2.0
// The limits of lists and texts: each object at the limit, and one past it.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/defaults/defaults.h"
#include "api/device_names.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/text/names.h"
#include "api/validation/cluster/settings.h"
#include "api/validation/devices/claim.h"
#include "api/validation/devices/classic.h"
#include "api/validation/devices/device_class.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/devices/device_taint_rule.h"
#include "api/validation/devices/pool_status_request.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/value_rules.h"
#include "api/value/time.h"

namespace dray::api::validation {
namespace {

using Causes = std::vector<ErrorCause>;

template <class T>
T ReadAtLimit(std::string_view json) {
  auto object = DecodeJson(Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json.substr(0, 500);
  if (!object) return T();
  defaults::SetDefaults(*object, Time::FromUnixSeconds(0));
  return object->template As<T>();
}

/// `count` of `unit` with commas; "#" is the number.
std::string Many(size_t count, std::string_view unit) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    for (const char c : unit) text += c == '#' ? fmt::format("{}", i) : std::string(1, c);
  }
  return text;
}

std::string Letters(size_t count) {
  return std::string(count, 'a');
}

/// A name of so many bytes whose parts are short enough.
std::string Subdomain(size_t size) {
  std::string name;
  while (name.size() < size) name += name.size() % 64 == 63 ? '.' : 'a';
  if (name.ends_with('.')) name.back() = 'a';
  return name;
}

constexpr std::string_view kExact = R"({"name":"r","exactly":{"deviceClassName":"x"}})";

// ------------------------------------------------------------------------------------------ claims

Causes ClaimWith(std::string_view devices) {
  return ValidateClaim(
      ReadAtLimit<resource_v1::ResourceClaim>(fmt::format(
          R"({{"metadata":{{"name":"c","namespace":"n"}},"spec":{{"devices":{}}}}})", devices)),
      {});
}

Causes ExactlyWith(std::string_view members) {
  return ClaimWith(fmt::format(
      R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"x",{}}}}}]}})", members));
}

Causes RequestNamed(std::string_view name) {
  return ClaimWith(
      fmt::format(R"({{"requests":[{{"name":"{}","exactly":{{"deviceClassName":"x"}}}}]}})", name));
}

/// A member beside the one request: a constraint, or a configuration.
Causes Beside(std::string_view member) {
  return ClaimWith(fmt::format(R"({{"requests":[{}],{}}})", kExact, member));
}

Causes ParametersOf(size_t bytes) {
  return Beside(fmt::format(
      R"("config":[{{"opaque":{{"driver":"d.example.com","parameters":{{"a":"{}"}}}}}}])",
      Letters(bytes - std::string_view(R"({"a":""})").size())));
}

/// One that is too many has no name, as there is no constraint that it could serve.
Causes DerivedAttributes(size_t count) {
  constexpr std::string_view kAttribute = R"({"name":"a.b/c#","expression":"1"})";
  const size_t unique = std::min(count, kConstraintsMax);
  std::string attributes = Many(unique, kAttribute);
  if (count > unique) attributes += ',' + Many(count - unique, R"({"name":"","expression":"1"})");
  return ClaimWith(fmt::format(R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"x",)"
                               R"("derivedAttributes":[{}]}}}}],"constraints":[{}]}})",
                               attributes,
                               Many(unique, R"({"matchAttribute":"a.b/c#"})")));
}

/// Written over a claim that requests 32 devices.
Causes StatusWith(std::string_view status, const Options& options = {}) {
  const std::string claim = fmt::format(
      R"("metadata":{{"name":"c","namespace":"n"}},"spec":{{"devices":{{"requests":[{}]}}}})",
      kExact);
  const auto old = ReadAtLimit<resource_v1::ResourceClaim>("{" + claim + "}");
  return ValidateClaimStatusUpdate(ReadAtLimit<resource_v1::ResourceClaim>(
                                       "{" + claim + R"(,"status":)" + std::string(status) + "}"),
                                   old,
                                   options);
}

constexpr std::string_view kResult =
    R"({"request":"r","driver":"d.example.com","pool":"p","device":"d#"})";

Causes ResultsOf(size_t count) {
  return StatusWith(
      fmt::format(R"({{"allocation":{{"devices":{{"results":[{}]}}}}}})", Many(count, kResult)));
}

Options OptionsOf(Release release) {
  return {.profile = Profile::Of(release)};
}

Causes ReservedIn(Release release, size_t count) {
  return StatusWith(
      fmt::format(R"({{"allocation":{{"devices":{{"results":[{}]}}}},"reservedFor":[{}]}})",
                  Many(1, kResult),
                  Many(count, R"({"resource":"pods","name":"p#","uid":"u#"})")),
      OptionsOf(release));
}

Causes ReservedFor(size_t count) {
  return ReservedIn(Release::kNewest, count);
}

Causes ReportWith(std::string_view members) {
  return StatusWith(
      fmt::format(R"({{"allocation":{{"devices":{{"results":[{}]}}}},)"
                  R"("devices":[{{"driver":"d.example.com","pool":"p","device":"d0",{}}}]}})",
                  Many(1, kResult),
                  members));
}

Causes NetworkWith(std::string_view members) {
  return ReportWith(fmt::format(R"("networkData":{{{}}})", members));
}

Causes ConditionWith(size_t reason, size_t message) {
  return ReportWith(
      fmt::format(R"("conditions":[{{"type":"T","status":"True","reason":"{}","message":"{}",)"
                  R"("lastTransitionTime":"2020-01-01T00:00:00Z"}}])",
                  Letters(reason),
                  Letters(message)));
}

// ------------------------------------------------------------------------------------------ slices

Causes SliceWith(std::string_view members,
                 std::string_view driver = "d.example.com",
                 std::string_view pool = "p",
                 const Options& options = {}) {
  return ValidateSlice(ReadAtLimit<resource_v1::ResourceSlice>(fmt::format(
                           R"({{"metadata":{{"name":"s"}},"spec":{{"driver":"{}","nodeName":"n",)"
                           R"("pool":{{"name":"{}","resourceSliceCount":1}},{}}}}})",
                           driver,
                           pool,
                           members)),
                       nullptr,
                       options);
}

Causes DeviceWith(std::string_view members, Release release = Release::kNewest) {
  return SliceWith(fmt::format(R"("devices":[{{"name":"a",{}}}])", members),
                   "d.example.com",
                   "p",
                   OptionsOf(release));
}

Causes TaintsIn(Release release, size_t count) {
  return DeviceWith(
      fmt::format(R"("taints":[{}])", Many(count, R"({"key":"k#","effect":"NoSchedule"})")),
      release);
}

Causes CountersOf(size_t count) {
  return SliceWith(fmt::format(R"("sharedCounters":[{{"name":"c","counters":{{{}}}}}])",
                               Many(count, R"("a#":{"value":"1"})")));
}

/// Devices that consume `count` counters together, of 32 that exist.
Causes CountersConsumed(size_t count) {
  constexpr std::string_view kCounter = R"("a#":{"value":"1"})";
  std::string devices;
  for (size_t i = 0; i * kCountersMax < count; ++i) {
    if (i > 0) devices += ',';
    devices += fmt::format(
        R"({{"name":"d{}","consumesCounters":[{{"counterSet":"c","counters":{{{}}}}}]}})",
        i,
        Many(std::min(kCountersMax, count - i * kCountersMax), kCounter));
  }
  return SliceWith(fmt::format(R"("sharedCounters":[{{"name":"c","counters":{{{}}}}}],)"
                               R"("devices":[{}])",
                               Many(kCountersMax, kCounter),
                               devices),
                   "d.example.com",
                   "p",
                   OptionsOf(Release::k1_34));
}

Causes ClassWith(std::string_view members) {
  return ValidateDeviceClass(ReadAtLimit<resource_v1::DeviceClass>(fmt::format(
                                 R"({{"metadata":{{"name":"x"}},"spec":{{{}}}}})", members)),
                             nullptr,
                             {});
}

Causes ConfigMapOf(size_t bytes) {
  return ValidateConfigMap(
      ReadAtLimit<core_v1::ConfigMap>(fmt::format(
          R"({{"metadata":{{"name":"m","namespace":"n"}},"data":{{"k":"{}"}}}})", Letters(bytes))),
      nullptr);
}

Causes ConfigMapWithKeyOf(size_t bytes) {
  return ValidateConfigMap(
      ReadAtLimit<core_v1::ConfigMap>(fmt::format(
          R"({{"metadata":{{"name":"m","namespace":"n"}},"data":{{"{}":""}}}})", Letters(bytes))),
      nullptr);
}

Causes PriorityClassOf(size_t value) {
  return ValidatePriorityClass(ReadAtLimit<scheduling_v1::PriorityClass>(fmt::format(
                                   R"({{"metadata":{{"name":"p"}},"value":{}}})", value)),
                               nullptr);
}

// ------------------------------------------------------------------- taint rules, requests of
// pools

constexpr std::string_view kCondition = R"({"type":"T#","status":"True","reason":"R","message":"",)"
                                        R"("lastTransitionTime":"2020-01-01T00:00:00Z"})";

Causes TaintRuleWith(size_t conditions) {
  return ValidateTaintRuleStatus(
      ReadAtLimit<resource_v1::DeviceTaintRule>(
          fmt::format(R"({{"metadata":{{"name":"t"}},"spec":{{"taint":)"
                      R"({{"key":"k","effect":"None"}}}},"status":{{"conditions":[{}]}}}})",
                      Many(conditions, kCondition))),
      {});
}

using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequest;

PoolRequest PoolRequestWith(std::string_view spec, std::string_view status) {
  return ReadAtLimit<PoolRequest>(fmt::format(
      R"({{"metadata":{{"name":"r"}},"spec":{{"driver":"d.example.com"{}}}{}}})", spec, status));
}

Causes PoolLimitOf(size_t limit) {
  return ValidatePoolRequest(PoolRequestWith(fmt::format(R"(,"limit":{})", limit), ""), {});
}

Causes PoolStatusWith(std::string_view members) {
  return ValidatePoolRequestStatus(
      PoolRequestWith("", fmt::format(R"(,"status":{{"poolCount":1,{}}})", members)),
      PoolRequestWith("", ""),
      {});
}

Causes PoolWith(std::string_view members) {
  return PoolStatusWith(fmt::format(
      R"("pools":[{{"driver":"d.example.com","poolName":"p","generation":1,{}}}])", members));
}

// ---------------------------------------------------------------------------------- classic
// objects

namespace classic = resource_v1alpha2;

Causes ClassicStatusWith(std::string_view members) {
  constexpr std::string_view kClaim =
      R"({{"metadata":{{"name":"c","namespace":"n"}},"spec":{{"resourceClassName":"k"}}{}}})";
  const auto old = ReadAtLimit<classic::ResourceClaim>(fmt::format(kClaim, ""));
  const std::string status =
      fmt::format(R"(,"status":{{"driverName":"d.example.com",{}}})", members);
  return ValidateClassicClaimStatusUpdate(
      ReadAtLimit<classic::ResourceClaim>(fmt::format(kClaim, status)), old, {});
}

Causes ClassicHandlesWith(std::string_view handles) {
  return ClassicStatusWith(fmt::format(R"("allocation":{{"resourceHandles":[{}]}})", handles));
}

Causes SchedulingNodes(size_t count) {
  return ValidateSchedulingContext(
      ReadAtLimit<classic::PodSchedulingContext>(fmt::format(
          R"({{"metadata":{{"name":"c","namespace":"n"}},"spec":{{"potentialNodes":[{}]}}}})",
          Many(count, R"("n#")"))),
      {});
}

Causes ValidValuesOf(size_t count) {
  return DeviceWith(
      fmt::format(R"("allowMultipleAllocations":true,"capacity":{{"c":{{"value":"99",)"
                  R"("requestPolicy":{{"default":"0","validValues":[{}]}}}}}})",
                  Many(count, R"("#")")));
}

struct LimitCase {
  const char* name;
  size_t limit;
  std::function<Causes(size_t)> validate;
};

constexpr std::string_view kExpression = R"({"cel":{"expression":"true"}})";

const LimitCase kClaimCases[] = {
    {"Requests",
     kRequestsMax,
     [](size_t n) {
       return ClaimWith(fmt::format(R"({{"requests":[{}]}})",
                                    Many(n, R"({"name":"r#","exactly":{"deviceClassName":"x"}})")));
     }},
    {"FirstAvailable",
     kFirstAvailableMax,
     [](size_t n) {
       return ClaimWith(fmt::format(R"({{"requests":[{{"name":"r","firstAvailable":[{}]}}]}})",
                                    Many(n, R"({"name":"s#","deviceClassName":"x"})")));
     }},
    {"Selectors",
     kSelectorsMax,
     [](size_t n) {
       return ExactlyWith(fmt::format(R"("selectors":[{}])", Many(n, kExpression)));
     }},
    {"Constraints",
     kConstraintsMax,
     [](size_t n) {
       return Beside(
           fmt::format(R"("constraints":[{}])", Many(n, R"({"matchAttribute":"a.b/c#"})")));
     }},
    {"Configs",
     kConfigsMax,
     [](size_t n) {
       return Beside(
           fmt::format(R"("config":[{}])",
                       Many(n, R"({"opaque":{"driver":"d.example.com","parameters":{"a":#}}})")));
     }},
    {"DerivedAttributes", kDerivedAttributesMax, DerivedAttributes},
    {"RequestName", kDnsLabelMax, [](size_t n) { return RequestNamed(Letters(n)); }},
    {"ParameterBytes", kParametersBytesMax, ParametersOf},
    {"Results", kResultsMax, ResultsOf},
    {"AllocationConfigs",
     kAllocationConfigsMax,
     [](size_t n) {
       return StatusWith(
           fmt::format(R"({{"allocation":{{"devices":{{"results":[{}],"config":[{}]}}}}}})",
                       Many(1, kResult),
                       Many(n,
                            R"({"source":"FromClaim","opaque":{"driver":"d.example.com",)"
                            R"("parameters":{"a":#}}})")));
     }},
    {"ReservedFor", kReservedForMax, ReservedFor},
    {"ReservedForBefore32",
     kReservedForMaxBefore32,
     [](size_t n) { return ReservedIn(Release::k1_31, n); }},
    {"DeviceConditions",
     kDeviceConditionsMax,
     [](size_t n) {
       return ReportWith(
           fmt::format(R"("conditions":[{}])",
                       Many(n,
                            R"({"type":"T#","status":"True","reason":"R","message":"",)"
                            R"("lastTransitionTime":"2020-01-01T00:00:00Z"})")));
     }},
    {"ConditionReason", kConditionReasonMax, [](size_t n) { return ConditionWith(n, 1); }},
    {"ConditionMessage", kConditionMessageMax, [](size_t n) { return ConditionWith(1, n); }},
    {"DeviceDataBytes",
     kDeviceDataBytesMax,
     [](size_t n) {
       return ReportWith(fmt::format(R"("data":{{"a":"{}"}})",
                                     Letters(n - std::string_view(R"({"a":""})").size())));
     }},
    {"InterfaceName",
     kInterfaceNameMax,
     [](size_t n) { return NetworkWith(fmt::format(R"("interfaceName":"{}")", Letters(n))); }},
    {"HardwareAddress",
     kHardwareAddressMax,
     [](size_t n) { return NetworkWith(fmt::format(R"("hardwareAddress":"{}")", Letters(n))); }},
    {"Addresses",
     kAddressesMax,
     [](size_t n) {
       return NetworkWith(fmt::format(R"("ips":[{}])", Many(n, R"("10.0.0.#/32")")));
     }},
};

const LimitCase kSliceCases[] = {
    {"Devices",
     kDevicesMax,
     [](size_t n) {
       return SliceWith(fmt::format(R"("devices":[{}])", Many(n, R"({"name":"d#"})")));
     }},
    {"CostlyDevices",
     kCostlyDevicesMax,
     [](size_t n) {
       return SliceWith(fmt::format(R"("devices":[{},{}])",
                                    R"({"name":"t","taints":[{"key":"k","effect":"NoSchedule"}]})",
                                    Many(n - 1, R"({"name":"d#"})")));
     }},
    {"Attributes",
     kAttributesAndCapacitiesMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("attributes":{{{}}},"capacity":{{"c":{{"value":"1"}}}})",
                                     Many(n - 1, R"("a#":{"int":1})")));
     }},
    {"AttributeText",
     kAttributeTextMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("attributes":{{"a":{{"string":"{}"}}}})", Letters(n)));
     }},
    {"AttributeName",
     kDeviceIdentifierMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("attributes":{{"{}":{{"int":1}}}})", Letters(n)));
     }},
    {"Taints", kTaintsMax, [](size_t n) { return TaintsIn(Release::kNewest, n); }},
    {"TaintsBefore35", kTaintsMaxBefore35, [](size_t n) { return TaintsIn(Release::k1_34, n); }},
    {"AttributeValues",
     kAttributeValuesMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("attributes":{{"a":{{"ints":[{}]}},"b":{{"int":1}}}})",
                                     Many(n - 1, "#")));
     }},
    {"CompatibilityGroups",
     kCompatibilityGroupsMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("consumesCounters":[{{"counterSet":"c","counters":)"
                                     R"({{"a":{{"value":"1"}}}},"compatibilityGroups":[{}]}}])",
                                     Many(n, R"("g#")")));
     }},
    {"BindingConditions",
     kBindingConditionsMax,
     [](size_t n) {
       return DeviceWith(fmt::format(R"("bindingConditions":[{}],"bindingFailureConditions":["f"])",
                                     Many(n, R"("c#")")));
     }},
    {"CounterSets",
     kCounterSetsMax,
     [](size_t n) {
       return SliceWith(fmt::format(R"("sharedCounters":[{}])",
                                    Many(n, R"({"name":"c#","counters":{"a":{"value":"1"}}})")));
     }},
    {"Counters", kCountersMax, CountersOf},
    {"CountersConsumedBefore35", kSliceCountersMaxBefore35, CountersConsumed},
    {"ConsumedSets",
     kConsumedSetsMax,
     [](size_t n) {
       return DeviceWith(
           fmt::format(R"("consumesCounters":[{}])",
                       Many(n, R"({"counterSet":"c#","counters":{"a":{"value":"1"}}})")));
     }},
    {"CounterName",
     kCounterNameMax,
     [](size_t n) {
       return SliceWith(fmt::format(
           R"("sharedCounters":[{{"name":"c","counters":{{"{}":{{"value":"1"}}}}}}])", Letters(n)));
     }},
    {"DriverName",
     kDriverNameMax,
     [](size_t n) { return SliceWith(R"("devices":[])", Letters(n)); }},
    {"PoolName",
     kPoolNameMax,
     [](size_t n) {
       return SliceWith(R"("devices":[])", "d.example.com", "a/" + Subdomain(n - 2));
     }},
    {"DeviceName",
     kDnsLabelMax,
     [](size_t n) { return SliceWith(fmt::format(R"("devices":[{{"name":"{}"}}])", Letters(n))); }},
};

const LimitCase kOtherCases[] = {
    {"ClassSelectors",
     kSelectorsMax,
     [](size_t n) { return ClassWith(fmt::format(R"("selectors":[{}])", Many(n, kExpression))); }},
    {"ClassConfigs",
     kConfigsMax,
     [](size_t n) {
       return ClassWith(
           fmt::format(R"("config":[{}])",
                       Many(n, R"({"opaque":{"driver":"d.example.com","parameters":{"a":#}}})")));
     }},
    {"ConfigMapBytes", kSettingsBytesMax, ConfigMapOf},
    {"ConfigMapKey", kDnsSubdomainMax, ConfigMapWithKeyOf},
    {"UserPriority", kUserPriorityMax, PriorityClassOf},
    {"TaintRuleConditions", kRuleConditionsMax, TaintRuleWith},
    {"PoolLimit", kPoolLimitMax, PoolLimitOf},
    {"PoolStatuses",
     kPoolStatusesMax,
     [](size_t n) {
       return PoolStatusWith(
           fmt::format(R"("pools":[{}])",
                       Many(n, R"({"driver":"d.example.com","poolName":"p#","generation":1})")));
     }},
    {"PoolConditions",
     kPoolConditionsMax,
     [](size_t n) {
       return PoolStatusWith(fmt::format(R"("conditions":[{}])", Many(n, kCondition)));
     }},
    {"PoolError",
     kPoolErrorMax,
     [](size_t n) { return PoolWith(fmt::format(R"("validationError":"{}")", Letters(n))); }},
    {"PoolPartitions",
     kPoolSummaryMax,
     [](size_t n) {
       return PoolWith(
           fmt::format(R"("partitionSummary":[{}])",
                       Many(n, R"({"attribute":"a.b/c","type":"t#","total":1,"allocatable":1})")));
     }},
    {"PoolShareables",
     kPoolSummaryMax,
     [](size_t n) {
       return PoolWith(fmt::format(
           R"("shareableSummary":{{"fullyAvailableDevices":1,"partiallyAvailableDevices":1,)"
           R"("capacity":[{}]}})",
           Many(n, R"({"name":"c#","total":"1","consumed":"0","available":"1"})")));
     }},
};

const LimitCase kClassicCases[] = {
    {"Handles",
     kClassicHandlesMax,
     [](size_t n) {
       return ClassicHandlesWith(Many(n, R"({"driverName":"d#.example.com","data":"x"})"));
     }},
    {"HandleBytes",
     kClassicHandleBytesMax,
     [](size_t n) {
       return ClassicHandlesWith(
           fmt::format(R"({{"driverName":"d.example.com","data":"{}"}})", Letters(n)));
     }},
    {"ReservedFor",
     kClassicReservedForMax,
     [](size_t n) {
       return ClassicStatusWith(
           fmt::format(R"("allocation":{{"shareable":true}},"reservedFor":[{}])",
                       Many(n, R"({"resource":"pods","name":"p#","uid":"u#"})")));
     }},
    {"SchedulingNodes", kSchedulingNodesMax, SchedulingNodes},
};

class Limit : public ::testing::TestWithParam<LimitCase> {};

TEST_P(Limit, IsTheLastThatIsTaken) {
  const LimitCase& limit = GetParam();
  for (const ErrorCause& cause : limit.validate(limit.limit)) {
    ADD_FAILURE() << "at the limit: " << cause.field << ": " << cause.message;
  }
  EXPECT_EQ(limit.validate(limit.limit + 1).size(), 1U) << "one past it";
}

// The elements of a list that is too long are not checked, so the default is not found in it
// either.
TEST(ValidValues, TooManyHideTheDefault) {
  EXPECT_EQ(ValidValuesOf(kValidValuesMax).size(), 0U);
  EXPECT_EQ(ValidValuesOf(kValidValuesMax + 1).size(), 2U);
}

constexpr auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

INSTANTIATE_TEST_SUITE_P(Claims, Limit, ::testing::ValuesIn(kClaimCases), kNameOf);
INSTANTIATE_TEST_SUITE_P(Slices, Limit, ::testing::ValuesIn(kSliceCases), kNameOf);
INSTANTIATE_TEST_SUITE_P(Classic, Limit, ::testing::ValuesIn(kClassicCases), kNameOf);
INSTANTIATE_TEST_SUITE_P(Others, Limit, ::testing::ValuesIn(kOtherCases), kNameOf);

}  // namespace
}  // namespace dray::api::validation
