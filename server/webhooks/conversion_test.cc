// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/conversion.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"

namespace dray::server::webhooks {
namespace {

using net::client::ClientResponse;

constexpr std::string_view kReviewUid = "u-1";

/// The objects "a" and "b" of v1, and a webhook that is asked for v2.
class ConversionTest : public ::testing::Test {
 protected:
  const api::CustomKind& VersionNamed(std::string_view version) {
    return *arena_.Version(resource_, TextOf(version));
  }

  static api::CustomKindText TextOf(std::string_view version) {
    return {.group = "lights.test",
            .version = std::string(version),
            .kind = "Lamp",
            .list_kind = "LampList",
            .plural = "lamps",
            .singular = "lamp"};
  }

  api::Object Lamp(std::string_view name) {
    const std::string json = fmt::format(
        R"({{"apiVersion":"lights.test/v1","kind":"Lamp","metadata":{{"name":"{}",)"
        R"("namespace":"ns","uid":"7","labels":{{"a":"b"}},"generation":4}},"spec":{{"x":1}}}})",
        name);
    return api::DecodeJson(v1_, json, nullptr, {}).value();
  }

  static ClientResponse Answer(std::string body, int status = 200) {
    ClientResponse response{.status = status, .body = std::move(body)};
    response.headers.Add("Content-Type", "application/json");
    return response;
  }

  static std::string Review(std::string_view response, std::string_view version = "v1") {
    return fmt::format(
        R"({{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/{}","response":{}}})",
        version,
        response);
  }
  static std::string Converted(std::string_view objects) {
    return Review(fmt::format(
        R"({{"uid":"u-1","result":{{"status":"Success"}},"convertedObjects":[{}]}})", objects));
  }
  static std::string Metadata(std::string_view name, std::string_view more = "") {
    return fmt::format(R"({{"name":"{}","namespace":"ns","uid":"7"{}}})", name, more);
  }
  static std::string ObjectOf(std::string_view metadata, std::string_view type = kLampV2) {
    return fmt::format(R"({{{},"metadata":{},"spec":{{"y":2}}}})", type, metadata);
  }

  /// The objects as JSON; or what is wrong, without the beginning that all texts have.
  std::string Read(ClientResponse answer,
                   const std::vector<std::string_view>& names = {"a"},
                   ReviewVersion version = ReviewVersion::kV1) {
    std::vector<api::Object> originals;
    originals.reserve(names.size());
    for (const std::string_view name : names) originals.push_back(Lamp(name));
    const auto read = ReadConversion(std::move(answer), version, kReviewUid, originals, v2_);
    if (!read.has_value()) {
      constexpr std::string_view kBegin = "conversion webhook for lights.test/v1, Kind=Lamp ";
      const std::string& message = read.error().message;
      EXPECT_TRUE(message.starts_with(kBegin)) << message;
      end_ = read.error().end;
      return message.substr(kBegin.size());
    }
    std::string all;
    for (const api::Object& one : *read) all += api::ToJson(one);
    return all;
  }

  ConversionEnd end_ = ConversionEnd::kConverted;  // of the last that failed

  static constexpr std::string_view kLampV2 = R"("apiVersion":"lights.test/v2","kind":"Lamp")";

  api::CustomKindArena arena_;
  const api::CustomKind& resource_ = *arena_.Resource(TextOf("v1"));
  const api::CustomKind& v1_ = VersionNamed("v1");
  const api::CustomKind& v2_ = VersionNamed("v2");
};

TEST_F(ConversionTest, TheReviewHasWhatUpstreamWrites) {
  const std::vector<std::string> objects = {R"({"x":1})", R"({"x":2})"};
  EXPECT_EQ(ConversionReviewText(ReviewVersion::kV1beta1, kReviewUid, v2_, objects),
            R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1",)"
            R"("request":{"uid":"u-1","desiredAPIVersion":"lights.test/v2",)"
            R"("objects":[{"x":1},{"x":2}]},)"
            R"("response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})"
            "\n");
}

TEST_F(ConversionTest, OnlyLabelsAndAnnotationsOfMetadataChange) {
  const std::string object = ObjectOf(Metadata(
      "a",
      R"(,"labels":{"by":"hook"},"annotations":{"n":"1"},"generation":99,"finalizers":["x/y"])"));
  EXPECT_EQ(Read(Answer(Converted(object))),
            R"({"apiVersion":"lights.test/v2","kind":"Lamp","metadata":{"annotations":{"n":"1"},)"
            R"("generation":4,"labels":{"by":"hook"},"name":"a","namespace":"ns","uid":"7"},)"
            R"("spec":{"y":2}})");
  const std::string bare = Read(Answer(Converted(ObjectOf(Metadata("a")))));
  EXPECT_FALSE(bare.contains("labels")) << bare;
}

TEST_F(ConversionTest, SeveralObjectsKeepTheirOrder) {
  const std::string both = ObjectOf(Metadata("a")) + "," + ObjectOf(Metadata("b"));
  const std::string read = Read(Answer(Converted(both)), {"a", "b"});
  EXPECT_LT(read.find(R"("name":"a")"), read.find(R"("name":"b")")) << read;
  EXPECT_EQ(Read(Answer(Converted(both)), {"b", "a"}),
            "returned invalid converted object at index 0: must have the same name: b != a");
}

TEST_F(ConversionTest, AnswersAreChecked) {
  const std::string good = ObjectOf(Metadata("a"));
  struct Case {
    const char* name;
    std::string body, expected;
  };
  const Case cases[] = {
      {"no response",
       R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})",
       "failed: no response provided"},
      {"another uid",
       Review(R"({"uid":"x","result":{"status":"Success"}})"),
       R"(failed: expected response.uid="u-1", got "x")"},
      {"no uid",
       Review(R"({"result":{"status":"Success"}})"),
       R"(failed: expected response.uid="u-1", got "")"},
      {"no result",
       Review(R"({"uid":"u-1"})"),
       "failed: response.result.status was '', not 'Success'"},
      {"failure",
       Review(R"({"uid":"u-1","result":{"status":"Failure"}})"),
       "failed: response.result.status was 'Failure', not 'Success'"},
      {"failure with a message",
       Review(R"({"uid":"u-1","result":{"status":"Failure","message":"no"}})"),
       "failed: no"},
      {"no objects", Converted(""), "returned 0 objects, expected 1"},
      {"too many", Converted(good + "," + good), "returned 2 objects, expected 1"},
      {"version",
       Converted(ObjectOf(Metadata("a"), R"("apiVersion":"o.test/v9","kind":"Lamp")")),
       "returned invalid object at index 0: invalid groupVersion (expected lights.test/v2, "
       "received o.test/v9)"},
      {"kind",
       Converted(ObjectOf(Metadata("a"), R"("apiVersion":"lights.test/v2","kind":"Torch")")),
       "returned invalid object at index 0: invalid kind (expected Lamp, received Torch)"},
      {"name",
       Converted(ObjectOf(Metadata("b"))),
       "returned invalid object: must have the same name: a != b"},
      {"namespace",
       Converted(ObjectOf(R"({"name":"a","namespace":"x","uid":"7"})")),
       "returned invalid object: must have the same namespace: ns != x"},
      {"uid of the object",
       Converted(ObjectOf(R"({"name":"a","namespace":"ns"})")),
       "returned invalid object: must have the same UID: 7 != "},
      {"no metadata",
       Converted(fmt::format("{{{}}}", kLampV2)),
       "returned invalid object: must have the same name: a != "},
      {"label",
       Converted(ObjectOf(Metadata("a", R"(,"labels":{"a":5})"))),
       "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted "
       "object"},
      {"labels",
       Converted(ObjectOf(Metadata("a", R"(,"labels":[])"))),
       "returned invalid metadata: invalid metadata.labels of type []interface {} in converted "
       "object"},
      {"kind of review",
       R"({"kind":"Other","apiVersion":"apiextensions.k8s.io/v1"})",
       R"(failed: no kind "Other" is registered for version "apiextensions.k8s.io/v1" in scheme )"
       R"("pkg/runtime/scheme.go:111")"},
      {"no kind of review",
       "{}",
       "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "
       "/, Kind="},
      {"version of review",
       Review("{}", "v1beta1"),
       "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown "
       "conversion"},
      {"empty",
       "",
       "failed: 0-length response with status code: 200 and content type: application/json"},
  };
  for (const Case& one : cases) EXPECT_EQ(Read(Answer(one.body)), one.expected) << one.name;
  EXPECT_EQ(Read(Answer("", 404)), "failed: the server could not find the requested resource");
  EXPECT_EQ(
      Read(Answer(Converted(ObjectOf(Metadata("a", R"(,"labels":{"a b":"c"})"))))).substr(0, 62),
      R"(returned invalid metadata: metadata.labels: Invalid value: "a )");
}

TEST_F(ConversionTest, FailuresAreToldApartForMetrics) {
  const auto end_of = [&](ClientResponse answer) {
    Read(std::move(answer));
    return end_;
  };
  EXPECT_EQ(end_of(Answer("", 404)), ConversionEnd::kNoAnswer);
  EXPECT_EQ(end_of(Answer(Review(R"({"uid":"x"})"))), ConversionEnd::kMalformed);
  EXPECT_EQ(end_of(Answer(Converted(""))), ConversionEnd::kPartial);
  EXPECT_EQ(end_of(Answer(Converted(ObjectOf(Metadata("b"))))), ConversionEnd::kInvalidObject);
}

TEST_F(ConversionTest, OldReviewsNeedNoUidAndNoKind) {
  const std::string body =
      fmt::format(R"({{"response":{{"result":{{"status":"Success"}},"convertedObjects":[{}]}}}})",
                  ObjectOf(Metadata("a")));
  const std::string read = Read(Answer(body), {"a"}, ReviewVersion::kV1beta1);
  EXPECT_TRUE(read.starts_with(R"({"apiVersion":"lights.test/v2")")) << read;
}

TEST_F(ConversionTest, CallsUnderWayAreCounted) {
  const ConversionWebhook webhook({});
  std::vector<std::unique_ptr<ConversionWebhook::Place>> places;
  for (size_t i = 0; i < kConversionsMax; ++i) {
    places.push_back(std::make_unique<ConversionWebhook::Place>(webhook));
    EXPECT_TRUE(places.back()->has_place());
  }
  EXPECT_FALSE(ConversionWebhook::Place(webhook).has_place());
  places.pop_back();
  EXPECT_TRUE(ConversionWebhook::Place(webhook).has_place());
}

}  // namespace
}  // namespace dray::server::webhooks
