// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_claims.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using Texts = std::vector<std::string_view>;

constexpr std::string_view kPcieRoot = "resource.kubernetes.io/pcieRoot";
constexpr std::string_view kDerived = "derived.example.com/side";

/// The text with each $ replaced by the driver's name.
std::string ForDriver(std::string_view text, std::string_view driver) {
  std::string out;
  for (const char c : text) {
    if (c == '$') {
      out += driver;
    } else {
      out += c;
    }
  }
  return out;
}

v1::DeviceToleration RandomToleration(Chance& chance) {
  return {
      .key = std::string(chance.Pick(Texts{"", "maintenance", "dedicated", "example.com/slow"})),
      .operator_ = std::string(
          chance.Pick(Texts{"Exists", "Exists", "Exists", "Equal", "Equal", "", "Unheard"})),
      .value = std::string(chance.Pick(Texts{"", "a", "b"})),
      .effect = std::string(chance.Pick(Texts{"", "", "NoSchedule", "NoExecute"}))};
}

std::string_view CapacityOf(std::string_view driver, Chance& chance) {
  if (driver == kNicDriver) return "bandwidth";
  return chance.Percent(85) ? "memory" : "cores";
}

v1::DeviceDerivedAttribute Derived(std::string_view driver, Chance& chance) {
  constexpr std::array kExpressions = {
      R"(device.attributes["$"].numa)",
      R"(device.attributes["$"].index % 2)",
      R"(device.attributes["$"].model)",
      R"(device.attributes["$"].numa == 0)",
      R"([device.attributes["$"].model, device.attributes["$"].ready ? "on" : "off"])",
      R"(device.attributes["$"].driverVersion)"};
  return {.name = std::string(kDerived),
          .expression = ForDriver(chance.Pick(kExpressions), driver)};
}

class ClaimWriter {
 public:
  ClaimWriter(const Family& family,
              const ProblemOptions& options,
              const Cluster& cluster,
              Chance& chance)
      : family_(family),
        options_(options),
        traits_(cluster.traits),
        supply_(cluster.supply),
        chance_(chance) {
    // Partitions exclude each other, and constraints restrict choices, so not all devices are
    // available.
    for (Supply& supply : supply_) {
      int percent = 85;
      if (traits_.counters && supply.driver == kGpuDriver) percent = percent * 50 / 100;
      if (family.match > 50) percent = percent * 65 / 100;
      if (family.taints > 30) percent = percent * 65 / 100;
      if (family.pool_trouble > 30) percent = percent * 75 / 100;
      if (traits_.shares) percent = percent * 150 / 100;
      supply.free_devices = std::max(1, supply.free_devices * percent / 100);
    }
  }

  std::vector<v1::ResourceClaim> Write() {
    std::vector<v1::ResourceClaim> claims;
    const int count = chance_.Percent(55) ? 1 : chance_.Between(1, options_.claims_max);
    for (int i = 0; i < count; ++i) {
      v1::ResourceClaim& claim = claims.emplace_back();
      claim.metadata.name = fmt::format("claim-{}", i);
      claim.metadata.namespace_ = "default";
      WriteClaim(claim.spec.devices);
    }
    return claims;
  }

 private:
  void WriteClaim(v1::DeviceClaim& claim) {
    derives_ = chance_.Percent(family_.derived);
    drivers_.clear();
    const int count = chance_.Between(1, options_.requests_max);
    for (int i = 0; i < count; ++i) {
      const std::string_view driver = chance_.Pick(supply_).driver;
      // Skip a further request that obviously cannot be satisfied.
      if (i > 0 && Left(driver) <= 0 && chance_.Percent(80)) continue;
      drivers_.push_back(driver);
      claim.requests.push_back(NewRequest(fmt::format("r{}", i), driver));
    }
    AddConstraints(claim);
    while (claim.config.size() < 3 && chance_.Percent(family_.config)) AddConfig(claim);
  }

  int& Left(std::string_view driver) {
    return std::ranges::find(supply_, driver, &Supply::driver)->free_devices;
  }

  v1::DeviceRequest NewRequest(std::string name, std::string_view driver) {
    v1::DeviceRequest request{.name = std::move(name)};
    if (!chance_.Percent(family_.alternatives)) {
      request.exactly.emplace();
      Fill(*request.exactly, driver);
      if (chance_.Percent(family_.admin)) request.exactly->admin_access = !chance_.Percent(10);
      if (!request.exactly->admin_access.value_or(false)) Left(driver) -= Wanted(*request.exactly);
      return request;
    }
    const int count = chance_.Between(1, 4);
    for (int i = 0; i < count; ++i) {
      v1::DeviceSubRequest alternative{.name = fmt::format("s{}", i)};
      // Earlier alternatives request more than the last one.
      Fill(alternative, chance_.Percent(85) ? driver : chance_.Pick(supply_).driver);
      if (i + 1 < count && alternative.allocation_mode == "ExactCount" && chance_.Percent(60))
        ++alternative.count;
      request.first_available.push_back(std::move(alternative));
    }
    Left(driver) -= Wanted(request.first_available.back());
    return request;
  }

  template <class Request>
  static int Wanted(const Request& request) {
    return request.allocation_mode == "All" ? 2 : static_cast<int>(request.count);
  }

  /// Exact requests and alternatives have the same members here.
  template <class Request>
  void Fill(Request& request, std::string_view driver) {
    request.device_class_name = ClassFor(driver);
    while (request.selectors.size() < 3 && chance_.Percent(family_.selectors))
      request.selectors.push_back(RandomSelector(driver, traits_, chance_));
    if (chance_.Percent(family_.all_devices)) {
      request.allocation_mode = "All";
    } else {
      request.allocation_mode = "ExactCount";
      request.count = chance_.Percent(2) ? 0 : chance_.Between(1, Reasonable(driver, request));
    }
    const int tolerations = family_.taints > 30 ? 65 : family_.taints * 2;
    while (request.tolerations.size() < 3 && chance_.Percent(tolerations))
      request.tolerations.push_back(RandomToleration(chance_));
    if (traits_.shares && chance_.Percent(70)) {
      request.capacity.emplace();
      const std::string_view capacity = CapacityOf(driver, chance_);
      request.capacity->requests[capacity] = RandomAmount(capacity, chance_);
    }
    if (derives_) request.derived_attributes.push_back(Derived(driver, chance_));
  }

  /// The most devices for a request with selective rules.
  template <class Request>
  int Reasonable(std::string_view driver, const Request& request) {
    int count = Left(driver) * 3 / 4;
    if (request.device_class_name == "a100" || request.device_class_name == "ready")
      count = count * 2 / 3;
    for (size_t i = 0; i < request.selectors.size(); ++i) count = count * 2 / 3;
    return std::max(1, count);
  }

  std::string ClassFor(std::string_view driver) {
    if (driver == kNicDriver) return std::string(chance_.Pick(Texts{"nic", "nic", "nic", "any"}));
    return std::string(chance_.Pick(Texts{"gpu", "gpu", "gpu", "gpu", "any", "ready", "a100"}));
  }

  void AddConstraints(v1::DeviceClaim& claim) {
    if (chance_.Percent(derives_ ? std::max(70, family_.match) : family_.match)) {
      claim.constraints.push_back(NewConstraint(claim));
      claim.constraints.back().match_attribute = AttributeFor(claim.constraints.back());
      if (chance_.Percent(20)) {
        claim.constraints.push_back(NewConstraint(claim));
        claim.constraints.back().match_attribute = AttributeFor(claim.constraints.back());
      }
    }
    if (chance_.Percent(family_.distinct)) {
      claim.constraints.push_back(NewConstraint(claim));
      claim.constraints.back().distinct_attribute = AttributeFor(claim.constraints.back());
    }
  }

  /// A constraint on some requests, or on all.
  v1::DeviceConstraint NewConstraint(const v1::DeviceClaim& claim) {
    v1::DeviceConstraint constraint;
    covers_gpus_only_ =
        std::ranges::all_of(drivers_, [](std::string_view driver) { return driver == kGpuDriver; });
    if (chance_.Percent(covers_gpus_only_ ? 50 : 25)) return constraint;
    covers_gpus_only_ = true;
    for (size_t i = 0; i < claim.requests.size(); ++i) {
      if (!constraint.requests.empty() && chance_.Percent(35)) continue;
      constraint.requests.push_back(Reference(claim.requests[i]));
      covers_gpus_only_ = covers_gpus_only_ && drivers_[i] == kGpuDriver;
    }
    return constraint;
  }

  /// The name of the request, or rarely of one of its alternatives.
  std::string Reference(const v1::DeviceRequest& request) {
    if (request.first_available.empty() || chance_.Percent(70)) return request.name;
    return request.name + "/" + chance_.Pick(request.first_available).name;
  }

  std::string AttributeFor(const v1::DeviceConstraint& constraint) {
    if (derives_ && chance_.Percent(75)) return std::string(kDerived);
    if (!covers_gpus_only_ && !constraint.requests.empty()) return std::string(kPcieRoot);
    if (!covers_gpus_only_ && chance_.Percent(95)) return std::string(kPcieRoot);
    if (traits_.lists && chance_.Percent(65))
      return std::string(chance_.Pick(Texts{"gpu.example.com/links", "gpu.example.com/tags"}));
    return std::string(chance_.Pick(
        Texts{kPcieRoot, "gpu.example.com/numa", "gpu.example.com/numa", "gpu.example.com/model"}));
  }

  void AddConfig(v1::DeviceClaim& claim) {
    v1::DeviceClaimConfiguration config;
    for (const v1::DeviceRequest& request : claim.requests) {
      if (chance_.Percent(50)) config.requests.push_back(Reference(request));
    }
    config.device_configuration.opaque = v1::OpaqueDeviceConfiguration{
        .driver = std::string(kGpuDriver),
        .parameters = api::RawJson(fmt::format(R"({{"number":{}}})", claim.config.size()))};
    claim.config.push_back(std::move(config));
  }

  const Family& family_;
  const ProblemOptions& options_;
  const Traits& traits_;
  std::vector<Supply> supply_;
  Chance& chance_;
  bool derives_ = false;                   // for the current claim
  std::vector<std::string_view> drivers_;  // of its requests
  bool covers_gpus_only_ = false;          // for the current constraint
};

}  // namespace

v1::DeviceSelector RandomSelector(std::string_view driver, const Traits& traits, Chance& chance) {
  constexpr std::array kExpressions = {
      R"(device.attributes["$"].model == "A100")",
      R"(device.attributes["$"].numa == 0)",
      R"(device.attributes["$"].numa != 1)",
      R"(device.attributes["$"].index >= 1)",
      R"(device.attributes["$"].ready)",
      R"(device.attributes["$"].driverVersion.isGreaterThan(semver("1.0.0")))",
      R"(device.attributes["$"].model == "H100" || device.attributes["$"].ready)",
      R"("numa" in device.attributes["$"] && device.attributes["$"].numa < 2)",
      R"(device.attributes["$"].?missing.orValue(1) == 1)",
      R"(device.driver == "$")"};
  constexpr std::array kLists = {R"("fast" in device.attributes["$"].tags)",
                                 R"(device.attributes["$"].tags.exists(t, t != "red"))",
                                 R"(size(device.attributes["$"].tags) > 1)"};
  std::string expression = ForDriver(chance.Pick(kExpressions), driver);
  if (traits.lists && chance.Percent(30)) expression = ForDriver(chance.Pick(kLists), driver);
  if (driver == kGpuDriver && chance.Percent(15)) {
    expression =
        ForDriver(R"(device.capacity["$"].memory.compareTo(quantity("20Gi")) >= 0)", driver);
  }
  if (traits.shares && chance.Percent(10)) expression = "device.allowMultipleAllocations";
  // The class "any" selects devices of all drivers, and the selector must not fail on those of
  // others.
  return {.cel =
              v1::CELDeviceSelector{.expression = ForDriver(R"(device.driver == "$" && )", driver) +
                                                  "(" + expression + ")"}};
}

std::vector<v1::ResourceClaim> RandomClaims(const Family& family,
                                            const ProblemOptions& options,
                                            const Cluster& cluster,
                                            Chance& chance) {
  return ClaimWriter(family, options, cluster, chance).Write();
}

}  // namespace dray::judges
