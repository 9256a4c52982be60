// SPDX-License-Identifier: Apache-2.0
#include "api/status.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/object.h"

namespace dray::api {
namespace {

std::string Written(const Error& error) {
  return ToJson(Object::Of(StatusOf(error)));
}

TEST(Status, ReasonsHaveTheirHttpCodes) {
  EXPECT_EQ(HttpCode(StatusReason::kConflict), 409);
  EXPECT_EQ(HttpCode(StatusReason::kExpired), 410);
  EXPECT_EQ(HttpCode(StatusReason::kUnknown), 500);
  EXPECT_EQ(ReasonOf(404), StatusReason::kNotFound);
  EXPECT_EQ(ReasonOf(409), StatusReason::kAlreadyExists);
  EXPECT_EQ(ReasonOf(418), StatusReason::kUnknown);
}

TEST(Status, HasDetailsWhenTheErrorHasSomeOrCauses) {
  constexpr std::string_view kPlain =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"odd",)"
      R"("reason":"Invalid","code":422})";
  Error error{.reason = StatusReason::kInvalid, .message = "odd"};
  EXPECT_EQ(Written(error), kPlain);
  const auto with = [&](std::string_view details) {
    std::string json(kPlain);
    return json.insert(json.find(R"("code")"), R"("details":)" + std::string(details) + ",");
  };
  error.details = AsDetails(meta_v1::StatusDetails());
  EXPECT_EQ(Written(error), with("{}"));
  error.details = AsDetails(meta_v1::StatusDetails{.name = "a", .retry_after_seconds = 1});
  EXPECT_EQ(Written(error), with(R"({"name":"a","retryAfterSeconds":1})"));
  error.details.reset();
  error.causes = {{.reason = "FieldValueInvalid", .field = "spec", .message = "bad"}};
  EXPECT_EQ(Written(error),
            with(R"({"causes":[{"reason":"FieldValueInvalid","message":"bad","field":"spec"}]})"));
}

TEST(Status, SaysWhereAnExpiredListGoesOn) {
  const Error error{.reason = StatusReason::kExpired,
                    .details = AsDetails(ContinueFrom{.token = "t"})};
  EXPECT_EQ(StatusOf(error).metadata.continue_, "t");
  EXPECT_FALSE(StatusOf(error).details.has_value());
}

TEST(Status, BecomesTheSameErrorAgain) {
  const Error error{.reason = StatusReason::kConflict,
                    .message = "changed",
                    .causes = {{.reason = "r", .field = "f", .message = "m"}},
                    .details = AsDetails(meta_v1::StatusDetails{.name = "a", .uid = "u"})};
  const Error again = ErrorOf(StatusOf(error), 409);
  EXPECT_EQ(again.reason, error.reason);
  EXPECT_EQ(again.message, error.message);
  EXPECT_EQ(again.causes, error.causes);
  ASSERT_NE(DetailsOf(again), nullptr);
  EXPECT_EQ(*DetailsOf(again), *DetailsOf(error));
}

TEST(Status, TakesTheReasonFromTheCodeWhenItHasNone) {
  EXPECT_EQ(ErrorOf({}, 404).reason, StatusReason::kNotFound);
  EXPECT_EQ(ErrorOf({.reason = "Odd"}, 404).reason, StatusReason::kUnknown);
}

}  // namespace
}  // namespace dray::api
