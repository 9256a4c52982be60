// SPDX-License-Identifier: Apache-2.0
#include "server/storage/node_field.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"
#include "server/storage/stored_object.h"

namespace dray::server::storage {
namespace {

std::optional<std::string> NodeOf(const api::KindInfo& kind, std::string_view bytes) {
  const auto field = NodeFieldOf(kind);
  if (!field.has_value()) return std::nullopt;
  const auto record = store::MakeRecord({.key = "/registry/things/a",
                                         .value = store::MakeBytes(bytes),
                                         .created = Revision{5},
                                         .modified = Revision{7}});
  return NodeNameIn(*field, *record);
}

template <class T>
std::string NodeOfSpec(const T& object) {
  if constexpr (requires { object.spec.node_name.value_or(""); }) {
    return object.spec.node_name.value_or("");
  } else {
    return object.spec.node_name;
  }
}

template <class T>
void ExpectTheSame() {
  SeededRandom random(7);
  const api::KindInfo& kind = api::Reflected<T>::kKind;
  for (int i = 0; i < 100; ++i) {
    api::Object object = api::testing::RandomObject(kind, random, {.wire = {.stored = true}});
    object.mutable_metadata().resource_version.clear();
    object.mutable_metadata().uid = "u";
    const std::string expected = NodeOfSpec(object.As<T>());
    const auto value = ValueOf(StoredObject::Of(std::move(object)));
    EXPECT_EQ(NodeOf(kind, value->bytes()), expected) << kind.kind;
  }
}

TEST(NodeField, IsReadAsADecoderReadsIt) {
  ExpectTheSame<api::core_v1::Pod>();
  ExpectTheSame<api::resource_v1::ResourceSlice>();
}

TEST(NodeField, OnlySomeKindsHaveIt) {
  EXPECT_FALSE(NodeFieldOf(api::Reflected<api::core_v1::Node>::kKind).has_value());
  EXPECT_FALSE(NodeFieldOf(api::Reflected<api::resource_v1::ResourceClaim>::kKind).has_value());
}

TEST(NodeField, WhatNeedsAWholeDecoderIsNotKnown) {
  const api::KindInfo& kind = api::Reflected<api::core_v1::Pod>::kKind;
  const std::string spec("\x12\x04\x52\x02n1", 6);
  const auto envelope = [](std::string_view api_version, std::string_view message) {
    std::string bytes;
    api::EncodeProtobufEnvelope(
        {.meta = {.api_version = std::string(api_version), .kind = "Pod"}, .raw = message}, bytes);
    return bytes;
  };
  EXPECT_EQ(NodeOf(kind, envelope("v1", spec)), "n1");
  EXPECT_EQ(NodeOf(kind, envelope("v1", spec + std::string("\x12\x04\x52\x02n2", 6))), "n2");
  EXPECT_EQ(NodeOf(kind, envelope("v1", "")), "");
  EXPECT_EQ(NodeOf(kind, envelope("v1", "\x12\x7f")), std::nullopt) << "cut off";
  EXPECT_EQ(NodeOf(kind, envelope("v1", std::string("\x12\x02\x52\x7f", 4))), std::nullopt);
  EXPECT_EQ(NodeOf(kind, envelope("v2", spec)), std::nullopt) << "another version";
  EXPECT_EQ(NodeOf(kind, R"({"apiVersion":"v1","kind":"Pod"})"), std::nullopt) << "JSON";
}

}  // namespace
}  // namespace dray::server::storage
