// SPDX-License-Identifier: Apache-2.0
#include "net/engine.h"

#include <cstddef>

#include <gtest/gtest.h>

#include "net/http.h"

namespace dray::net {
namespace {

TEST(Bodies, APromiseOfBytesReservesLittle) {
  const auto reserved = [](size_t promised) {
    Request request;
    BeginRequest(request, HeadVerdict::kTaken, true, promised, {.body_bytes_max = size_t{3} << 20});
    EXPECT_EQ(request.body_state, BodyState::kWhole);
    return request.body.capacity();
  };
  EXPECT_GE(reserved(kPromisedBytesMax), kPromisedBytesMax);
  EXPECT_EQ(reserved(kPromisedBytesMax + 1), reserved(kPromisedBytesMax));
  EXPECT_EQ(reserved(size_t{3} << 20), reserved(kPromisedBytesMax));
}

}  // namespace
}  // namespace dray::net
