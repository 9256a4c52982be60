// SPDX-License-Identifier: Apache-2.0
// The two webhook plugins with a webhook that listens in this process.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json_tree.h"
#include "base/mutex.h"
#include "base/text/base64.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"
#include "server/testing/fixture.h"
#include "server/webhooks/answer.h"

namespace dray::server::verbs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kMutating = "mutatingwebhookconfigurations";
constexpr std::string_view kValidating = "validatingwebhookconfigurations";

/// A webhook behind HTTPS with one answer for each path; a path without one allows everything.
class Hook {
 public:
  Hook(Random& random, const Clock& clock) : pki_(net::testing::Pki::Make(random, clock.Now())) {
    net::server::HttpServerOptions options;
    options.tls = net::tls::ServerContext::Create({pki_.server, ""}).value();
    server_ = net::server::HttpServer::Start(clock, Log::Silent(), options, handler_).value();
  }

  /// Sets the answer for `path`; "UID" stands for the uid of the review.
  void Answer(const std::string& path, std::string response) {
    const MutexLock lock(mutex_);
    answers_[path] = std::move(response);
  }
  /// Sets this patch as the answer for `path`.
  void Patch(const std::string& path, std::string_view patch) {
    Answer(path,
           fmt::format(R"({{"uid":"UID","allowed":true,"patchType":"JSONPatch","patch":"{}"}})",
                       EncodeBase64(patch)));
  }

  /// Sets the whole body of the answer for `path`.
  void Say(const std::string& path, std::string body) {
    const MutexLock lock(mutex_);
    bodies_[path] = std::move(body);
  }

  /// Returns and clears the paths that were called, in order.
  std::vector<std::string> TakePaths() {
    const MutexLock lock(mutex_);
    return std::exchange(paths_, {});
  }
  /// The newest review.
  std::string review() {
    const MutexLock lock(mutex_);
    return review_;
  }

  /// One webhook of a configuration; `rest` is added to it.
  std::string Json(std::string_view name, std::string_view path, std::string_view rest = "") const {
    return fmt::format(
        R"({{"name":"{}.x.test","clientConfig":{{"url":"https://127.0.0.1:{}/{}","caBundle":"{}"}},)"
        R"("rules":[{{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],)"
        R"("resources":["*/*"]}}],"sideEffects":"None","admissionReviewVersions":["v1"]{}}})",
        name,
        server_->port(),
        path,
        EncodeBase64(pki_.ca.certificate_pem),
        rest);
  }
  void Stop() { server_.reset(); }

 private:
  void Handle(const net::Request& request, net::Responder& responder) {
    std::string response;
    {
      const MutexLock lock(mutex_);
      const std::string path(request.path().substr(1));
      paths_.push_back(path);
      review_ = request.body;
      if (const auto body = bodies_.find(path); body != bodies_.end()) {
        return responder.Respond({}, net::Bytes(body->second));
      }
      const auto found = answers_.find(path);
      response = found == answers_.end() ? R"({"uid":"UID","allowed":true})" : found->second;
    }
    const size_t uid = request.body.find(R"("uid":")") + 7;
    const size_t place = response.find("UID");
    response.replace(place, 3, request.body.substr(uid, request.body.find('"', uid) - uid));
    responder.Respond(
        {},
        net::Bytes(fmt::format(
            R"({{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{}}})",
            response)));
  }

  const net::testing::Pki pki_;
  Mutex mutex_;
  std::map<std::string, std::string> answers_ DRAY_GUARDED_BY(mutex_);
  std::map<std::string, std::string> bodies_ DRAY_GUARDED_BY(mutex_);
  std::vector<std::string> paths_ DRAY_GUARDED_BY(mutex_);
  std::string review_ DRAY_GUARDED_BY(mutex_);
  net::testing::FunctionHandler handler_{
      [this](const net::Request& request, const std::shared_ptr<net::Responder>& responder) {
        Handle(request, *responder);
      }};
  std::unique_ptr<net::server::HttpServer> server_;
};

class WebhooksTest : public server::testing::ServerTest {
 protected:
  /// Stores a configuration with these webhooks.
  void Configure(std::string_view kind, std::string_view name, std::string_view webhooks) {
    const std::string made = Post(
        kind, "", fmt::format(R"({{"metadata":{{"name":"{}"}},"webhooks":[{}]}})", name, webhooks));
    ASSERT_THAT(made, HasSubstr("201 ")) << made;
  }
  std::string MakeMap(std::string_view name) {
    return Post("configmaps",
                "default",
                fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"k":"v"}}}})", name));
  }

  Hook hook_{world_.world().random, world_.world().clock};
};

TEST_F(WebhooksTest, AMutatingWebhookChangesWhatIsStored) {
  Configure(kMutating, "m", hook_.Json("m", "m"));
  hook_.Patch("m", R"([{"op":"add","path":"/data/more","value":"x"}])");
  EXPECT_THAT(MakeMap("a"), HasSubstr(R"("data":{"k":"v","more":"x"})"));
  EXPECT_THAT(Read("configmaps", "default", "a"), HasSubstr(R"("data":{"k":"v","more":"x"})"));
  // The webhook sees the object before the server completes it.
  EXPECT_THAT(hook_.review(), HasSubstr(R"("object":{"kind":"ConfigMap","apiVersion":"v1",)"));
  EXPECT_THAT(hook_.review(), Not(HasSubstr("creationTimestamp")));
}

TEST_F(WebhooksTest, AValidatingWebhookSeesWhatWouldBeStored) {
  Configure(kValidating, "v", hook_.Json("v", "v"));
  hook_.Answer("v",
               R"({"uid":"UID","allowed":false,"status":{"code":418,"message":"no"},)"
               R"("warnings":["careful","two\nlines"]})");
  EXPECT_EQ(MakeMap("a"), R"(418 : admission webhook "v.x.test" denied the request: no)");
  EXPECT_THAT(warnings_, ElementsAre("careful"));
  EXPECT_THAT(hook_.review(), HasSubstr("creationTimestamp"));
  EXPECT_THAT(Read("configmaps", "default", "a"), HasSubstr("404 "));
}

TEST_F(WebhooksTest, AWebhookThatIsNotThereFailsTheRequestOrIsPassedOver) {
  Configure(kValidating, "v", hook_.Json("v", "v"));
  hook_.Stop();
  EXPECT_THAT(MakeMap("a"),
              HasSubstr("500 InternalError: Internal error occurred: failed calling webhook "
                        R"("v.x.test": failed to call webhook: Post "https://127.0.0.1:)"));
  Delete(kValidating, "", "v");
  Hook dead{world_.world().random, world_.world().clock};
  Configure(kValidating, "w", dead.Json("w", "w", R"(,"failurePolicy":"Ignore")"));
  dead.Stop();
  EXPECT_THAT(MakeMap("a"), HasSubstr("201 "));
}

TEST_F(WebhooksTest, TheyAreAskedByNameOfTheConfigurationAndAgainAfterChanges) {
  Configure(kMutating, "b", hook_.Json("b", "b"));
  Configure(kMutating,
            "a",
            hook_.Json("one", "a1", R"(,"reinvocationPolicy":"IfNeeded")") + "," +
                hook_.Json("two", "a2"));
  EXPECT_THAT(MakeMap("a"), HasSubstr("201 "));
  EXPECT_THAT(hook_.TakePaths(), ElementsAre("a1", "a2", "b"));
  hook_.Patch("b", R"([{"op":"add","path":"/data/more","value":"x"}])");
  EXPECT_THAT(MakeMap("b"), HasSubstr("201 "));
  EXPECT_THAT(hook_.TakePaths(), ElementsAre("a1", "a2", "b", "a1"));
  // A webhook is not called again after its own change.
  hook_.Answer("b", R"({"uid":"UID","allowed":true})");
  hook_.Patch("a1", R"([{"op":"add","path":"/data/more","value":"x"}])");
  EXPECT_THAT(MakeMap("c"), HasSubstr("201 "));
  EXPECT_THAT(hook_.TakePaths(), ElementsAre("a1", "a2", "b"));
}

// Each of two webhooks undoes what the other does.
TEST_F(WebhooksTest, ThoseThatLoopWithEachOtherAreAskedTwice) {
  Configure(kMutating,
            "m",
            hook_.Json("one", "a", R"(,"reinvocationPolicy":"IfNeeded")") + "," +
                hook_.Json("two", "b", R"(,"reinvocationPolicy":"IfNeeded")"));
  hook_.Patch("a", R"([{"op":"add","path":"/data/n","value":"a"}])");
  hook_.Patch("b", R"([{"op":"add","path":"/data/n","value":"b"}])");
  EXPECT_THAT(MakeMap("a"), HasSubstr(R"("data":{"k":"v","n":"b"})"));
  EXPECT_THAT(hook_.TakePaths(), ElementsAre("a", "b", "a", "b"));
}

TEST_F(WebhooksTest, AnAnswerThatIsNoneFailsTheRequestAndChangesNothing) {
  Configure(kMutating, "m", hook_.Json("m", "m"));
  const std::string answers[] = {
      "",
      "{",
      "no JSON at all",
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
      std::string(10'000, '['),
      std::string("\x00\xff\xfe", 3),
      R"({"response":")" + std::string(webhooks::kAnswerBytesMax, 'x') + R"("})",
  };
  for (const std::string& answer : answers) {
    hook_.Say("m", answer);
    EXPECT_THAT(
        MakeMap("a"),
        HasSubstr(
            R"(500 InternalError: Internal error occurred: failed calling webhook "m.x.test": )"))
        << answer.substr(0, 50);
    EXPECT_THAT(Read("configmaps", "default", "a"), HasSubstr("404 "));
  }
}

TEST_F(WebhooksTest, APatchThatBreaksMetadataChangesNothing) {
  Configure(kMutating, "m", hook_.Json("m", "m"));
  const std::string_view patches[] = {
      R"([{"op":"replace","path":"/metadata","value":null}])",
      R"([{"op":"replace","path":"/metadata","value":5}])",
      R"([{"op":"add","path":"/metadata/labels","value":{"a":{}}}])",
      R"([{"op":"add","path":"/metadata/labels","value":{"not a key!":"x"}}])",
      R"([{"op":"add","path":"/metadata/ownerReferences","value":[{}]}])",
      R"([{"op":"replace","path":"","value":[]}])",
      R"([{"op":"remove","path":"/metadata/name"}])",
      R"([{"op":"add","path":"/metadata/resourceVersion","value":"7"}])",
  };
  for (const std::string_view patch : patches) {
    hook_.Patch("m", patch);
    const std::string answer = MakeMap("a");
    EXPECT_TRUE(answer.starts_with("4") || answer.starts_with("5")) << patch << ": " << answer;
    EXPECT_THAT(Read("configmaps", "default", "a"), HasSubstr("404 ")) << patch;
  }
}

TEST_F(WebhooksTest, ADeletionIsShownWithWhatGoes) {
  EXPECT_THAT(MakeMap("a"), HasSubstr("201 "));
  Configure(kValidating, "v", hook_.Json("v", "v"));
  hook_.Answer("v", R"({"uid":"UID","allowed":false})");
  EXPECT_EQ(Delete("configmaps", "default", "a"),
            R"(400 : admission webhook "v.x.test" denied the request without explanation)");
  EXPECT_THAT(hook_.review(), HasSubstr(R"("operation":"DELETE")"));
  EXPECT_THAT(hook_.review(), HasSubstr(R"("object":null,"oldObject":{"kind":"ConfigMap")"));
}

TEST_F(WebhooksTest, APatchOfWhatCannotChangeIsAnError) {
  EXPECT_THAT(MakeMap("a"), HasSubstr("201 "));
  Configure(kMutating, "m", hook_.Json("m", "m", R"(,"failurePolicy":"Ignore")"));
  hook_.Patch("m", R"([{"op":"add","path":"/data/more","value":"x"}])");
  EXPECT_EQ(Delete("configmaps", "default", "a"),
            R"(500 InternalError: Internal error occurred: admission webhook "m.x.test" attempted )"
            "to modify the object, which is not supported for this operation");
  hook_.Patch("m", R"([{"op":"test","path":"/data/k","value":"other"}])");
  EXPECT_EQ(MakeMap("b"),
            "500 InternalError: Internal error occurred: testing value /data/k failed: test "
            "failed");
}

TEST_F(WebhooksTest, ANewObjectMayGetAnotherNameAndNoOtherNamespace) {
  Configure(kMutating, "m", hook_.Json("m", "m"));
  hook_.Patch("m", R"([{"op":"replace","path":"/metadata/name","value":"renamed"}])");
  EXPECT_THAT(MakeMap("a"), HasSubstr(R"("name":"renamed")"));
  hook_.Patch("m", R"([{"op":"replace","path":"/metadata/namespace","value":"kube-system"}])");
  EXPECT_EQ(MakeMap("b"),
            "400 BadRequest: the namespace of the provided object does not match the namespace "
            "sent on the request");
  hook_.Patch("m", R"([{"op":"replace","path":"/kind","value":"Secret"}])");
  EXPECT_THAT(MakeMap("b"), HasSubstr("500 InternalError: "));
}

TEST_F(WebhooksTest, AScaleIsShownAndChangedAsSuch) {
  const std::string made = Post(
      "deployments",
      "default",
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":)"
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_THAT(made, HasSubstr("201 "));
  Configure(kMutating, "m", hook_.Json("m", "m"));
  hook_.Patch("m", R"([{"op":"replace","path":"/spec/replicas","value":5}])");
  ResourceRequest request = Request(Verb::kPatch, "deployments", "default", "d");
  request.subresource = "scale";
  request.body = std::string(R"({"spec":{"replicas":2}})");
  EXPECT_THAT(Do(request), HasSubstr(R"("spec":{"replicas":5})"));
  EXPECT_THAT(hook_.review(), HasSubstr(R"("kind":{"group":"autoscaling","version":"v1",)"));
}

TEST_F(WebhooksTest, ConfigurationsAndReviewsAreNeverShown) {
  Configure(kValidating, "v", hook_.Json("v", "v"));
  hook_.Answer("v", R"({"uid":"UID","allowed":false})");
  Configure(kMutating, "m", hook_.Json("m", "m"));
  EXPECT_THAT(Post("selfsubjectaccessreviews",
                   "",
                   R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})"),
              HasSubstr("201 "));
  EXPECT_THAT(hook_.TakePaths(), IsEmpty());
  EXPECT_THAT(Delete(kValidating, "", "v"), HasSubstr("200 "));
}

TEST_F(WebhooksTest, AServerStartsWhateverTheySay) {
  Configure(kValidating, "v", hook_.Json("v", "v"));
  hook_.Answer("v", R"({"uid":"UID","allowed":false})");
  EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
  EXPECT_TRUE(Wait(resources_.BootstrapCluster("127.0.0.1", 6443)).has_value());
  EXPECT_TRUE(resources_.own_writes().all_made());
  EXPECT_THAT(hook_.TakePaths(), IsEmpty());
}

TEST_F(WebhooksTest, ConditionsDecideLast) {
  Configure(kValidating,
            "v",
            hook_.Json("v",
                       "v",
                       R"(,"matchConditions":[{"name":"a","expression":)"
                       R"("object.data.k == 'v'"}])"));
  hook_.Answer("v", R"({"uid":"UID","allowed":false})");
  EXPECT_THAT(MakeMap("a"), HasSubstr("denied the request"));
  EXPECT_EQ(Post("configmaps", "default", R"({"metadata":{"name":"a"},"data":{"x":"y"}})"),
            "403 Forbidden: configmaps \"a\" is forbidden: expression 'object.data.k == 'v'' "
            "resulted in error: no such key: k");
  EXPECT_THAT(Post("configmaps", "default", R"({"metadata":{"name":"a"},"data":{"k":"y"}})"),
              HasSubstr("201 "));
}

TEST_F(WebhooksTest, ConfigurationsAreChecked) {
  const auto check = [&](std::string_view webhook) {
    return Post(
        kMutating, "", fmt::format(R"({{"metadata":{{"name":"m"}},"webhooks":[{}]}})", webhook));
  };
  EXPECT_EQ(check(R"({"name":"m"})"),
            "422 Invalid: MutatingWebhookConfiguration.admissionregistration.k8s.io \"m\" is "
            "invalid: [webhooks[0].name: Invalid value: \"m\": should be a domain with at least "
            "three segments separated by dots, webhooks[0].sideEffects: Required value: must "
            "specify one of None, NoneOnDryRun, webhooks[0].clientConfig: Required value: exactly "
            "one of url or service is required, webhooks[0].admissionReviewVersions: Required "
            "value: must specify one of v1, v1beta1]");
  EXPECT_EQ(check(hook_.Json("m", "m", R"(,"timeoutSeconds":31,"reinvocationPolicy":"Often")")),
            "422 Invalid: MutatingWebhookConfiguration.admissionregistration.k8s.io \"m\" is "
            "invalid: [webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be "
            "between 1 and 30 seconds, webhooks[0].reinvocationPolicy: Unsupported value: "
            "\"Often\": supported values: \"IfNeeded\", \"Never\"]");
  EXPECT_THAT(check(hook_.Json("m", "m") + "," + hook_.Json("m", "m")),
              HasSubstr("webhooks[1].name: Duplicate value: \"m.x.test\""));
}

}  // namespace
}  // namespace dray::server::verbs
