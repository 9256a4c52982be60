// SPDX-License-Identifier: Apache-2.0
// Builds clusters and claims as drivers and users write them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "tests/judges/problem.h"

namespace dray::bench {

inline constexpr const char* kGpuDriver = "gpu.example.com";
inline constexpr const char* kNicDriver = "nic.example.com";

api::resource_v1::DeviceSelector Selector(std::string expression);
api::resource_v1::DeviceAttribute Text(std::string value);
api::resource_v1::DeviceAttribute Number(int64_t value);
/// `text` must be a quantity.
api::Quantity Amount(std::string_view text);

/// A request for `count` devices of a class.
api::resource_v1::DeviceRequest Request(
    const std::string& name,
    const std::string& device_class,
    int64_t count,
    std::vector<api::resource_v1::DeviceSelector> selectors = {});
/// A constraint that the devices of these requests have the same value of the attribute.
api::resource_v1::DeviceConstraint Match(std::string attribute,
                                         std::initializer_list<const char*> requests);

/// Builds a problem.
class ClusterBuilder {
 public:
  ClusterBuilder();

  /// Adds nodes node-000, node-001, …; returns their names.
  std::vector<std::string> AddNodes(size_t count);
  /// Adds a class that selects all devices of a driver.
  void AddClass(const std::string& name, const std::string& driver);
  /// Publishes a pool of the node, named like it, in slices of at most `per_slice` devices.
  /// Counters go into a slice of their own after them.
  void Publish(const std::string& node,
               const std::string& driver,
               size_t per_slice,
               std::vector<api::resource_v1::Device> devices,
               std::vector<api::resource_v1::CounterSet> counters = {});
  /// Marks the whole device as taken.
  void Take(const std::string& driver, const std::string& pool, const std::string& device);
  void AddClaim(const std::string& name,
                std::vector<api::resource_v1::DeviceRequest> requests,
                std::vector<api::resource_v1::DeviceConstraint> constraints = {});

  judges::Problem& problem() { return problem_; }

 private:
  judges::Problem problem_;
};

}  // namespace dray::bench
