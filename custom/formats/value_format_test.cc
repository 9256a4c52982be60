// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/value_format.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace dray::custom::formats {
namespace {

struct FormatCase {
  ValueFormat format;
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};

void Check(const std::vector<FormatCase>& cases) {
  for (const FormatCase& c : cases) {
    for (const std::string_view text : c.good) {
      EXPECT_TRUE(HasFormat(text, c.format)) << static_cast<int>(c.format) << " " << text;
    }
    for (const std::string_view text : c.bad) {
      EXPECT_FALSE(HasFormat(text, c.format)) << static_cast<int>(c.format) << " " << text;
    }
  }
}

TEST(ValueFormat, NamesAreThoseOfDefinitions) {
  EXPECT_EQ(TextFormatNamed("date-time"), ValueFormat::kDateTime);
  EXPECT_EQ(TextFormatNamed("datetime"), ValueFormat::kDateTime);
  EXPECT_EQ(TextFormatNamed("k8s-short-name"), ValueFormat::kShortName);
  EXPECT_EQ(TextFormatNamed("uuid5"), ValueFormat::kUuid5);
  EXPECT_EQ(TextFormatNamed("Date"), ValueFormat::kNone);
  EXPECT_EQ(TextFormatNamed("int32"), ValueFormat::kNone);
  EXPECT_EQ(IntegerFormatNamed("int64"), ValueFormat::kInt64);
  EXPECT_EQ(IntegerFormatNamed("float"), ValueFormat::kNone);
  EXPECT_EQ(NumberFormatNamed("float"), ValueFormat::kFloat);
}

TEST(ValueFormat, OthersAreNotChecked) {
  EXPECT_TRUE(HasFormat("", ValueFormat::kPassword));
  EXPECT_TRUE(HasFormat("x", ValueFormat::kNone));
  EXPECT_TRUE(HasFormat("x", ValueFormat::kInt32));
}

TEST(ValueFormat, Addresses) {
  Check({
      {ValueFormat::kIpv4,
       {"1.2.3.4", "010.0.0.1", "::ffff:1.2.3.4", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4"},
       {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::1", "1.2.3.4/8", "1::2:3:4:5:6:7:1.2.3.4"}},
      {ValueFormat::kIpv6,
       {"::", "::1", "fe80::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"},
       {"", "1.2.3.4", "fe80::1%eth0", "1:2:3:4:5:6:7", ":::", "00001::", "1::2::3"}},
      {ValueFormat::kCidr,
       {"10.0.0.0/8", "010.0.0.0/08", "::/0", "fe80::/128", "1.2.3.4/32"},
       {"", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0/8"}},
      {ValueFormat::kMac,
       {"00:00:5e:00:53:01",
        "02-00-5E-10-00-00-00-01",
        "0000.5e00.5301",
        "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01"},
       {"",
        "00:00:5e:00:53",
        "00:00-5e:00:53:01",
        "0:0:5e:0:53:1:00",
        "00005e005301",
        "00:00:5e:00:53:0g",
        "0000.5e00.530"}},
  });
}

TEST(ValueFormat, Names) {
  const std::string label(63, 'a');
  const std::string subdomain = label + "." + label + "." + label + "." + std::string(61, 'a');
  const std::string longer = label + "." + label + "." + label + "." + std::string(62, 'a');
  const std::string host = label + "." + label + "." + label + "." + label;
  Check({
      {ValueFormat::kHostname,
       {"a", "a-", "example.com", "1a", "xn--p1ai.example", "\xE2\x9C\xBF.example", label, host},
       {"", "-a", "a.b", "a.1", "a..bc", ".com", "a_b", "a.bc.", "a b", label + "a", host + "a"}},
      {ValueFormat::kShortName, {"a", "a-b", label}, {"", "A", "-a", "a.b", label + "a"}},
      {ValueFormat::kLongName, {"a", "a.b-c", subdomain}, {"", "a..b", "A.b", longer}},
  });
}

TEST(ValueFormat, Identifiers) {
  Check({
      {ValueFormat::kBsonObjectId, {"507f1f77bcf86cd799439011"}, {"", "507f1f77bcf86cd79943901g"}},
      {ValueFormat::kIsbn10, {"0321751043", "0-321 751043", "080442957X"}, {"", "0321751044"}},
      {ValueFormat::kIsbn13, {"978-0321751041", "978 3401013190"}, {"", "9780321751042"}},
      {ValueFormat::kIsbn, {"0321751043", "9780321751041"}, {"", "032175104"}},
      {ValueFormat::kCreditCard,
       {"4111 1111 1111 1111", "378282246310005"},
       {"", "4111111111111112"}},
      {ValueFormat::kSsn, {"111-22-3333", "111 22 3333"}, {"", "111223333", "111-22-333a"}},
      {ValueFormat::kHexColor, {"#fff", "FFAA00"}, {"", "#ff", "#ggg", "##fff"}},
      {ValueFormat::kRgbColor,
       {"rgb(0,1,255)", "rgb( 1 , 2 , 3 )"},
       {"", "rgb(0,1,256)", "rgb(1,2)"}},
      {ValueFormat::kUuid,
       {"a987fbc9-4bed-3078-cf07-9141ba07c9f3", "A987FBC94BED3078CF079141BA07C9F3"},
       {"", "a987fbc9-4bed-3078-cf07-9141ba07c9f"}},
      {ValueFormat::kUuid3,
       {"a987fbc9-4bed-3078-cf07-9141ba07c9f3"},
       {"", "a987fbc9-4bed-4078-8f07-9141ba07c9f3"}},
      {ValueFormat::kUuid4,
       {"57b73598-8764-4ad0-a76a-679bb6640eb1"},
       {"57b73598-8764-4ad0-c76a-679bb6640eb1"}},
      {ValueFormat::kUuid5,
       {"987fbc97-4bed-5078-af07-9141ba07c9f3"},
       {"987fbc97-4bed-4078-af07-9141ba07c9f3"}},
  });
}

TEST(ValueFormat, TextsAndTimes) {
  Check({
      {ValueFormat::kByte, {"Zm9v", "Zm8=", "Zg=="}, {"", "Zm9", "Zm9_", "===="}},
      {ValueFormat::kDate,
       {"2024-02-29", "0000-01-01"},
       {"", "2023-02-29", "2024-2-29", "2024-02-29T"}},
      {ValueFormat::kDateTime,
       {"2024-02-29T10:00:00Z", "2024-02-29t10:00:00.5+01:00"},
       {"", "yesterday", "2024-02-29T24:00:00Z", "2024-02-29 10:00:00Z", "2024-02-29T10:00:60Z"}},
      {ValueFormat::kDuration,
       {"1h30m",
        "-1.5h",
        "0",
        "22 ns",
        "2 days",
        "3 wk",
        "in 5 Minutes, or so",
        "1 Hours 2 x",
        "5 \xC2\xB5s"},
       {"", "5", "x", "5 y", "99999999999999999999 s"}},
      {ValueFormat::kUri, {"https://a.b/c", "/path", "a:b"}, {"", "not it!", "http://[::1", "a b"}},
      {ValueFormat::kEmail,
       {"a@b.cc",
        "a@b",
        "A <a@b.c>",
        "\"a b\"@c",
        "\"\\\"\"@c",
        " a@b (a (comment))",
        "<a@[1.2.3.4]>",
        "g: a@b;",
        "First \"Mid\" Last. <a@b>",
        "\xC3\xA4@\xC3\xB6"},
       {"",
        "a",
        "a@",
        "@b",
        "a@b,c@d",
        "g:;",
        "g: a@b, c@d;",
        "a..b@c",
        ".a@b",
        "a@b.",
        "<a@b",
        "a@[1.2.3]",
        "\"\"@b",
        "a@b (open",
        "a b@c",
        "\xFF@b"}},
  });
}

}  // namespace
}  // namespace dray::custom::formats
