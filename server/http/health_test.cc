// SPDX-License-Identifier: Apache-2.0
// Answers to probes while a server starts.
#include "server/http/health.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPriorities = "poststarthook/scheduling/bootstrap-system-priority-classes";

class HealthTest : public ::testing::Test {
 protected:
  HealthTest() : resources_(scheme_, store_, world_.world(), Log::Silent(), {}) {}

  std::vector<HealthCheck> Checks() const {
    std::vector<HealthCheck> checks = {StateIsRead(resources_)};
    for (HealthCheck& check : StartedParts(resources_, [this] { return has_store_; })) {
      checks.push_back(std::move(check));
    }
    return checks;
  }
  // The names of some checks, those that do not pass yet.
  std::vector<std::string> Waiting() const {
    const std::vector<HealthCheck> checks = Checks();
    std::vector<std::string> waiting;
    for (const std::string_view name :
         {std::string_view("informer-sync"),
          std::string_view("poststarthook/generic-apiserver-start-informers"),
          std::string_view("poststarthook/start-system-namespaces-controller"),
          std::string_view("poststarthook/rbac/bootstrap-roles"),
          std::string_view("autoregister-completion"),
          std::string_view(kPriorities),
          std::string_view("poststarthook/storage-readiness")}) {
      const auto check = std::ranges::find(checks, name, &HealthCheck::name);
      if (check == checks.end() || !check->passes()) waiting.emplace_back(name);
    }
    return waiting;
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  verbs::Resources resources_;
  bool has_store_ = true;
};

TEST_F(HealthTest, APartPassesWhenWhatItMakesIsThere) {
  EXPECT_THAT(Waiting(),
              ElementsAre("informer-sync",
                          "poststarthook/generic-apiserver-start-informers",
                          "poststarthook/start-system-namespaces-controller",
                          "poststarthook/rbac/bootstrap-roles",
                          "autoregister-completion",
                          kPriorities));
  EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  EXPECT_THAT(
      Waiting(),
      ElementsAre("poststarthook/rbac/bootstrap-roles", "autoregister-completion", kPriorities));
  EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
  EXPECT_THAT(Waiting(), ElementsAre(kPriorities));
  const auto answer = AnswerHealth(Checks(), "readyz", false, {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->code, 500);
  EXPECT_THAT(
      answer->text,
      ::testing::HasSubstr(std::string("[-]") + kPriorities + " failed: reason withheld\n"));
  EXPECT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 1)).has_value());
  EXPECT_THAT(Waiting(), IsEmpty());
  EXPECT_EQ(AnswerHealth(Checks(), "readyz", false, {})->text, "ok");
  has_store_ = false;
  EXPECT_THAT(Waiting(), ElementsAre("poststarthook/storage-readiness"));
}

TEST(Health, RemarksAreForWhoAsksForAllChecks) {
  std::vector<std::string> remarks;
  const std::vector<HealthCheck> checks = {{.name = "ping", .passes = [] { return true; }},
                                           {.name = "own-writes",
                                            .passes = [] { return true; },
                                            .readiness_only = true,
                                            .remarks = [&] { return remarks; }}};
  EXPECT_EQ(AnswerHealth(checks, "readyz", true, {})->text, "[+]ping ok\nreadyz check passed\n");
  remarks = {"Node a: no"};
  const auto answer = AnswerHealth(checks, "readyz", true, {});
  EXPECT_EQ(answer->code, 200);
  EXPECT_EQ(answer->text,
            "[+]ping ok\n[+]own-writes ok, but refused and tried again: Node a: no\n"
            "readyz check passed\n");
  EXPECT_EQ(AnswerHealth(checks, "readyz", false, {})->text, "ok");
  EXPECT_EQ(AnswerHealth(checks, "livez", true, {})->text, "[+]ping ok\nlivez check passed\n");
}

}  // namespace
}  // namespace dray::server::http
