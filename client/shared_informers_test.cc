// SPDX-License-Identifier: Apache-2.0
#include "client/shared_informers.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using api::core_v1::Pod;
using ::testing::ElementsAre;

constexpr const api::KindInfo& kPods = api::Reflected<Pod>::kKind;

TEST(SharedInformers, OneMirrorTellsEverybodyWhoeverStepsIt) {
  SimulatedWorld world(1);
  testing::MemoryClient client;
  Wakeup wakeup;
  SharedInformers informers(client, world.clock(), wakeup, Log::Silent());
  std::vector<std::string> seen;
  for (const char* who : {"one", "other"}) {
    informers.Of(kPods).OnChange([&seen, who](const api::Object*, const api::Object* after) {
      seen.push_back(who + (" " + after->metadata().name));
    });
  }
  Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "a";
  ASSERT_TRUE(client.Create(api::Object::Of(std::move(pod))).has_value());
  informers.Of(kPods).Step();
  informers.Of(kPods).Step();
  EXPECT_THAT(seen, ElementsAre("one a", "other a"));
  EXPECT_NE(informers.MakeOwn(kPods).get(), &informers.Of(kPods));
}

}  // namespace
}  // namespace dray::client
