// SPDX-License-Identifier: Apache-2.0
// A record that cannot be decoded affects no other object, and can be deleted.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline write {
namespace {

using server::testing::ServerTest;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class UnreadableTest : public ServerTest {
 protected:
  explicit UnreadableTest(const Options& options = {}) : ServerTest(options) {
    Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
    Damage("b");
    Post("deviceclasses", "", R"({"metadata":{"name":"c"},"spec":{}})");
  }

  void Damage(std::string_view name) {
    store::Txn txn;
    txn.operations.emplace_back(store::Put{.key = "/registry/deviceclasses/" + std::string(name),
                                           .value = store::MakeBytes("k8s:enc:aescbc:v1:key:123")});
    EXPECT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  }

  ResourceRequest Unsafe(std::string_view name) {
    ResourceRequest request = Request(Verb::kDelete, "deviceclasses", "", name);
    request.delete_options.ignore_store_read_error_with_cluster_breaking_potential = true;
    return request;
  }

  std::string Types(WatchCursor& cursor) {
    std::string types;
    for (const WatchEvent& event : cursor.Next(100)) {
      types +=
          std::string(WatchEventName(event.type)) + ' ' + event.item.object.metadata().name + ' ';
    }
    return types;
  }
};

constexpr const char* kWhy =
    "the stored DeviceClass at /registry/deviceclasses/b cannot be decoded: it is encrypted, and "
    "there is no key for it";

TEST_F(UnreadableTest, IsLeftOutOfListsWithAWarning) {
  EXPECT_EQ(Names(Request(Verb::kList, "deviceclasses", "", "")), "a c");
  EXPECT_THAT(warnings_, ElementsAre(std::string("left out: ") + kWhy));
  ResourceRequest only = Request(Verb::kList, "deviceclasses", "", "");
  only.list.field_selector = "metadata.name=b";
  EXPECT_EQ(Names(std::move(only)), "");
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_F(UnreadableTest, IsCountedInWarningsThatAreFew) {
  const auto warnings = [this] {
    EXPECT_EQ(Names(Request(Verb::kList, "deviceclasses", "", "")), "a c");
    return warnings_;
  };
  for (size_t i = 1; i < kLeftOutMax; ++i) Damage("d" + std::to_string(i));
  EXPECT_THAT(warnings(), AllOf(SizeIs(kLeftOutMax), Not(Contains(HasSubstr(" more ")))));
  Damage("e");
  EXPECT_THAT(warnings(), SizeIs(kLeftOutMax + 1));
  EXPECT_EQ(warnings_.back(), "left out: 1 more that cannot be decoded");
}

TEST_F(UnreadableTest, AnswersWhyAndWhatToDo) {
  const std::string refused = std::string("500 InternalError: Internal error occurred: ") + kWhy +
                              "; DELETE with ignoreStoreReadErrorWithClusterBreakingPotential=true "
                              "removes it";
  EXPECT_EQ(Read("deviceclasses", "", "b"), refused);
  EXPECT_EQ(Delete("deviceclasses", "", "b"), refused);
  EXPECT_EQ(Put("deviceclasses", "", "b", R"({"metadata":{"name":"b"},"spec":{}})"), refused);
  EXPECT_EQ(Post("deviceclasses", "", R"({"metadata":{"name":"b"},"spec":{}})"),
            "409 AlreadyExists: deviceclasses.resource.k8s.io \"b\" already exists and cannot be "
            "read");
}

TEST_F(UnreadableTest, IsNotThereForWatches) {
  const auto started = resources_.Watch(Request(Verb::kWatch, "deviceclasses", "", ""));
  ASSERT_TRUE(started.has_value());
  EXPECT_EQ(Types(**started), "ADDED a ADDED c ");
  Damage("a");
  EXPECT_EQ(Types(**started), "DELETED a ");
  Damage("a");
  EXPECT_EQ(Types(**started), "");
  EXPECT_THAT(Do(Unsafe("a")), StartsWith("200 "));
  EXPECT_EQ(Types(**started), "");
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  EXPECT_EQ(Types(**started), "ADDED a ");
}

TEST_F(UnreadableTest, IsDeletedWhenThatIsAskedFor) {
  ResourceRequest dry = Unsafe("b");
  dry.delete_options.dry_run = {"All"};
  EXPECT_THAT(Do(std::move(dry)), StartsWith("200 "));
  EXPECT_THAT(Read("deviceclasses", "", "b"), StartsWith("500 "));
  EXPECT_EQ(Do(Unsafe("b")),
            R"(200 {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
            R"("details":{"name":"b","kind":"DeviceClass"},"code":200})");
  EXPECT_THAT(Read("deviceclasses", "", "b"), StartsWith("404 "));
  EXPECT_THAT(Do(Unsafe("b")), StartsWith("404 "));
  EXPECT_THAT(Do(Unsafe("a")),
              AllOf(StartsWith("409 Conflict: "),
                    HasSubstr("Key: /registry/deviceclasses/a"),
                    HasSubstr("unsafe deletion is not allowed because the object is decodable from "
                              "storage")));
}

TEST_F(UnreadableTest, TakesNoOtherOptionsWithIt) {
  ResourceRequest request = Unsafe("b");
  request.delete_options.grace_period_seconds = 0;
  request.delete_options.propagation_policy = "Orphan";
  request.delete_options.preconditions.emplace();
  EXPECT_EQ(Do(request),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: "
            "[ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set "
            "together with .propagationPolicy, ignoreStoreReadErrorWithClusterBreakingPotential: "
            "Invalid value: true: cannot be set together with .gracePeriodSeconds, "
            "ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set "
            "together with .preconditions]");
  ResourceRequest all = Unsafe("");
  all.verb = Verb::kDeleteCollection;
  EXPECT_EQ(Do(std::move(all)),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: "
            "ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is not allowed "
            "with DELETECOLLECTION, try again after removing the option");
}

TEST_F(UnreadableTest, DoesNotStopTheDeletionOfACollection) {
  EXPECT_EQ(Do(Request(Verb::kDeleteCollection, "deviceclasses", "", "")), "200 list");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(kWhy)));
  EXPECT_EQ(Names(Request(Verb::kList, "deviceclasses", "", "")), "");
  EXPECT_THAT(Read("deviceclasses", "", "b"), StartsWith("500 ")) << "no request asked for that";
}

TEST_F(UnreadableTest, DoesNotKeepAServerFromStarting) {
  store::Txn txn;
  txn.operations.emplace_back(
      store::Put{.key = "/registry/namespaces/default", .value = store::MakeBytes("{")});
  ASSERT_TRUE(store_.CommitAndWait(std::move(txn)).has_value());
  EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
}

class ReleaseWithoutTheGate : public UnreadableTest {
 protected:
  ReleaseWithoutTheGate()
      : UnreadableTest(
            {.rules = registry::RuleSet({.release = api::Release::k1_31,
                                         .gates = api::FeatureGates::AllOf(api::Release::k1_31)}),
             .release = api::Release::k1_31}) {}
};

TEST_F(ReleaseWithoutTheGate, IgnoresTheOptionAsUpstreamDoes) {
  EXPECT_EQ(Do(Unsafe("b")), std::string("500 InternalError: Internal error occurred: ") + kWhy);
  EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace dray::server::verbs::inline write
