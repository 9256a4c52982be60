// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/url.h"

namespace dray::net {
namespace {

using ::testing::ElementsAre;

TEST(Headers, NamesCompareWithoutCaseAndKeepTheirOrder) {
  Headers headers;
  headers.Add("Accept", "a");
  headers.Add("X-One", "1");
  headers.Add("accept", "b");
  EXPECT_EQ(headers.Get("ACCEPT"), "a");
  EXPECT_THAT(headers.All("Accept"), ElementsAre("a", "b"));
  EXPECT_TRUE(headers.Has("x-one"));
  EXPECT_FALSE(headers.Has("x-two"));
  EXPECT_EQ(headers.Get("x-two"), "");
}

TEST(Headers, SetReplacesEveryFieldOfTheName) {
  Headers headers;
  headers.Add("A", "1");
  headers.Add("a", "2");
  headers.Set("A", "3");
  EXPECT_THAT(headers.All("a"), ElementsAre("3"));
}

TEST(Headers, SurviveBeingMoved) {
  Headers headers;
  headers.Add("N", "v");  // short enough to lie inside the string object
  const Headers moved = std::move(headers);
  EXPECT_EQ(moved.Get("n"), "v");
}

TEST(Headers, TokensAreFoundInLists) {
  Headers headers;
  headers.Add("Connection", "Keep-Alive, Upgrade");
  EXPECT_TRUE(headers.HasToken("connection", "upgrade"));
  EXPECT_FALSE(headers.HasToken("connection", "close"));
}

TEST(Bytes, ShareTheirOwner) {
  const auto text = std::make_shared<const std::string>("shared event");
  const Bytes whole(text);
  const Bytes part(text, std::string_view(*text).substr(7));
  EXPECT_EQ(whole.view().data(), text->data());
  EXPECT_EQ(part.view(), "event");
  EXPECT_EQ(text.use_count(), 3);
}

TEST(Request, SplitsTheTargetAtTheFirstQuestionMark) {
  Request request;
  request.target = "/a/b?x=1?&y";
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query(), "x=1?&y");
  request.target = "/a";
  EXPECT_EQ(request.path(), "/a");
  EXPECT_EQ(request.query(), "");
}

TEST(Url, DecodesEscapesStrictly) {
  struct Case {
    std::string_view text, want;
    bool ok;
  };
  for (const auto& [text, want, ok] : {
           Case{"a%20b", "a b", true},
           Case{"%2f%2F", "//", true},
           Case{"a+b", "a+b", true},
           Case{"%", "", false},
           Case{"%4", "", false},
           Case{"%4g", "", false},
           Case{"x%%41", "", false},
           Case{"", "", true},
       }) {
    const auto got = PercentDecode(text, Plus::kIsPlus);
    ASSERT_EQ(got.has_value(), ok) << text;
    if (ok) EXPECT_EQ(*got, want);
  }
  EXPECT_EQ(*PercentDecode("a+b", Plus::kIsSpace), "a b");
}

TEST(Url, EncodingIsUndoneByDecodingForEveryByte) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(*PercentDecode(PercentEncode(all), Plus::kIsSpace), all);
}

TEST(Url, PathSegmentsAreDecodedOneByOne) {
  EXPECT_THAT(*SplitPath("/api/v1/a%2Fb"), ElementsAre("api", "v1", "a/b"));
  EXPECT_THAT(*SplitPath("/a//b/"), ElementsAre("a", "", "b", ""));
  EXPECT_TRUE(SplitPath("/")->empty());
  EXPECT_FALSE(SplitPath("a").has_value());
  EXPECT_FALSE(SplitPath("").has_value());
  EXPECT_FALSE(SplitPath("/%zz").has_value());
}

TEST(Url, TheFirstValueOfAQueryWins) {
  const auto query = Query::Parse("a=1&b&a=2&&c=%26+&=x");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->First("a"), "1");
  EXPECT_THAT(query->All("a"), ElementsAre("1", "2"));
  EXPECT_EQ(query->First("b"), "");
  EXPECT_EQ(query->First("c"), "& ");
  EXPECT_EQ(query->First(""), "x");
  EXPECT_EQ(query->First("d"), std::nullopt);
  EXPECT_EQ(query->parameters().size(), 5U);
  EXPECT_FALSE(Query::Parse("a=%1").has_value());
}

TEST(Url, QueriesHaveALimit) {
  std::string text;
  for (size_t i = 0; i < kQueryParametersMax; ++i) text += "a&";
  EXPECT_TRUE(Query::Parse(text).has_value());
  EXPECT_FALSE(Query::Parse(text + "a").has_value());
}

TEST(Url, EndpointsAreParsed) {
  EXPECT_EQ(*ParseEndpoint("https://[::1]:6443/base/"),
            (Endpoint{Scheme::kHttps, "::1", 6443, "/base"}));
  EXPECT_EQ(*ParseEndpoint("http://localhost"), (Endpoint{Scheme::kHttp, "localhost", 80, ""}));
  EXPECT_EQ(*ParseEndpoint("https://h/"), (Endpoint{Scheme::kHttps, "h", 443, ""}));
  EXPECT_EQ(HostPort(*ParseEndpoint("https://[::1]:1")), "[::1]:1");
  for (const std::string_view bad : {"",
                                     "h:1",
                                     "ftp://h",
                                     "http://",
                                     "http://:1",
                                     "http://h:",
                                     "http://h:0",
                                     "http://h:65536",
                                     "http://h:1x",
                                     "http://u@h",
                                     "http://h/?q",
                                     "http://[::1",
                                     "http://[::1]x",
                                     "http://a b"}) {
    EXPECT_FALSE(ParseEndpoint(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace dray::net
