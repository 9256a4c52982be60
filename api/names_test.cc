// SPDX-License-Identifier: Apache-2.0
#include "api/text/names.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/device_names.h"

namespace dray::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Times(size_t count, char c = 'a') {
  return std::string(count, c);
}

const std::string kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const std::string kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const std::string kNamePartText =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with "
    "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const std::string kIdentifierText =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of "
    "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
    "validation is '[A-Za-z_][A-Za-z0-9_]*')";

TEST(Names, DnsLabels) {
  for (const char* good : {"a", "0", "a-b", "a--b", "1a"})
    EXPECT_THAT(CheckDnsLabel(good), IsEmpty());
  for (const char* bad : {"", "-", "-a", "a-", "A", "a_b", "a b", "a..b", ".", "a\n", "é"}) {
    EXPECT_THAT(CheckDnsLabel(bad), ElementsAre(kLabelText)) << bad;
  }
  EXPECT_THAT(CheckDnsLabel("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(CheckDnsLabel(Times(63)), IsEmpty());
  EXPECT_THAT(CheckDnsLabel(Times(64)), ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(CheckDnsLabel(Times(64), LengthWord::kBytes),
              ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(CheckDns1035Label("a1"), IsEmpty());
  EXPECT_THAT(CheckDns1035Label("1a"), ::testing::SizeIs(1));
  EXPECT_THAT(CheckDns1035Label(Times(64, '1')), ::testing::SizeIs(2));
}

TEST(Names, DnsSubdomains) {
  for (const char* good : {"a", "a.b", "1.2", "a-b.c-d"})
    EXPECT_THAT(CheckDnsSubdomain(good), IsEmpty());
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "A.b", "a.-b", "a_b", "a/b"}) {
    EXPECT_THAT(CheckDnsSubdomain(bad), ElementsAre(kSubdomainText)) << bad;
  }
  EXPECT_THAT(CheckDnsSubdomain(Times(253)), IsEmpty());
  EXPECT_THAT(CheckDnsSubdomain(Times(254)), ElementsAre("must be no more than 253 characters"));
  EXPECT_THAT(CheckDnsSubdomainCaseless("GPU.Example.com"), IsEmpty());
  EXPECT_THAT(
      CheckDnsSubdomainCaseless("a_" + Times(252)),
      ElementsAre("must be no more than 253 bytes",
                  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', "
                  "and must start and end with an alphanumeric character (e.g. 'Example.com', "
                  "regex used for validation is "
                  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
}

TEST(Names, LabelKeysAndValues) {
  for (const char* good : {"a", "A_b.c-1", "example.com/a", "1/2"}) {
    EXPECT_THAT(CheckLabelKey(good), IsEmpty()) << good;
  }
  EXPECT_THAT(CheckLabelKey(""), ElementsAre("name part must be non-empty", kNamePartText));
  EXPECT_THAT(CheckLabelKey("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(CheckLabelKey("a/"), ElementsAre("name part must be non-empty", kNamePartText));
  EXPECT_THAT(CheckLabelKey("A/b"), ElementsAre("prefix part " + kSubdomainText));
  EXPECT_THAT(CheckLabelKey("-a"), ElementsAre(kNamePartText));
  EXPECT_THAT(CheckLabelKey("a/" + Times(kLabelNameMax)), IsEmpty());
  EXPECT_THAT(CheckLabelKey("a/" + Times(kLabelNameMax + 1)),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(CheckLabelKey(Times(64), LengthWord::kCharacters),
              ElementsAre("name part must be no more than 63 characters"));
  EXPECT_THAT(
      CheckLabelKey("a/b/c"),
      ElementsAre("a valid label key " + kNamePartText.substr(std::string("name part ").size()) +
                  " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"));
  EXPECT_THAT(CheckPrefixedLabelKey("a"),
              ElementsAre("must include a prefix (e.g. 'example.com/key')"));
  EXPECT_THAT(CheckPrefixedLabelKey("a/b"), IsEmpty());
  EXPECT_THAT(CheckLabelValue(""), IsEmpty());
  EXPECT_THAT(CheckLabelValue(Times(kLabelValueMax)), IsEmpty());
  EXPECT_THAT(CheckLabelValue(Times(kLabelValueMax + 1)),
              ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(
      CheckLabelValue("-5"),
      ElementsAre("a valid label must be an empty string or consist of alphanumeric characters, "
                  "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                  "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
}

TEST(Names, IdentifiersSegmentsAndUuids) {
  for (const char* good : {"a", "_", "A1_"}) EXPECT_THAT(CheckCIdentifier(good), IsEmpty());
  for (const char* bad : {"", "1a", "a-b", "a.b", "é"}) {
    EXPECT_THAT(CheckCIdentifier(bad), ElementsAre(kIdentifierText)) << bad;
  }
  EXPECT_THAT(CheckPathSegmentName("a.b c"), IsEmpty());
  EXPECT_THAT(CheckPathSegmentName("."), ElementsAre("may not be '.'"));
  EXPECT_THAT(CheckPathSegmentName(".."), ElementsAre("may not be '..'"));
  EXPECT_THAT(CheckPathSegmentName("%/"),
              ElementsAre("may not contain '/'", "may not contain '%'"));
  EXPECT_THAT(CheckPathSegmentPrefix(".."), IsEmpty());
  EXPECT_THAT(CheckUuid("01234567-89ab-cdef-0123-456789abcdef"), IsEmpty());
  for (const char* bad : {"",
                          "01234567-89AB-cdef-0123-456789abcdef",
                          "0123456789ab-cdef-0123-456789abcdef-",
                          "{1234567-89ab-cdef-0123-456789abcde}",
                          "01234567-89ab-cdef-0123-456789abcdef0"}) {
    EXPECT_THAT(CheckUuid(bad), ElementsAre("must be a lowercase UUID in 8-4-4-4-12 format"))
        << bad;
  }
  EXPECT_EQ(MaskTrailingDash("pod-"), "poa");
  EXPECT_EQ(MaskTrailingDash("-"), "-");
  EXPECT_EQ(MaskTrailingDash("pod"), "pod");
}

const NameProblem kRequired = {.kind = NameProblem::Kind::kRequired};
NameProblem TooLong(size_t max) {
  return {.kind = NameProblem::Kind::kTooLong, .max = max};
}
NameProblem Invalid(std::string value, std::string detail) {
  return {.value = std::move(value), .detail = std::move(detail)};
}

TEST(DeviceNames, Drivers) {
  EXPECT_THAT(CheckDriverName("gpu.example.com"), IsEmpty());
  EXPECT_THAT(CheckDriverName("GPU.Example.COM"), IsEmpty());
  EXPECT_THAT(CheckDriverName(""), ElementsAre(kRequired));
  EXPECT_THAT(CheckDriverName(Times(63)), IsEmpty());
  EXPECT_THAT(CheckDriverName(Times(64)), ElementsAre(TooLong(63)));
  EXPECT_THAT(CheckDriverName("A_b"), ElementsAre(Invalid("A_b", kSubdomainText)));
}

TEST(DeviceNames, Pools) {
  EXPECT_THAT(CheckPoolName("node-1/gpus.a"), IsEmpty());
  EXPECT_THAT(CheckPoolName(""), ElementsAre(kRequired));
  EXPECT_THAT(CheckPoolName("a//B"),
              ElementsAre(Invalid("", kSubdomainText), Invalid("B", kSubdomainText)));
  EXPECT_THAT(CheckPoolName(Times(126) + "/" + Times(126)), IsEmpty());
  EXPECT_THAT(CheckPoolName(Times(126) + "/" + Times(127)), ElementsAre(TooLong(253)));
  EXPECT_THAT(CheckPoolNameSegments("a//b/"),
              ElementsAre(Invalid("a//b/", "segment 1: must not be empty"),
                          Invalid("a//b/", "segment 3: must not be empty")));
  EXPECT_THAT(CheckPoolNameSegments(""), ElementsAre(Invalid("", "segment 0: must not be empty")));
}

TEST(DeviceNames, Keys) {
  EXPECT_THAT(CheckDeviceKey("model"), IsEmpty());
  EXPECT_THAT(CheckDeviceKey("Ex.com/model"), IsEmpty());
  EXPECT_THAT(CheckDeviceKey("a/b/c!"), IsEmpty());
  EXPECT_THAT(CheckDeviceKey(""), ElementsAre(Invalid("", kIdentifierText)));
  EXPECT_THAT(CheckDeviceKey("/"),
              ElementsAre(Invalid("", "the domain must not be empty"),
                          Invalid("", "the name must not be empty")));
  EXPECT_THAT(CheckDeviceKey(Times(32)), IsEmpty());
  EXPECT_THAT(CheckDeviceKey(Times(33)), ElementsAre(TooLong(32)));
  EXPECT_THAT(CheckDeviceKey("a.b/" + Times(32) + "-"),
              ElementsAre(TooLong(32), Invalid(Times(32) + "-", kIdentifierText)));
}

TEST(DeviceNames, OlderReleasesHaveOtherWordsForWhatIsEmpty) {
  EXPECT_THAT(CheckDriverName("", Release::k1_34),
              ElementsAre(kRequired, Invalid("", kSubdomainText)));
  const auto required = [](std::string detail) {
    return NameProblem{.kind = NameProblem::Kind::kRequired, .detail = std::move(detail)};
  };
  EXPECT_THAT(CheckDeviceKey("", Release::k1_34), ElementsAre(required("name required")));
  EXPECT_THAT(CheckDeviceKey("/", Release::k1_34),
              ElementsAre(required("the domain must not be empty"),
                          required("the name must not be empty")));
  EXPECT_THAT(CheckDeviceKey("/a", Release::k1_31),
              ElementsAre(required("the prefix must not be empty")));
  EXPECT_THAT(
      CheckDeviceKey("!", Release::k1_32),
      ElementsAre(NameProblem{
          .kind = NameProblem::Kind::kTypeInvalid, .value = "!", .detail = kIdentifierText}));
}

}  // namespace
}  // namespace dray::api
