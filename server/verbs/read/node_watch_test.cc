// SPDX-License-Identifier: Apache-2.0
// Watches of the pods of one node read an index of its events; what they show is what they would
// show without it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "base/simulated_world.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline read {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Pods p0 to p4 that come, are bound, change and go at random, and watches of three nodes; "" is
// that of pods without one.
class NodeWatchTest : public testing::ServerTest {
 protected:
  void SetUp() override {
    everything_ = Open("");
    for (const std::string& node : nodes_) {
      shows_[node].cursor = Open("spec.nodeName=" + node);
    }
  }

  struct Show {
    std::unique_ptr<WatchCursor> cursor = nullptr;
    std::string shown = {};
    std::string wanted = {};
    int wakes = 0;
  };

  void Listen(const std::string& node) {
    Show& show = shows_[node];
    show.cursor->OnChange([&show] { ++show.wakes; });
  }

  // One random request.
  void Change() {
    const std::string name = fmt::format("p{}", Dice(5));
    const std::string& node = nodes_[Dice(nodes_.size())];
    switch (Dice(4)) {
      case 0:
        Send(Verb::kCreate,
             "",
             "",
             fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeName":"{}",)"
                         R"("containers":[{{"name":"c","image":"i"}}]}}}})",
                         name,
                         node));
        return;
      case 1:
        Send(Verb::kCreate,
             name,
             "binding",
             fmt::format(R"({{"metadata":{{"name":"{}"}},"target":{{"kind":"Node","name":"{}"}}}})",
                         name,
                         node));
        return;
      case 2:
        Send(Verb::kPatch,
             name,
             "",
             fmt::format(R"({{"metadata":{{"labels":{{"x":"{}"}}}}}})", ++label_));
        return;
      default: Send(Verb::kDelete, name, "", "");
    }
  }

  // False: there is nothing to show.
  bool Read(const std::string& node) {
    Show& show = shows_[node];
    std::vector<WatchEvent> events;
    do {
      events = show.cursor->Next(1 + Dice(4));
    } while (events.empty() && show.cursor->has_more());
    for (const WatchEvent& event : events) {
      show.shown +=
          fmt::format("{} {}, ", WatchEventName(event.type), event.item.object.metadata().name);
    }
    return !events.empty();
  }

  // What each watch is to show, out of a watch of all pods.
  void ReadEverything() {
    std::map<std::string, std::string> node_of;
    while (everything_->has_more()) {
      for (const WatchEvent& event : everything_->Next(100)) {
        const auto& pod = event.item.object.As<api::core_v1::Pod>();
        const auto before = node_of.find(pod.metadata.name);
        const bool is_there = event.type != WatchEventType::kDeleted;
        for (auto& [node, show] : shows_) {
          const bool was = before != node_of.end() && before->second == node;
          const bool is = is_there && pod.spec.node_name == node;
          const std::string_view type = !is ? "DELETED" : was ? "MODIFIED" : "ADDED";
          if (is || was) show.wanted += fmt::format("{} {}, ", type, pod.metadata.name);
        }
        node_of.erase(pod.metadata.name);
        if (is_there) node_of[pod.metadata.name] = pod.spec.node_name;
      }
    }
  }

  size_t Dice(size_t sides) { return random_.Next() % sides; }

  const std::vector<std::string> nodes_ = {"", "n1", "n2"};
  std::map<std::string, Show> shows_;

 private:
  std::unique_ptr<WatchCursor> Open(std::string field_selector) {
    ResourceRequest request = Request(Verb::kWatch, "pods", "", "");
    request.list.field_selector = std::move(field_selector);
    request.list.resource_version = std::to_string(store_.Read()->revision().value());
    return resources_.Watch(request).value();
  }

  void Send(Verb verb, const std::string& name, std::string_view subresource, std::string body) {
    ResourceRequest request = Request(verb, "pods", "default", name);
    request.subresource = subresource;
    request.patch_type = patch::PatchType::kMerge;
    request.delete_options.grace_period_seconds = 0;
    request.body = std::move(body);
    Do(std::move(request));  // many are refused
  }

  SeededRandom random_{3};
  std::unique_ptr<WatchCursor> everything_;
  int label_ = 0;
};

TEST_F(NodeWatchTest, ShowsWhatHappensToItsPods) {
  Listen("");
  Listen("n1");
  for (int step = 0; step < 400; ++step) {
    if (step == 200) Listen("n2");  // its index begins late
    Change();
    if (Dice(4) == 0) Read(nodes_[Dice(nodes_.size())]);
  }
  ReadEverything();
  for (const std::string& node : nodes_) {
    while (Read(node)) {
    }
    const Show& show = shows_[node];
    EXPECT_EQ(show.shown, show.wanted) << "of node '" << node << "'";
    EXPECT_THAT(show.shown, AllOf(HasSubstr("ADDED"), HasSubstr("MODIFIED"), HasSubstr("DELETED")));
    EXPECT_GT(show.wakes, 0);
  }
}

}  // namespace
}  // namespace dray::server::verbs::inline read
