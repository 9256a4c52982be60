// SPDX-License-Identifier: Apache-2.0
#include "server/storage/measured_store.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "store/memory_store.h"

namespace dray::server::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MeasuredStoreTest : public ::testing::Test {
 protected:
  void Put(const std::string& key, std::optional<Revision> expected = std::nullopt) {
    store::Txn txn;
    if (expected.has_value()) txn.compares.push_back({.key = key, .modified = *expected});
    txn.operations.emplace_back(store::Put{.key = key, .value = store::MakeBytes("x")});
    EXPECT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  }
  static std::string Line(std::string_view operation, std::string_view rest) {
    return std::string("etcd_requests_total{group=\"")
        .append(rest.substr(0, rest.find('/')))
        .append("\",operation=\"")
        .append(operation)
        .append("\",resource=\"")
        .append(rest.substr(rest.find('/') + 1))
        .append("\"} ");
  }

  api::Scheme scheme_;
  SimulatedClock clock_;
  metrics::Registry registry_;
  MeasuredStore store_{
      std::make_unique<store::MemoryStore>(store::Options{}), scheme_, clock_, registry_};
};

TEST_F(MeasuredStoreTest, WritesAreCountedByOperationAndResource) {
  Put("/registry/pods/default/a", Revision{});
  Put("/registry/pods/default/a");
  Put("/registry/pods/default/b", Revision{});
  Put("/registry/minions/n", Revision{});
  Put("/other");
  store::Txn removal;
  removal.operations.emplace_back(store::Delete{.key = "/registry/resourceclaims/default/c"});
  EXPECT_TRUE(store_.CommitAndWait(std::move(removal)).has_value());
  const std::string text = registry_.Text();
  EXPECT_THAT(text, HasSubstr(Line("create", "/pods") + "2\n"));
  EXPECT_THAT(text, HasSubstr(Line("update", "/pods") + "1\n"));
  EXPECT_THAT(text, HasSubstr(Line("create", "/nodes") + "1\n"));
  EXPECT_THAT(text, HasSubstr(Line("delete", "resource.k8s.io/resourceclaims") + "1\n"));
  EXPECT_THAT(text, HasSubstr(Line("update", "/") + "1\n"));
  EXPECT_THAT(text, Not(HasSubstr(Line("delete", "/pods"))));
  EXPECT_THAT(text,
              HasSubstr("etcd_request_errors_total{group=\"\",operation=\"create\","
                        "resource=\"pods\"} 0\n"));
}

TEST_F(MeasuredStoreTest, WhatIsRefusedIsAnError) {
  store::Txn txn;
  txn.operations.emplace_back(store::Put{.key = "/registry/pods/default/a", .value = nullptr});
  EXPECT_FALSE(store_.CommitAndWait(std::move(txn)).has_value());
  EXPECT_THAT(registry_.Text(),
              HasSubstr("etcd_request_errors_total{group=\"\",operation=\"update\","
                        "resource=\"pods\"} 1\n"));
}

TEST_F(MeasuredStoreTest, SizeIsAsOfTheLastMeasure) {
  Put("/registry/pods/default/a");
  constexpr std::string_view kNothing =
      "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-0\"} 0\n";
  EXPECT_THAT(registry_.Text(), HasSubstr(std::string(kNothing)));
  store_.Measure();
  EXPECT_THAT(registry_.Text(), Not(HasSubstr(std::string(kNothing))));
}

}  // namespace
}  // namespace dray::server::storage
