// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/pod_collections.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "api/apps_v1/replica_set.h"
#include "api/core_v1/replication_controller.h"
#include "api/core_v1/service.h"
#include "client/mirror.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

class PodCollectionsTest : public ::testing::Test {
 protected:
  void AddService(const std::string& namespace_, const char* key, const char* value) {
    core_v1::Service service;
    service.metadata.namespace_ = namespace_;
    service.metadata.name = std::string("of-") + value;
    service.spec.selector[key] = value;
    services_.Put(api::Object::Of(std::move(service)));
  }
  /// The selector as text, such as "app=web tier In".
  std::string Selector() {
    const auto selector = collections_.SelectorFor(pod_);
    std::string text;
    for (const auto& [key, value] : selector.match_labels)
      text.append(key).append("=").append(value).append(" ");
    for (const auto& one : selector.match_expressions)
      text.append(one.key).append(" ").append(one.operator_).append(" ");
    return text;
  }
  void OwnedBy(const char* version, const char* kind, const char* name) {
    pod_.metadata.owner_references = {
        {.api_version = version, .kind = kind, .name = name, .controller = true}};
  }

  client::Mirror services_, replication_controllers_, replica_sets_, stateful_sets_;
  PodCollections collections_{services_, replication_controllers_, replica_sets_, stateful_sets_};
  core_v1::Pod pod_ = [] {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.labels["app"] = "web";
    pod.metadata.labels["tier"] = "front";
    return pod;
  }();
};

TEST_F(PodCollectionsTest, APodOfNobodyIsAlone) {
  AddService("lab", "app", "other");
  AddService("elsewhere", "app", "web");
  EXPECT_EQ(Selector(), "");
}

TEST_F(PodCollectionsTest, ServicesThatSelectItAddUp) {
  AddService("lab", "app", "web");
  AddService("lab", "tier", "front");
  EXPECT_EQ(Selector(), "app=web tier=front ");
}

TEST_F(PodCollectionsTest, ItsControllerCountsIfItIsKnown) {
  api::apps_v1::ReplicaSet set;
  set.metadata.namespace_ = "lab";
  set.metadata.name = "set";
  set.spec.selector.emplace().match_labels["app"] = "web";
  replica_sets_.Put(api::Object::Of(std::move(set)));
  core_v1::ReplicationController old;
  old.metadata.namespace_ = "lab";
  old.metadata.name = "old";
  old.spec.selector["tier"] = "front";
  replication_controllers_.Put(api::Object::Of(std::move(old)));
  OwnedBy("apps/v1", "ReplicaSet", "set");
  EXPECT_EQ(Selector(), "app In ");
  OwnedBy("apps/v1", "ReplicaSet", "gone");
  EXPECT_EQ(Selector(), "");
  OwnedBy("v1", "ReplicationController", "old");
  EXPECT_EQ(Selector(), "tier=front ");
  OwnedBy("batch/v1", "Job", "set");
  EXPECT_EQ(Selector(), "");
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
