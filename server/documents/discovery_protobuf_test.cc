// SPDX-License-Identifier: Apache-2.0
#include "server/documents/discovery_protobuf.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"

namespace dray::server::documents {
namespace {

using namespace std::string_view_literals;

std::string MessageOf(std::string_view json) {
  const std::string bytes = DiscoveryProtobuf(json);
  const auto envelope = api::ReadProtobufEnvelope(bytes);
  EXPECT_TRUE(envelope.has_value());
  return envelope ? std::string(envelope->raw) : std::string();
}

// The messages have the empty members that JSON omits.
TEST(DiscoveryProtobuf, HasEmptyTexts) {
  EXPECT_EQ(MessageOf(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
                      R"({"name":"a/b","namespaced":true,"kind":"A","verbs":["get"]}]})"),
            "\x0a\x02v1\x12\x19"
            "\x0a\x03"
            "a/b"
            "\x10\x01\x1a\x01"
            "A"
            "\x22\x05\x0a\x03"
            "get"
            "\x32\x00\x42\x00\x4a\x00\x52\x00"sv);
}

TEST(DiscoveryProtobuf, MetadataIsThatOfObjectsAndLists) {
  EXPECT_THAT(MessageOf(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",)"
                        R"("metadata":{},"items":[{"metadata":{"name":"g"}}]})"),
              ::testing::StartsWith("\x0a\x06\x0a\x00\x12\x00\x1a\x00\x12\x13\x0a\x11\x0a\x01g"sv));
}

}  // namespace
}  // namespace dray::server::documents
