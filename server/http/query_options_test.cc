// SPDX-License-Identifier: Apache-2.0
#include "server/http/query_options.h"

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/status.h"

namespace dray::server::http {
namespace {

using verbs::Verb;

struct QueryCase {
  Verb verb;
  std::string_view query, expected;  // the error, or empty
};

const std::string kLongManager(kFieldManagerMax + 1, 'm');

const QueryCase kQueryCases[] = {
    {Verb::kList, "limit=5&timeoutSeconds=3&unknown=x", ""},
    {Verb::kList, "limit=x", "strconv.ParseInt: parsing \"x\": invalid syntax"},
    {Verb::kList,
     "limit=99999999999999999999",
     "strconv.ParseInt: parsing \"99999999999999999999\": value out of range"},
    {Verb::kList, "timeout=1h30m&export=true", ""},
    {Verb::kGet,
     "export=true",
     "the export parameter, deprecated since v1.14, is no longer supported"},
    {Verb::kCreate, "dryRun=All&dryRun=All", ""},
    {Verb::kCreate,
     "dryRun=Some",
     "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: supported "
     "values: \"All\""},
    {Verb::kUpdate,
     "fieldManager=a%0Ab",
     "UpdateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"a\\nb\": invalid "
     "character U+000A (at position 1)"},
    {Verb::kCreate,
     "fieldValidation=Other",
     "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Other\": "
     "supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""},
    {Verb::kPatch,
     "force=false",
     "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for "
     "non-apply patch"},
};

TEST(QueryOptions, AreReadByTheApisRules) {
  for (const QueryCase& c : kQueryCases) {
    verbs::ResourceRequest request;
    request.verb = c.verb;
    const auto read = ReadQueryOptions(*net::Query::Parse(c.query), "tester/1", request);
    EXPECT_EQ(read ? "" : read.error().message, c.expected) << c.query;
  }
}

// Every numeric parameter and duration at its bounds.
TEST(QueryOptions, NumbersEndWhereUpstreamsDo) {
  constexpr std::string_view kRange = "value out of range", kSyntax = "invalid syntax";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", ""},
      {"-0", ""},
      {"+7", ""},
      {"-1", ""},
      {"9223372036854775807", ""},
      {"-9223372036854775808", ""},
      {"9223372036854775808", kRange},
      {"-9223372036854775809", kRange},
      {"18446744073709551616", kRange},
      {"18446744073709551616x", kRange},
      {"9223372036854775808x", kSyntax},
      {"", kSyntax},
      {"+", kSyntax},
      {"+-5", kSyntax},
      {"1e3", kSyntax},
      {"0x10", kSyntax},
      {"1_000", kSyntax},
      {" 1", kSyntax},
  };
  for (const auto& [text, why] : cases) {
    const std::string encoded = net::PercentEncode(text);
    const std::string expected = why.empty() ? ""
                                             : "strconv.ParseInt: parsing \"" + std::string(text) +
                                                   "\": " + std::string(why);
    for (const std::string_view name : {"limit=", "timeoutSeconds="}) {
      for (const Verb verb : {Verb::kGet, Verb::kList, Verb::kWatch, Verb::kDeleteCollection}) {
        verbs::ResourceRequest request;
        request.verb = verb;
        const auto query = *net::Query::Parse(std::string(name) + encoded);
        const auto read = ReadQueryOptions(query, "", request);
        EXPECT_EQ(read ? "" : read.error().message, expected) << name << text;
      }
    }
    const api::Scheme scheme;
    const auto query = *net::Query::Parse("gracePeriodSeconds=" + encoded);
    const auto read = ReadDeleteOptions(scheme, query, "");
    EXPECT_EQ(read ? "" : read.error().message, expected) << "gracePeriodSeconds=" << text;
  }
}

TEST(QueryOptions, NumbersAreReadAsTheyAre) {
  verbs::ResourceRequest request;
  request.verb = Verb::kList;
  const auto query =
      *net::Query::Parse("limit=9223372036854775807&timeoutSeconds=-9223372036854775808");
  ASSERT_TRUE(ReadQueryOptions(query, "", request).has_value());
  EXPECT_EQ(request.list.limit, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(request.list.timeout_seconds, std::numeric_limits<int64_t>::min());
  ASSERT_TRUE(ReadQueryOptions(net::Query(), "", request).has_value());
  EXPECT_EQ(request.list.limit, 0);
  EXPECT_EQ(request.list.timeout_seconds, std::nullopt);
}

TEST(QueryOptions, TimeoutsAreGosDurations) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"0", ""},
      {"-1s", ""},
      {"2562047h47m16.854775807s", ""},
      {"2562047h47m16.854775808s", "invalid duration \"2562047h47m16.854775808s\""},
      {"9223372036854775807ns", ""},
      {"9223372036854775808ns", R"(invalid duration "9223372036854775808ns")"},
      {"-9223372036854775808ns", ""},
      {"9223372036854775807", R"(missing unit in duration "9223372036854775807")"},
      {"5x", R"(unknown unit "x" in duration "5x")"},
      {"s", "invalid duration \"s\""},
      {"abc", "invalid duration \"abc\""},
  };
  for (const auto& [text, why] : cases) {
    const auto read = ReadTimeout(*net::Query::Parse("timeout=" + std::string(text)));
    EXPECT_EQ(read ? "" : read.error().message,
              why.empty()
                  ? ""
                  : "invalid timeout specified in the request URL - time: " + std::string(why));
  }
  EXPECT_EQ(*ReadTimeout(net::Query()), std::nullopt);
  EXPECT_EQ(*ReadTimeout(*net::Query::Parse("timeout=1m1ms")), std::chrono::milliseconds(60'001));
  EXPECT_EQ(*ReadTimeout(*net::Query::Parse("timeout=-1s")), std::chrono::seconds(-1));
}

TEST(QueryOptions, AManagersNameHasALimit) {
  for (const size_t size : {kFieldManagerMax, kFieldManagerMax + 1}) {
    verbs::ResourceRequest request;
    request.verb = Verb::kCreate;
    const std::string query = "fieldManager=" + std::string(size, 'm');
    EXPECT_EQ(ReadQueryOptions(*net::Query::Parse(query), "", request).has_value(),
              size == kFieldManagerMax);
  }
}

TEST(QueryOptions, TheManagerIsNamedByTheUserAgentOtherwise) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"kubectl/v1.36 (linux)", "kubectl"}, {"", "unknown"}, {"/x", "unknown"}, {"a\x01z", "az"}};
  for (const auto& [agent, expected] : cases) {
    verbs::ResourceRequest request;
    request.verb = Verb::kCreate;
    ASSERT_TRUE(ReadQueryOptions(net::Query(), agent, request).has_value());
    EXPECT_EQ(request.write.field_manager, expected);
  }
}

TEST(QueryOptions, ApplyNeedsAManager) {
  verbs::ResourceRequest request;
  request.verb = Verb::kPatch;
  request.patch_type = patch::PatchType::kApply;
  EXPECT_EQ(ReadQueryOptions(net::Query(), "kubectl/1", request).error().message,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required "
            "for apply patch");
}

// An empty value is true, and so is Python's "True".
TEST(QueryOptions, BooleansAreTrueUnlessTheySayNo) {
  const std::pair<std::string_view, bool> cases[] = {{"watch=true", true},
                                                     {"watch=True", true},
                                                     {"watch=", true},
                                                     {"watch", true},
                                                     {"watch=no", true},
                                                     {"watch=0", false},
                                                     {"watch=FALSE", false},
                                                     {"other=1", false},
                                                     {"watch=0&watch=1", false}};
  for (const auto& [query, expected] : cases) {
    EXPECT_EQ(BoolParameter(*net::Query::Parse(query), "watch"), expected) << query;
  }
}

TEST(DeleteOptions, ComeFromTheBodyOrElseFromTheQuery) {
  const api::Scheme scheme;
  const auto query = *net::Query::Parse("gracePeriodSeconds=7&orphanDependents=true&dryRun=All");
  const auto from_query = ReadDeleteOptions(scheme, query, "");
  ASSERT_TRUE(from_query.has_value());
  EXPECT_EQ(from_query->grace_period_seconds, 7);
  EXPECT_EQ(from_query->orphan_dependents, true);
  EXPECT_EQ(from_query->dry_run.size(), 1U);
  const auto from_body = ReadDeleteOptions(
      scheme,
      query,
      R"({"kind":"DeleteOptions","apiVersion":"resource.k8s.io/v1","preconditions":{"uid":"u"}})");
  ASSERT_TRUE(from_body.has_value());
  EXPECT_EQ(from_body->preconditions->uid, "u");
  EXPECT_FALSE(from_body->grace_period_seconds.has_value());
  EXPECT_EQ(
      ReadDeleteOptions(scheme, query, R"({"kind":"Other","apiVersion":"v1"})").error().reason,
      StatusReason::kBadRequest);
  EXPECT_EQ(ReadDeleteOptions(scheme, query, "{").error().reason, StatusReason::kBadRequest);
}

TEST(QueryOptions, OptionsThatCannotBeReadWereNobodysMistakeUntil35) {
  const Error error = DeleteOptionsOfProtobuf(api::Scheme(), "k8s").error();
  const std::pair<api::Release, int> cases[] = {{api::Release::k1_30, 500},
                                                {api::Release::k1_34, 500},
                                                {api::Release::k1_36, 400},
                                                {api::Release::kAny, 400}};
  for (const auto& [release, code] : cases) {
    const api::meta_v1::Status status = api::StatusOf(UnreadableOptions(error, release));
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.message, error.message);
  }
}

}  // namespace
}  // namespace dray::server::http
