// SPDX-License-Identifier: Apache-2.0
#include "server/documents/table.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/event.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1alpha3.h"
#include "server/documents/human_duration.h"

namespace dray::server::documents {
namespace {

using ::testing::HasSubstr;

// An hour after the objects of these tests were created.
constexpr WallTime kNow{std::chrono::seconds(1'767'229'200)};  // 2026-01-01T01:00:00Z

template <class T>
storage::Item Read(std::string_view json) {
  const auto object = api::DecodeJson(api::Reflected<T>::kKind, json, nullptr);
  return storage::MakeItem(*object, api::Release::kAny);
}

// The cells of one object, as JSON.
template <class T>
std::string Cells(std::string_view json) {
  const storage::Item item = Read<T>(json);
  const storage::Item* const only = &item;
  std::string table;
  api::JsonWriter writer(table);
  WriteTable({.kind = item.object.kind(), .items = std::span(&only, 1), .metadata_json = "{}"},
             {.include = IncludeObject::kNone, .now = kNow},
             ColumnDefinitions::kNull,
             writer);
  const size_t begin = table.find("\"cells\":") + 8;
  std::string cells = table.substr(begin, table.find(']', begin) + 1 - begin);
  for (const auto& [escape, character] : {std::pair("\\u003c", "<"), std::pair("\\u003e", ">")}) {
    for (size_t at = 0; (at = cells.find(escape)) != std::string::npos;) {
      cells.replace(at, 6, character);
    }
  }
  return cells;
}

struct Span {
  int64_t seconds;
  std::string_view words;
};

constexpr Span kSpans[] = {
    {-2, "<invalid>"},    {-1, "0s"},           {0, "0s"},
    {119, "119s"},        {120, "2m"},          {190, "3m10s"},
    {599, "9m59s"},       {600, "10m"},         {10'799, "179m"},
    {10'800, "3h"},       {15'120, "4h12m"},    {28'800, "8h"},
    {172'799, "47h"},     {172'800, "2d"},      {183'600, "2d3h"},
    {691'200, "8d"},      {1'468'800, "17d"},   {63'072'000, "2y"},
    {94'694'400, "3y1d"}, {315'360'000, "10y"},
};

TEST(Table, AgesAreKubectls) {
  for (const Span& span : kSpans)
    EXPECT_EQ(HumanDuration(span.seconds), span.words) << span.seconds;
}

TEST(Table, ClaimsShowTheirState) {
  using api::resource_v1::ResourceClaim;
  const std::string head = R"({"metadata":{"name":"c","creationTimestamp":"2026-01-01T00:00:00Z")";
  EXPECT_EQ(Cells<ResourceClaim>(head + "}}"), R"(["c","pending","60m"])");
  EXPECT_EQ(
      Cells<ResourceClaim>(
          head +
          R"(},"status":{"allocation":{},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})"),
      R"(["c","allocated,reserved","60m"])");
  EXPECT_EQ(Cells<ResourceClaim>(head + R"(,"deletionTimestamp":"2026-01-01T00:30:00Z"}})"),
            R"(["c","deleted","60m"])");
}

constexpr std::pair<std::string_view, std::string_view> kPods[] = {
    {R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})",
     R"(["p","0/1","Pending","0","<unknown>","<none>","<none>","<none>","<none>"])"},
    {R"({"metadata":{"name":"p","deletionTimestamp":"2026-01-01T00:00:00Z"},
      "spec":{"nodeName":"n","containers":[{"name":"c"}]},
      "status":{"phase":"Running","podIP":"10.0.0.1","containerStatuses":[{"name":"c","ready":true,
      "restartCount":2,"state":{"running":{}}}]}})",
     R"(["p","1/1","Terminating","2","<unknown>","10.0.0.1","n","<none>","<none>"])"},
    {R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},
      "status":{"phase":"Pending","containerStatuses":[{"name":"c",
      "state":{"waiting":{"reason":"ImagePullBackOff"}}}]}})",
     R"(["p","0/1","ImagePullBackOff","0","<unknown>","<none>","<none>","<none>","<none>"])"},
    {R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i"},{"name":"j"}],
      "containers":[{"name":"c"}]},"status":{"phase":"Pending","initContainerStatuses":[
      {"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}]}})",
     R"(["p","0/1","Init:1/2","0","<unknown>","<none>","<none>","<none>","<none>"])"},
    {R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending",
      "conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
     R"(["p","0/1","SchedulingGated","0","<unknown>","<none>","<none>","<none>","<none>"])"},
    {R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running",
      "containerStatuses":[{"name":"c","ready":true,"restartCount":1,"state":{"running":{}},
      "lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-01-01T00:55:00Z"}}}]}})",
     R"x(["p","1/1","Running","1 (5m ago)","<unknown>","<none>","<none>","<none>","<none>"])x"},
};

TEST(Table, PodsShowWhatSpeaksForThem) {
  for (const auto& [json, cells] : kPods) EXPECT_EQ(Cells<api::core_v1::Pod>(json), cells);
}

TEST(Table, NodesShowWhatTheirKubeletReports) {
  const std::string cells = Cells<api::core_v1::Node>(R"({"metadata":{"name":"n"},"status":{
      "addresses":[{"type":"Hostname","address":"n"},{"type":"InternalIP","address":"10.0.0.1"}],
      "nodeInfo":{"osImage":"Linux","kernelVersion":"6.1","containerRuntimeVersion":"c://2"}}})");
  EXPECT_THAT(cells, HasSubstr(R"("10.0.0.1","<none>","Linux","6.1","c://2"])"));
  EXPECT_THAT(Cells<api::core_v1::Node>("{}"),
              HasSubstr(R"("<none>","<none>","<unknown>","<unknown>","<unknown>"])"));
}

TEST(Table, ClaimsOfControllersAreGivenBackWhenDeleted) {
  namespace alpha3 = api::resource_v1alpha3;
  const auto claim = [](std::string_view controller) {
    return fmt::format(R"({{"metadata":{{"name":"c","deletionTimestamp":"2026-01-01T00:00:00Z"}},
        "spec":{{"controller":"{}"}},"status":{{"allocation":{{}}}}}})",
                       controller);
  };
  EXPECT_THAT(Cells<alpha3::ResourceClaim>(claim("a.b")),
              HasSubstr(R"("deleted,allocated,deallocating")"));
  EXPECT_THAT(Cells<alpha3::ResourceClaim>(claim("")), HasSubstr(R"("deleted,allocated")"));
}

TEST(Table, NodesShowStatusAndRoles) {
  const std::string cells = Cells<api::core_v1::Node>(
      R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/b":"","node-role.kubernetes.io/a":""}},
      "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  EXPECT_THAT(cells, ::testing::StartsWith(R"(["n","Ready,SchedulingDisabled","a,b","<unknown>")"));
  EXPECT_THAT(Cells<api::core_v1::Node>(R"({"metadata":{"name":"n"}})"),
              ::testing::StartsWith(R"(["n","Unknown","<none>")"));
}

TEST(Table, EventsShowWhatHappenedToWhat) {
  EXPECT_EQ(Cells<api::core_v1::Event>(
                R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},"reason":"R",
      "type":"Normal","message":"m","count":3,"lastTimestamp":"2026-01-01T00:59:55Z",
      "source":{"component":"c","host":"h"}})"),
            R"(["5s","Normal","R","pod/p","","c, h","m","<unknown>",3,"e"])")
      << "the name is not the first but the last";
}

TEST(Table, EveryColumnIsDescribed) {
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    std::string table;
    api::JsonWriter writer(table);
    WriteTable({.kind = *kind, .items = {}, .metadata_json = "{}"},
               {.now = kNow},
               ColumnDefinitions::kShown,
               writer);
    EXPECT_THAT(table, ::testing::Not(HasSubstr(R"("description":"")"))) << table;
  }
}

TEST(Table, RowsCarryAsMuchOfTheObjectAsAsked) {
  const storage::Item item =
      Read<api::core_v1::Node>(R"({"metadata":{"name":"n","resourceVersion":"7"}})");
  const storage::Item* const only = &item;
  const auto table = [&](IncludeObject include) {
    std::string out;
    api::JsonWriter json(out);
    WriteTable({.kind = item.object.kind(), .items = std::span(&only, 1), .metadata_json = "{}"},
               {.version = "v1beta1", .include = include, .now = kNow},
               ColumnDefinitions::kShown,
               json);
    return out;
  };
  EXPECT_THAT(table(IncludeObject::kNone), HasSubstr(R"("object":null)"));
  EXPECT_THAT(
      table(IncludeObject::kMetadata),
      HasSubstr(
          R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"n")"));
  EXPECT_THAT(table(IncludeObject::kObject), HasSubstr(R"("object":{"kind":"Node")"));
  EXPECT_THAT(
      table(IncludeObject::kNone),
      ::testing::StartsWith(
          R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":{},"columnDefinitions":[{"name":"Name","type":"string","format":"name")"));
  EXPECT_FALSE(IncludeObjectOf("Other").has_value());
}

}  // namespace
}  // namespace dray::server::documents
