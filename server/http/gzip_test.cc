// SPDX-License-Identifier: Apache-2.0
#include "server/http/gzip.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace dray::server::http {
namespace {

TEST(Gzip, WhatIsCompressedComesBack) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(300'000, 'x'), std::string("\0\xff\n", 3)}) {
    const auto compressed = Gzip(text);
    ASSERT_TRUE(compressed.has_value());
    EXPECT_EQ(Gunzip(*compressed, text.size()), text);
  }
}

TEST(Gzip, AnotherSizeOrOtherBytesAreRefused) {
  const std::string compressed = *Gzip("hello");
  EXPECT_EQ(Gunzip(compressed, 4), std::nullopt);
  EXPECT_EQ(Gunzip(compressed, 6), std::nullopt);
  EXPECT_EQ(Gunzip("hello", 5), std::nullopt);
  EXPECT_EQ(Gunzip(compressed.substr(0, compressed.size() - 1), 5), std::nullopt);
}

}  // namespace
}  // namespace dray::server::http
