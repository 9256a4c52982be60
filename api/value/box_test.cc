// SPDX-License-Identifier: Apache-2.0
#include "api/value/box.h"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "api/core_v1/container.h"
#include "api/core_v1/volume.h"

namespace dray::api {
namespace {

TEST(Box, IsUsedAsAnOptional) {
  Box<std::string> box;
  EXPECT_FALSE(box.has_value());
  EXPECT_EQ(box, std::nullopt);
  EXPECT_EQ(box.value_or("none"), "none");
  box = "a";
  EXPECT_EQ(box, std::string("a"));
  EXPECT_EQ(box.value_or("none"), "a");
  const Box<std::string> copy = box;
  box->push_back('b');
  EXPECT_EQ(*copy, "a");
  EXPECT_NE(copy, box);
  EXPECT_EQ(*std::exchange(box, std::nullopt), "ab");
  EXPECT_FALSE(box.has_value());
  box = std::optional<std::string>("c");
  EXPECT_EQ(box.emplace(2, 'd'), "dd");
  const Box<std::string> moved = std::move(box);
  EXPECT_EQ(*moved, "dd");
}

struct Small {
  std::array<char, kInPlaceMax> bytes;
};
struct Large {
  std::array<char, kInPlaceMax + 1> bytes;
};

TEST(Maybe, KeepsWhatIsLargeElsewhere) {
  static_assert(std::is_same_v<Maybe<Small>, std::optional<Small>>);
  static_assert(std::is_same_v<Maybe<Large>, Box<Large>>);
  static_assert(sizeof(Maybe<Large>) == sizeof(void*));
}

// Objects of a cluster are mostly pods: what most of them lack must not take room in all of them.
TEST(Maybe, MakesStructsWithManyAlternativesSmall) {
  static_assert(sizeof(core_v1::Container) < 1024);
  static_assert(sizeof(core_v1::Volume) < 512);
}

}  // namespace
}  // namespace dray::api
