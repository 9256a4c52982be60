// SPDX-License-Identifier: Apache-2.0
#include "api/codec/duplicate_fields.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/json_place.h"

namespace dray::api::inline codec {
namespace {

constexpr size_t kDepthMax = 1000;

struct DuplicateCase {
  const char* json;
  std::vector<std::string> found;
};

TEST(DuplicateFields, AreNamedByTheirPath) {
  const DuplicateCase cases[] = {
      {R"({"a":1,"b":{"a":2}})", {}},
      {R"({"a":1,"a":2,"a":3})", {R"(duplicate field "a")", R"(duplicate field "a")"}},
      {R"({"l":[{"x":1},{"x":1,"x":2}]})", {R"(duplicate field "l[1].x")"}},
      {R"({"m":{"n":{"k":1,"k":2}},"m":{}})",
       {R"(duplicate field "m.n.k")", R"(duplicate field "m")"}},
      {R"({"a":1,"a":)", {}},
      {R"({"a":1,"a":2]})", {}},
      {R"([[{"a":[],"a":{}}],{"a":1}])", {R"(duplicate field "[0][0].a")"}},
      {"", {}},
  };
  for (const DuplicateCase& c : cases)
    EXPECT_EQ(DuplicateFields(c.json, kDepthMax), c.found) << c.json;
}

TEST(DuplicateFields, AreToldUpToTheirLimits) {
  for (const size_t count : {kDecodeIssuesMax, kDecodeIssuesMax + 1}) {
    std::string json = R"({"a":0)";
    for (size_t i = 0; i < count; ++i) json += R"(,"a":0)";
    EXPECT_EQ(DuplicateFields(json + "}", kDepthMax).size(), kDecodeIssuesMax);
  }
  const std::string fits(kPlaceNameMax, 'k');
  const auto below = [](const std::string& key) {
    return DuplicateFields("{\"" + key + R"(":{"x":0,"x":0}})", kDepthMax).at(0);
  };
  EXPECT_EQ(below(fits), "duplicate field \"" + fits + ".x\"");
  EXPECT_EQ(below(fits + "k"), "duplicate field \"" + fits + "….x\"");
}

TEST(DuplicateFields, DepthIsBounded) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + R"({"a":1,"a":2})" + std::string(depth, ']');
  };
  EXPECT_EQ(DuplicateFields(nested(kDepthMax - 1), kDepthMax).size(), 1U);
  EXPECT_EQ(DuplicateFields(nested(kDepthMax), kDepthMax).size(), 0U);
}

}  // namespace
}  // namespace dray::api::inline codec
