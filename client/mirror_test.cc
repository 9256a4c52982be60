// SPDX-License-Identifier: Apache-2.0
#include "client/mirror.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"

namespace dray::client {
namespace {

using api::core_v1::Pod;
using ::testing::ElementsAre;

api::Object MakePod(const std::string& name, int version, const std::string& uid = "u") {
  Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = name;
  pod.metadata.uid = uid;
  pod.metadata.resource_version = std::to_string(version);
  return api::Object::Of(std::move(pod));
}

/// Makes a new copy for each reader, and counts those that are left.
class Lender final : public ObjectSource {
 public:
  Lender(api::Object object, int& lent) : object_(std::move(object)), lent_(lent) {}
  api::Object Get() const override {
    ++lent_;
    // What is lent may outlive the lender.
    const std::shared_ptr<Pod> pod(new Pod(object_.As<Pod>()), [&lent = lent_](Pod* gone) {
      --lent;
      delete gone;
    });
    return api::Object::Sharing<Pod>(pod);
  }

 private:
  const api::Object object_;
  int& lent_;
};

class MirrorTest : public ::testing::Test {
 protected:
  MirrorTest() {
    mirror_.OnChange([this](const api::Object* before, const api::Object* after) {
      const auto version = [](const api::Object* object) {
        return object == nullptr ? "none" : object->metadata().resource_version;
      };
      seen_.push_back(version(before) + " to " + version(after));
    });
  }

  void PutBorrowed(const api::Object& object) {
    mirror_.PutNewer(object, std::make_shared<const Lender>(object, lent_));
  }

  int lent_ = 0;
  std::vector<std::string> seen_;
  Mirror mirror_;
};

TEST_F(MirrorTest, HoldsNothingThatCanBeHadAgain) {
  PutBorrowed(MakePod("a", 1));
  EXPECT_EQ(lent_, 0);
  const api::Object* const first = mirror_.Find("lab/a");
  const api::Object* const second = mirror_.Find("lab/a");
  EXPECT_EQ(*first, *second) << "both are valid until they are given back";
  EXPECT_EQ(first->metadata().resource_version, "1");
  EXPECT_EQ(lent_, 2);
  mirror_.GiveBack();
  EXPECT_EQ(lent_, 0);
}

TEST_F(MirrorTest, ShowsHandlersBothVersions) {
  PutBorrowed(MakePod("a", 1));
  PutBorrowed(MakePod("a", 3));
  PutBorrowed(MakePod("a", 2));
  PutBorrowed(MakePod("a", 4, "another"));
  mirror_.Remove("lab/a");
  EXPECT_THAT(seen_, ElementsAre("none to 1", "1 to 3", "3 to none", "none to 4", "4 to none"));
  EXPECT_EQ(lent_, 0);
}

TEST_F(MirrorTest, IteratesOverOneAtATime) {
  for (const char* name : {"b", "a"}) PutBorrowed(MakePod(name, 1));
  mirror_.Put(MakePod("held", 1));
  std::vector<std::string> keys;
  for (const auto& [key, object] : mirror_.objects()) {
    keys.push_back(key);
    EXPECT_EQ(api::ObjectKey(object.metadata()), key);
    EXPECT_LE(lent_, 1);
  }
  EXPECT_THAT(keys, ElementsAre("lab/a", "lab/b", "lab/held"));
  EXPECT_EQ(mirror_.objects().size(), 3U);
  EXPECT_TRUE(mirror_.objects().contains("lab/b"));
  EXPECT_EQ((*mirror_.objects().lower_bound("lab/aa")).first, "lab/b");
  EXPECT_THAT(mirror_.KeysBut({"lab/b"}), ElementsAre("lab/a", "lab/held"));
}

// What a component wrote is held until the store shows where it can be had again.
TEST_F(MirrorTest, GivesUpWhatItHeldOnceItCanBeHadAgain) {
  const api::Object pod = MakePod("a", 1);
  mirror_.PutNewer(pod);
  EXPECT_EQ(mirror_.Find("lab/a")->value(), pod.value());
  PutBorrowed(pod);
  EXPECT_THAT(seen_, ElementsAre("none to 1"));
  EXPECT_NE(mirror_.Find("lab/a")->value(), pod.value());
  mirror_.GiveBack();
  EXPECT_EQ(lent_, 0);
}

TEST_F(MirrorTest, IndexesFollowWhatIsBorrowed) {
  const size_t by_uid = mirror_.AddIndex(
      [](const api::Object& pod, auto& values) { values.push_back(pod.metadata().uid); });
  PutBorrowed(MakePod("a", 1, "one"));
  EXPECT_THAT(mirror_.Indexed(by_uid, "one"), ElementsAre("lab/a"));
  PutBorrowed(MakePod("a", 2, "two"));
  EXPECT_TRUE(mirror_.Indexed(by_uid, "one").empty());
  EXPECT_THAT(mirror_.Indexed(by_uid, "two"), ElementsAre("lab/a"));
  EXPECT_EQ(lent_, 0);
}

}  // namespace
}  // namespace dray::client
