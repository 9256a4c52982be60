// SPDX-License-Identifier: Apache-2.0
#include "client/read_modify_write.h"

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "base/result.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using api::core_v1::Node;
using testing::MemoryClient;

TEST(ReadModifyWrite, IsTriedSoManyTimes) {
  for (const int conflicts : {kConflictTriesMax - 1, kConflictTriesMax}) {
    MemoryClient client;
    Node node;
    node.metadata.name = "n";
    const auto known = client.Create(api::Object::Of(std::move(node)));
    ASSERT_TRUE(known.has_value());
    int writes = 0;
    client.set_fault([&](MemoryClient::Verb verb, const ObjectRef&, std::string_view) -> Result<> {
      if (verb != MemoryClient::Verb::kUpdate || ++writes > conflicts) return {};
      return Fail(StatusReason::kConflict, "changed");
    });
    int edits = 0;
    const auto written = ReadModifyWrite(client, *known, {}, [&](api::Object& copy) {
      copy.mutable_metadata().labels["tries"] = std::to_string(++edits);
      return Result<Change>(Change::kWrite);
    });
    EXPECT_EQ(edits, kConflictTriesMax);
    EXPECT_EQ(writes, kConflictTriesMax);
    EXPECT_EQ(written.has_value(), conflicts < kConflictTriesMax);
    if (!written) EXPECT_EQ(written.error().reason, StatusReason::kConflict);
  }
}

}  // namespace
}  // namespace dray::client
