// SPDX-License-Identifier: Apache-2.0
#include "api/validation/field_error.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "api/validation/field_path.h"

namespace dray::api::validation {
namespace {

TEST(FieldPath, IsWrittenAsClientsDo) {
  const Path spec("spec");
  const Path devices = spec.Child("devices");
  const Path device = devices.Index(3);
  const Path attributes = device.Child("attributes");
  EXPECT_EQ(attributes.Key("a.example/x").ToString(), "spec.devices[3].attributes[a.example/x]");
  EXPECT_EQ(Path("").ToString(), "");
}

TEST(FieldPath, ShortensKeysPastTheirLimitOnly) {
  const Path map("m");
  EXPECT_EQ(map.Key(std::string(10, 'k'), 10).ToString(), "m[kkkkkkkkkk]");
  EXPECT_EQ(map.Key("0123456789A", 10).ToString(), "m[012...89A]");
  EXPECT_EQ(map.Key("0123456789A", 10, Path::KeyEnds::kFrontLonger).ToString(), "m[0123...89A]");
}

TEST(FieldErrors, SayWhatIsWrongInUpstreamsWords) {
  static constexpr std::array<std::string_view, 2> kModes = {"All", "ExactCount"};
  const Path path("f");
  FieldErrors errors;
  errors.Required(path);
  errors.Required(path, "why");
  errors.Invalid(path, Shown("a\"<"), "why");
  errors.Duplicate(path, Shown("a"));
  errors.NotFound(path, Shown("a"));
  errors.NotSupported(path, "x", kModes);
  errors.Forbidden(path, "why");
  errors.TooLong(path, 63);
  errors.TooLong(path, 63, LengthWord::kCharacters);
  errors.TooMany(path, 33, 32);
  errors.Internal(path, "why");
  std::vector<std::string> lines;
  for (const ErrorCause& cause : std::move(errors).Take()) {
    lines.push_back(cause.reason + "|" + cause.message);
  }
  const std::vector<std::string> want = {
      "FieldValueRequired|Required value",
      "FieldValueRequired|Required value: why",
      R"(FieldValueInvalid|Invalid value: "a\"<": why)",
      "FieldValueDuplicate|Duplicate value: \"a\"",
      "FieldValueNotFound|Not found: \"a\"",
      R"(FieldValueNotSupported|Unsupported value: "x": supported values: "All", "ExactCount")",
      "FieldValueForbidden|Forbidden: why",
      "FieldValueTooLong|Too long: may not be more than 63 bytes",
      "FieldValueTooLong|Too long: may not be more than 63 characters",
      "FieldValueTooMany|Too many: 33: must have at most 32 items",
      "InternalError|Internal error: why"};
  EXPECT_EQ(lines, want);
}

TEST(FieldErrors, AreCountedButNotAllKept) {
  for (const size_t count : {kCausesMax, kCausesMax + 1, kCausesMax + 2}) {
    FieldErrors errors;
    for (size_t i = 0; i < count; ++i) errors.Required(Path("a"));
    EXPECT_EQ(errors.size(), count);
    EXPECT_EQ(errors.is_full(), count > kCausesMax);
    FieldErrors more;
    more.Append(std::move(errors));
    EXPECT_EQ(more.size(), count);
    EXPECT_EQ(std::move(more).Take().size(), std::min(count, kCausesMax + 1));
  }
}

TEST(FieldErrors, ShowValuesNamesAndTextsUpToTheirLimits) {
  const std::string fits(kShownMax, 'a');
  const std::string longer = fits + "b";
  EXPECT_EQ(Shown(fits), '"' + fits + '"');
  EXPECT_EQ(Shown(longer), '"' + fits + "…\"");
  EXPECT_EQ(ShownStruct(longer), Cut('"' + longer + '"', kShownMax));
  const Path path("spec");
  EXPECT_EQ(path.Key(fits).ToString(), "spec[" + fits + "]");
  EXPECT_EQ(path.Key(longer).ToString(), "spec[" + fits + "…]");
  FieldErrors errors;
  errors.Forbidden(path, std::string(kCauseTextMax, 'c'));
  EXPECT_EQ(std::move(errors).Take()[0].message.size(),
            kCauseTextMax + std::string_view("…").size());
}

TEST(FieldErrors, OfTheFirstPassComeFirst) {
  Findings findings;
  findings.declared.Required(Path("b"));
  findings.written.Required(Path("a"));
  const std::vector<ErrorCause> causes = std::move(findings).Take();
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].field, "a");
}

}  // namespace
}  // namespace dray::api::validation
