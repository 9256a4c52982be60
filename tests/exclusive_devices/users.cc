// SPDX-License-Identifier: Apache-2.0
#include "tests/exclusive_devices/users.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"
#include "base/wakeup.h"
#include "client/read_modify_write.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;
using std::chrono::milliseconds;

constexpr int kPods = 8;
constexpr int kTriesMax = 120'000;  // ten minutes: only ever used up by a bug
constexpr milliseconds kBetweenTries{5};

template <class T>
client::ObjectRef Ref(std::string name) {
  return {&api::Reflected<T>::kKind, "default", std::move(name)};
}

}  // namespace

void TakeAtRandom(client::Client& client,
                  const std::string& name,
                  uint64_t seed,
                  const std::atomic<bool>& is_over) {
  SeededRandom random(seed);
  Wakeup nobody;
  while (!is_over) {
    nobody.WaitFor(milliseconds(random.Next() % 10));
    const Result<api::Object> found = client.Get(Ref<ResourceClaim>(name));
    if (!found) continue;
    api::Object copy = found->Clone();
    auto& status = copy.Mutable<ResourceClaim>().status;
    if (std::exchange(status.allocation, std::nullopt)) {
      (void)client.Update(copy, "status");
      continue;
    }
    status.allocation.emplace().devices.results.push_back(
        {.request = "r",
         .driver = "gpu.example",
         .pool = fmt::format("node-{}", random.Next() % kNodes),
         .device = fmt::format("gpu-{}", random.Next() % kDevicesPerNode)});
    (void)client.Update(copy, "status");
  }
}

void Users::MakeDevices() {
  api::resource_v1::DeviceClass gpu;
  gpu.metadata.name = "gpu";
  Make(api::Object::Of(std::move(gpu)));
  for (size_t i = 0; i < kNodes; ++i) {
    api::core_v1::Node node;
    node.metadata.name = fmt::format("node-{}", i);
    node.status.conditions = {{.type = "Ready", .status = "True"}};
    api::resource_v1::ResourceSlice slice;
    slice.metadata.name = node.metadata.name;
    slice.spec.driver = "gpu.example";
    slice.spec.node_name = node.metadata.name;
    slice.spec.pool = {.name = node.metadata.name, .generation = 1, .resource_slice_count = 1};
    for (size_t k = 0; k < kDevicesPerNode; ++k) {
      slice.spec.devices.push_back({.name = fmt::format("gpu-{}", k)});
    }
    Make(api::Object::Of(std::move(node)));
    Make(api::Object::Of(std::move(slice)));
  }
}

void Users::Make(const api::Object& object) {
  Wakeup nobody;
  std::string why;
  for (int i = 0; i < kTriesMax; ++i) {
    const Result<api::Object> made = client_.Create(object);
    if (made || made.error().reason == StatusReason::kAlreadyExists) return;
    why = made.error().message;
    nobody.WaitFor(kBetweenTries);
  }
  ADD_FAILURE() << why;
}

void Users::MakeClaim(const std::string& name) {
  Make(*api::DecodeJson(
      api::Reflected<ResourceClaim>::kKind,
      R"({"metadata":{"namespace":"default","name":")" + name +
          R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",
             "allocationMode":"ExactCount","count":1}}]}}})",
      nullptr));
}

void Users::MakePod(const std::string& name) {
  Make(*api::DecodeJson(api::Reflected<api::core_v1::Pod>::kKind,
                        R"({"metadata":{"namespace":"default","name":")" + name +
                            R"("},"spec":{"containers":[{"name":"c","image":"i"}],
                            "resourceClaims":[{"name":"c","resourceClaimName":")" +
                            name + R"("}]}})",
                        nullptr));
}

void Users::UseAtRandom(uint64_t seed) {
  SeededRandom random(seed);
  Wakeup nobody;
  std::vector<std::string> alive;
  for (int i = 0; i < kPods; ++i) {
    const std::string name = fmt::format("p{}", i);
    MakeClaim(name);
    MakePod(name);
    alive.push_back(name);
    nobody.WaitFor(milliseconds(5 + random.Next() % 30));
    if (random.Next() % 2 == 0) continue;
    const auto victim = alive.begin() + static_cast<std::ptrdiff_t>(random.Next() % alive.size());
    (void)client_.Delete(Ref<api::core_v1::Pod>(*victim), {.grace_period_seconds = 0});
    Free(*victim);
    alive.erase(victim);
  }
}

void Users::Free(const std::string& name) {
  const Result<api::Object> claim = client_.Get(Ref<ResourceClaim>(name));
  if (!claim) return;
  (void)client::ReadModifyWrite(
      client_, *claim, "status", [](api::Object& copy) -> Result<client::Change> {
        copy.Mutable<ResourceClaim>().status = {};
        return client::Change::kWrite;
      });
}

size_t Users::allocated() {
  const auto claims = client_.List(api::Reflected<ResourceClaim>::kKind, {});
  if (!claims) return 0;
  return static_cast<size_t>(std::ranges::count_if(claims->items, [](const api::Object& claim) {
    return claim.As<ResourceClaim>().status.allocation.has_value();
  }));
}

void Users::AwaitUseOfAllDevices() {
  for (size_t i = 0; i < kDevices; ++i) {
    const std::string name = fmt::format("last-{}", i);
    MakeClaim(name);
    MakePod(name);
  }
  Wakeup nobody;
  for (int i = 0; i < kTriesMax; ++i) {
    if (allocated() >= kDevices) return;
    nobody.WaitFor(kBetweenTries);
  }
  ADD_FAILURE() << "only " << allocated() << " claims are allocated";
}

}  // namespace dray::exclusive_devices
