// SPDX-License-Identifier: Apache-2.0
// Watches cannot begin at a revision before the server's start.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::inline read {
namespace {

class WatchesBeginTest : public testing::ServerTest {
 protected:
  std::string Newest() { return std::to_string(store_.Read()->revision().value()); }
  void Namespace(const std::string& name) {
    ResourceRequest request = Request(Verb::kCreate, "namespaces", "", "");
    request.body = R"({"metadata":{"name":")" + name + R"("}})";
    Do(std::move(request));
  }
  std::vector<WatchEvent> EventsAfter(const std::string& version) {
    ResourceRequest request = Request(Verb::kWatch, "namespaces", "", "");
    request.list.resource_version = version;
    return (*resources_.Watch(request))->Next(10);
  }
};

TEST_F(WatchesBeginTest, WhatCameBeforeIsTooOld) {
  const std::string before = Newest();
  Namespace("a");
  const std::string begin = Newest();
  EXPECT_EQ(EventsAfter(before).front().type, WatchEventType::kAdded);
  resources_.BeginWatchesAt(store_.Read()->revision());
  const std::vector<WatchEvent> events = EventsAfter(before);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, WatchEventType::kError);
  EXPECT_EQ(events[0].status->message, "too old resource version: " + before + " (" + begin + ")");
}

TEST_F(WatchesBeginTest, TheStateItBeganWithIsNot) {
  const std::string begin = Newest();
  resources_.BeginWatchesAt(store_.Read()->revision());
  Namespace("b");
  const std::vector<WatchEvent> events = EventsAfter(begin);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, WatchEventType::kAdded);
}

}  // namespace
}  // namespace dray::server::verbs::inline read
