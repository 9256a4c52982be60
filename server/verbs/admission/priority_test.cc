// SPDX-License-Identifier: Apache-2.0
// New pods get the priority of their class, and only one class can be the default.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PriorityClassesTest : public testing::ServerTest {
 protected:
  PriorityClassesTest() { DoCreate("namespaces", "", R"({"metadata":{"name":"lab"}})"); }

  std::string DoCreate(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Class(std::string_view name, int value, std::string_view more = "") {
    return DoCreate(
        "priorityclasses",
        "",
        fmt::format(R"({{"metadata":{{"name":"{}"}},"value":{}{}}})", name, value, more));
  }
  std::string Pod(std::string_view name, std::string_view more = "") {
    return DoCreate(
        "pods",
        "lab",
        fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"i"}}]{}}}}})",
            name,
            more));
  }
};

TEST_F(PriorityClassesTest, APodHasThatOfItsClass) {
  Class("high", 1000);
  Class("shy", 5, R"(,"preemptionPolicy":"Never")");
  EXPECT_THAT(Pod("a", R"(,"priorityClassName":"high")"),
              AllOf(StartsWith("201 "),
                    HasSubstr(R"("priority":1000)"),
                    HasSubstr(R"("preemptionPolicy":"PreemptLowerPriority")"),
                    Not(HasSubstr("f:priority\""))))
      << "and no manager owns what admission decides";
  EXPECT_THAT(Pod("b", R"(,"priorityClassName":"shy")"),
              AllOf(HasSubstr(R"("priority":5)"), HasSubstr(R"("preemptionPolicy":"Never")")));
  EXPECT_THAT(
      Pod("c", R"(,"priorityClassName":"none")"),
      AllOf(StartsWith("403 "),
            HasSubstr(R"(pods "c" is forbidden: no PriorityClass with name none was found)")));
}

TEST_F(PriorityClassesTest, WhatAPodBringsMustBeThat) {
  Class("high", 1000);
  EXPECT_THAT(Pod("a", R"(,"priorityClassName":"high","priority":1000)"), StartsWith("201 "));
  EXPECT_THAT(
      Pod("b", R"(,"priorityClassName":"high","priority":999)"),
      AllOf(StartsWith("403 "),
            HasSubstr("the integer value of priority (999) must not be provided in pod spec; "
                      "priority admission controller computed 1000 from the given "
                      "PriorityClass name")));
  EXPECT_THAT(Pod("c", R"(,"priority":1)"), StartsWith("403 "));
  EXPECT_THAT(
      Pod("d", R"(,"preemptionPolicy":"Never")"),
      AllOf(StartsWith("403 "),
            HasSubstr("the string value of PreemptionPolicy (Never) must not be provided")));
}

TEST_F(PriorityClassesTest, OneIsTheDefault) {
  EXPECT_THAT(Pod("a"), HasSubstr(R"("priority":0)"));
  EXPECT_THAT(Class("usual", 7, R"(,"globalDefault":true)"), StartsWith("201 "));
  EXPECT_THAT(Pod("b"),
              AllOf(HasSubstr(R"("priority":7)"), HasSubstr(R"("priorityClassName":"usual")")));
  EXPECT_THAT(Class("other", 8, R"(,"globalDefault":true)"),
              AllOf(StartsWith("403 "),
                    HasSubstr("PriorityClass usual is already marked as default. Only one default "
                              "can exist")));
}

}  // namespace
}  // namespace dray::server::verbs::admission
