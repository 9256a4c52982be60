// SPDX-License-Identifier: Apache-2.0
// Why nothing fits, as values: Unsatisfiable and RequestError of <dray/outcome.h>.
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "dray/allocator.h"
#include "dray/outcome.h"

namespace dray::allocator {
namespace {

using testing::Lab;

constexpr std::string_view kDevices = R"([
    {"name":"a","attributes":{"d.io/row":{"int":0}}},
    {"name":"b","attributes":{"d.io/row":{"int":1}}}])";

std::string_view Word(Lack lack) {
  switch (lack) {
    case Lack::kNoneMatches: return "none matches";
    case Lack::kTooFewMatch: return "too few match";
    case Lack::kTaken: return "taken";
    case Lack::kTogether: return "together";
  }
  return {};
}

std::string Requests(int count, std::string_view selector = "true", std::string_view rest = "") {
  return fmt::format(R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":{},"selectors":[{{"cel":{{"expression":"{}"}}}}]}}}}]{}}})",
                     count,
                     selector,
                     rest);
}

/// "claim/request: why (missing, matching, usable)", for each request.
std::string Why(const Lab& lab) {
  const auto outcome = Attempt(lab.snapshot({}), lab.claims()).Allocate(lab.node());
  if (!outcome) return "error: " + outcome.error().message;
  const auto* const none = std::get_if<Unsatisfiable>(&*outcome);
  if (none == nullptr) return "fits";
  std::string text;
  for (const RequestShortage& one : none->requests) {
    text += fmt::format("{}/{}: {} ({}, {}, {})\n",
                        one.claim,
                        one.request,
                        Word(one.lack()),
                        one.missing,
                        one.matching,
                        one.usable);
  }
  return text;
}

Lab With(std::string_view claim) {
  Lab lab;
  lab.Devices(kDevices).Claim(claim);
  return lab;
}

TEST(Shortage, NoDeviceMatches) {
  EXPECT_EQ(Why(With(Requests(1, "device.attributes['d.io'].row == 7"))),
            "0/0: none matches (1, 0, 0)\n");
}

TEST(Shortage, FewerMatchThanAreWanted) {
  EXPECT_EQ(Why(With(Requests(3))), "0/0: too few match (1, 2, 2)\n");
}

TEST(Shortage, TheDevicesAreTaken) {
  Lab lab = With(Requests(2));
  lab.state().devices.insert({"d.io", "pool", "a"});
  EXPECT_EQ(Why(lab), "0/0: taken (1, 2, 1)\n");
}

TEST(Shortage, ThereAreEnoughForEachButNotForAll) {
  Lab lab = With(Requests(1));
  lab.Claim(Requests(2));
  EXPECT_EQ(Why(lab), "0/0: together (0, 2, 2)\n1/0: together (0, 2, 2)\n");
}

TEST(Shortage, AConstraintStandsInTheWay) {
  EXPECT_EQ(Why(With(Requests(2, "true", R"(,"constraints":[{"matchAttribute":"d.io/row"}])"))),
            "0/0: together (0, 2, 2)\n");
}

TEST(Shortage, OfAlternativesTheOneThatLacksLeast) {
  EXPECT_EQ(Why(With(R"({"requests":[{"name":"r","firstAvailable":[
      {"name":"many","deviceClassName":"any","allocationMode":"ExactCount","count":9},
      {"name":"some","deviceClassName":"any","allocationMode":"ExactCount","count":4}]}]})")),
            "0/0: too few match (2, 2, 2)\n");
}

TEST(Shortage, ASelectorThatFailsIsAnErrorAndNoShortage) {
  EXPECT_EQ(Why(With(Requests(1, "device.attributes['d.io'].column == 1"))).substr(0, 6), "error:");
}

TEST(Shortage, PoolsThatAreNotWholeAreNamed) {
  Lab lab;
  lab.Slice(R"({"metadata":{"name":"half"},"spec":{"driver":"d.io","nodeName":"node",
      "pool":{"name":"p","generation":1,"resourceSliceCount":2},"devices":[{"name":"a"}]}})");
  lab.Count(1);
  const auto outcome = Attempt(lab.snapshot({}), lab.claims()).Allocate(lab.node());
  ASSERT_TRUE(outcome.has_value());
  const auto* const none = std::get_if<Unsatisfiable>(&*outcome);
  ASSERT_NE(none, nullptr);
  EXPECT_TRUE(none->has_incomplete_pool);
  EXPECT_FALSE(none->has_invalid_pool);
  EXPECT_EQ(none->node_error, "");
}

const RequestError* DetailsFor(const Lab& lab, Result<Outcome>& outcome) {
  outcome = Attempt(lab.snapshot({}), lab.claims()).Allocate(lab.node());
  return outcome ? nullptr : outcome.error().DetailsAs<RequestError>();
}

TEST(RequestErrors, NameTheRequestWhoseClassIsMissing) {
  const Lab lab = With(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"nowhere",
      "allocationMode":"ExactCount","count":1}}]})");
  Result<Outcome> outcome = Undecided{};
  const RequestError* const details = DetailsFor(lab, outcome);
  ASSERT_NE(details, nullptr);
  EXPECT_EQ(details->problem, RequestError::Problem::kMissingClass);
  EXPECT_EQ(details->claim, "lab/c0");
  EXPECT_EQ(details->request, "r");
}

TEST(RequestErrors, SayOtherForTheRest) {
  const Lab lab = With(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"Some","count":1}}]})");
  Result<Outcome> outcome = Undecided{};
  const RequestError* const details = DetailsFor(lab, outcome);
  ASSERT_NE(details, nullptr);
  EXPECT_EQ(details->problem, RequestError::Problem::kOther);
}

}  // namespace
}  // namespace dray::allocator
