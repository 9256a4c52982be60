// SPDX-License-Identifier: Apache-2.0
// The limits of lists and texts: each object at the limit, and one past it.
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
#include "api/validation/claim.h"
#include "api/validation/device_class.h"
#include "api/validation/device_rules.h"
#include "api/validation/resource_slice.h"
#include "api/validation/settings.h"
#include "api/validation/value_rules.h"
#include "api/value/time.h"

namespace dray::api::validation {
namespace {

using Causes = std::vector<ErrorCause>;

template <class T>
T Read(std::string_view json) {
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
      Read<resource_v1::ResourceClaim>(fmt::format(
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

/// Beside the one request: a constraint, or a configuration.
Causes Beside(std::string_view member) {
  return ClaimWith(fmt::format(R"({{"requests":[{}],{}}})", kExact, member));
}

Causes ParametersOf(size_t bytes) {
  return Beside(fmt::format(
      R"("config":[{{"opaque":{{"driver":"d.example.com","parameters":{{"a":"{}"}}}}}}])",
      Letters(bytes - std::string_view(R"({"a":""})").size())));
}

/// Written over a claim that asks for 32 devices.
Causes StatusWith(std::string_view status) {
  const std::string claim = fmt::format(
      R"("metadata":{{"name":"c","namespace":"n"}},"spec":{{"devices":{{"requests":[{}]}}}})",
      kExact);
  const auto old = Read<resource_v1::ResourceClaim>("{" + claim + "}");
  return ValidateClaimStatusUpdate(
      Read<resource_v1::ResourceClaim>("{" + claim + R"(,"status":)" + std::string(status) + "}"),
      old,
      {});
}

constexpr std::string_view kResult =
    R"({"request":"r","driver":"d.example.com","pool":"p","device":"d#"})";

Causes ResultsOf(size_t count) {
  return StatusWith(
      fmt::format(R"({{"allocation":{{"devices":{{"results":[{}]}}}}}})", Many(count, kResult)));
}

Causes ReservedFor(size_t count) {
  return StatusWith(
      fmt::format(R"({{"allocation":{{"devices":{{"results":[{}]}}}},"reservedFor":[{}]}})",
                  Many(1, kResult),
                  Many(count, R"({"resource":"pods","name":"p#","uid":"u#"})")));
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
                 std::string_view pool = "p") {
  return ValidateSlice(Read<resource_v1::ResourceSlice>(fmt::format(
                           R"({{"metadata":{{"name":"s"}},"spec":{{"driver":"{}","nodeName":"n",)"
                           R"("pool":{{"name":"{}","resourceSliceCount":1}},{}}}}})",
                           driver,
                           pool,
                           members)),
                       nullptr,
                       {});
}

Causes DeviceWith(std::string_view members) {
  return SliceWith(fmt::format(R"("devices":[{{"name":"a",{}}}])", members));
}

Causes CountersOf(size_t count) {
  return SliceWith(fmt::format(R"("sharedCounters":[{{"name":"c","counters":{{{}}}}}])",
                               Many(count, R"("a#":{"value":"1"})")));
}

Causes ClassWith(std::string_view members) {
  return ValidateDeviceClass(Read<resource_v1::DeviceClass>(fmt::format(
                                 R"({{"metadata":{{"name":"x"}},"spec":{{{}}}}})", members)),
                             nullptr,
                             {});
}

Causes ConfigMapOf(size_t bytes) {
  return ValidateConfigMap(
      Read<core_v1::ConfigMap>(fmt::format(
          R"({{"metadata":{{"name":"m","namespace":"n"}},"data":{{"k":"{}"}}}})", Letters(bytes))),
      nullptr);
}

Causes ConfigMapWithKeyOf(size_t bytes) {
  return ValidateConfigMap(
      Read<core_v1::ConfigMap>(fmt::format(
          R"({{"metadata":{{"name":"m","namespace":"n"}},"data":{{"{}":""}}}})", Letters(bytes))),
      nullptr);
}

struct Case {
  const char* name;
  size_t limit;
  std::function<Causes(size_t)> validate;
};

constexpr std::string_view kExpression = R"({"cel":{"expression":"true"}})";

const Case kClaimCases[] = {
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
    {"RequestName", kDnsLabelMax, [](size_t n) { return RequestNamed(Letters(n)); }},
    {"ParameterBytes", kParametersBytesMax, ParametersOf},
    {"Results", kResultsMax, ResultsOf},
    {"ReservedFor", kReservedForMax, ReservedFor},
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

const Case kSliceCases[] = {
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
    {"Taints",
     kTaintsMax,
     [](size_t n) {
       return DeviceWith(
           fmt::format(R"("taints":[{}])", Many(n, R"({"key":"k#","effect":"NoSchedule"})")));
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

const Case kOtherCases[] = {
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
};

class Limit : public testing::TestWithParam<Case> {};

TEST_P(Limit, IsTheLastThatIsTaken) {
  const Case& limit = GetParam();
  for (const ErrorCause& cause : limit.validate(limit.limit)) {
    ADD_FAILURE() << "at the limit: " << cause.field << ": " << cause.message;
  }
  EXPECT_EQ(limit.validate(limit.limit + 1).size(), 1U) << "one past it";
}

constexpr auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

INSTANTIATE_TEST_SUITE_P(Claims, Limit, testing::ValuesIn(kClaimCases), kNameOf);
INSTANTIATE_TEST_SUITE_P(Slices, Limit, testing::ValuesIn(kSliceCases), kNameOf);
INSTANTIATE_TEST_SUITE_P(Others, Limit, testing::ValuesIn(kOtherCases), kNameOf);

}  // namespace
}  // namespace dray::api::validation
