// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document of a custom kind.
#include "server/documents/openapi_custom.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "server/documents/openapi.h"
#include "server/testing/fixture.h"

namespace dray::server::documents {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kDefinition = R"({
  "metadata":{"name":"lamps.my-lights.test"},
  "spec":{"group":"my-lights.test","scope":"Namespaced",
    "names":{"plural":"lamps","kind":"Lamp"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "selectableFields":[{"jsonPath":".spec.colour"}],
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
        "properties":{"colour":{"type":"string"},"port":{"x-kubernetes-int-or-string":true},
          "inner":{"type":"object","x-kubernetes-embedded-resource":true,
                   "x-kubernetes-preserve-unknown-fields":true}}}}}}}]}})";

class CustomOpenApi : public testing::ServerTest {
 protected:
  CustomOpenApi()
      : listening_(resources_.scheme().Listen([this] {
          const MutexLock lock(mutex_);
          changed_.NotifyAll();
        })) {
    EXPECT_TRUE(Post("customresourcedefinitions", "", std::string(kDefinition)).starts_with("201"));
    const MutexLock lock(mutex_);
    while (resources_.scheme().Now()->FindResource("my-lights.test", "v1", "lamps") == nullptr) {
      changed_.Wait(mutex_);
    }
  }

  std::string Document() {
    const Frozen<api::Scheme> scheme = resources_.scheme().Now();
    const OpenApi openapi(*scheme, api::Release::kAny);
    const OpenApi::Document* found = openapi.Find("apis/my-lights.test/v1");
    return found == nullptr ? "" : found->json;
  }

  Mutex mutex_;
  Condition changed_;
  api::LiveScheme::Listening listening_;
};

TEST_F(CustomOpenApi, SaysWhatItsServerTakes) {
  const std::string document = Document();
  EXPECT_THAT(document,
              AllOf(HasSubstr(R"("title":"Kubernetes CRD Swagger","version":"v0.1.0")"),
                    HasSubstr(R"("operationId":"listMyLightsTestV1NamespacedLamp")"),
                    HasSubstr("application/merge-patch+json"),
                    Not(HasSubstr("strategic-merge-patch")),
                    Not(HasSubstr("vnd.kubernetes.protobuf")),
                    Not(HasSubstr("/watch/"))));
}

TEST_F(CustomOpenApi, SaysWhatTheSchemaMeans) {
  EXPECT_THAT(
      Document(),
      AllOf(HasSubstr(R"("required":["kind","apiVersion"])"),
            HasSubstr(R"("anyOf":[{"type":"integer"},{"type":"string"}])"),
            HasSubstr(R"("x-kubernetes-selectable-fields":[{"fieldPath":"spec.colour"}])")));
}

}  // namespace
}  // namespace dray::server::documents
