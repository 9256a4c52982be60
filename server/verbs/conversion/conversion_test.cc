// SPDX-License-Identifier: Apache-2.0
// Custom kinds whose objects a webhook converts, against one that listens in this process.
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "api/custom_kind.h"
#include "api/value/tree.h"
#include "base/mutex.h"
#include "base/text/base64.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline conversion {
namespace {

using api::Tree;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kGroup = "lights.test";

enum class Mood : uint8_t { kConverts, kRefuses, kRenames, kSaysNothing };

/// A webhook behind HTTPS: spec.host of v1 is spec.hostPort of v2.
class ConversionHook {
 public:
  ConversionHook(Random& random, const Clock& clock)
      : pki_(net::testing::Pki::Make(random, clock.Now())) {
    net::server::HttpServerOptions options;
    options.tls = net::tls::ServerContext::Create({pki_.server, ""}).value();
    server_ = net::server::HttpServer::Start(clock, Log::Silent(), options, handler_).value();
  }

  std::string Conversion() const {
    return fmt::format(R"({{"strategy":"Webhook","webhook":{{"conversionReviewVersions":["v1"],)"
                       R"("clientConfig":{{"url":"https://127.0.0.1:{}/c","caBundle":"{}"}}}}}})",
                       server_->port(),
                       EncodeBase64(pki_.ca.certificate_pem));
  }
  /// Sets the mood for the next reviews with `about` in the body.
  void Becomes(Mood mood, std::string about = {}) {
    const MutexLock lock(mutex_);
    mood_ = mood;
    about_ = std::move(about);
  }
  /// How many objects each review had, since the last call.
  std::vector<size_t> TakeSizes() {
    const MutexLock lock(mutex_);
    return std::exchange(sizes_, {});
  }

 private:
  static void Convert(Tree& object, std::string_view desired) {
    object.Set("apiVersion", Tree(desired));
    Tree* const spec = object.FindMutable("spec");
    if (spec == nullptr) return;
    const bool is_v2 = desired.ends_with("v2");
    const std::string_view from = is_v2 ? "host" : "hostPort";
    if (spec->Find(from) == nullptr) return;
    const Tree value = *spec->Find(from);
    spec->Erase(from);
    spec->Set(is_v2 ? "hostPort" : "host", value);
  }

  std::string AnswerTo(const std::string& body) {
    const Tree review = api::ReadTree(body).value();
    const Tree& request = *review.Find("request");
    Tree objects = *request.Find("objects");
    Mood mood = Mood::kConverts;
    {
      const MutexLock lock(mutex_);
      sizes_.push_back(objects.size());
      if (body.contains(about_)) mood = mood_;
    }
    if (mood == Mood::kSaysNothing) return "";
    const std::string_view uid = request.Find("uid")->text();
    if (mood == Mood::kRefuses) {
      return fmt::format(
          R"({{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1",)"
          R"("response":{{"uid":"{}","result":{{"status":"Failure","message":"no"}}}}}})",
          uid);
    }
    for (Tree& object : objects.MutableElements()) {
      Convert(object, request.Find("desiredAPIVersion")->text());
      if (mood == Mood::kRenames) object.FindMutable("metadata")->Set("name", Tree("other"));
    }
    return fmt::format(
        R"({{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1",)"
        R"("response":{{"uid":"{}","result":{{"status":"Success"}},"convertedObjects":{}}}}})",
        uid,
        api::ToJson(objects));
  }

  const net::testing::Pki pki_;
  Mutex mutex_;
  Mood mood_ DRAY_GUARDED_BY(mutex_) = Mood::kConverts;
  std::string about_ DRAY_GUARDED_BY(mutex_);
  std::vector<size_t> sizes_ DRAY_GUARDED_BY(mutex_);
  net::testing::FunctionHandler handler_{
      [this](const net::Request& request, const std::shared_ptr<net::Responder>& responder) {
        responder->Respond({}, net::Bytes(AnswerTo(request.body)));
      }};
  std::unique_ptr<net::server::HttpServer> server_;
};

class ConvertedObjects : public server::testing::ServerTest {
 protected:
  ConvertedObjects()
      : listening_(resources_.scheme().Listen([this] {
          const MutexLock lock(mutex_);
          changed_.NotifyAll();
        })) {
    const auto version = [](std::string_view name, bool is_stored, std::string_view field) {
      return fmt::format(
          R"({{"name":"{}","served":true,"storage":{},"subresources":{{"status":{{}}}},)"
          R"("schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":)"
          R"({{"type":"object","properties":{{"{}":{{"type":"string"}},)"
          R"("size":{{"type":"integer"}}}}}}}}}}}}}})",
          name,
          is_stored,
          field);
    };
    const std::string made =
        Post("customresourcedefinitions",
             "",
             fmt::format(
                 R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                 R"("metadata":{{"name":"lamps.{0}"}},"spec":{{"group":"{0}","scope":"Namespaced",)"
                 R"("names":{{"plural":"lamps","kind":"Lamp"}},"versions":[{1},{2}],)"
                 R"("conversion":{3}}}}})",
                 kGroup,
                 version("v1", true, "host"),
                 version("v2", false, "hostPort"),
                 hook_.Conversion()));
    EXPECT_THAT(made, StartsWith("201 "));
    AwaitServed(true);
  }

  void AwaitServed(bool is_served) {
    const MutexLock lock(mutex_);
    while ((resources_.scheme().Now()->FindResource(kGroup, "v2", "lamps") != nullptr) !=
           is_served) {
      changed_.Wait(mutex_);
    }
  }

  ResourceRequest For(Verb verb, std::string_view version, std::string_view name = {}) {
    ResourceRequest request;
    request.verb = verb;
    request.kind = resources_.scheme().Now()->FindResource(kGroup, version, "lamps");
    request.namespace_ = "default";
    request.name = name;
    return request;
  }
  std::string See(Verb verb, std::string_view version, std::string_view name) {
    return Do(For(verb, version, name));
  }
  std::string Send(Verb verb,
                   std::string_view version,
                   std::string_view name,
                   std::string_view spec,
                   std::string_view manager = "m") {
    ResourceRequest request = For(verb, version, verb == Verb::kCreate ? std::string_view() : name);
    request.write.field_manager = manager;
    request.patch_type = patch::PatchType::kMerge;
    request.body = fmt::format(
        R"({{"apiVersion":"{}/{}","kind":"Lamp","metadata":{{"name":"{}"}},"spec":{}}})",
        kGroup,
        version,
        name,
        spec);
    return Do(std::move(request));
  }
  std::string Make(std::string_view name) {
    return Send(Verb::kCreate, "v1", name, R"({"host":"h"})");
  }

  Mutex mutex_;
  Condition changed_;
  ConversionHook hook_{world_.world().random, world_.world().clock};
  api::LiveScheme::Listening listening_;
};

TEST_F(ConvertedObjects, AnObjectIsReadInTheVersionThatIsAskedFor) {
  Make("a");
  EXPECT_THAT(hook_.TakeSizes(), ::testing::IsEmpty());
  EXPECT_THAT(See(Verb::kGet, "v2", "a"),
              AllOf(StartsWith("200 "),
                    HasSubstr(R"("apiVersion":"lights.test/v2")"),
                    HasSubstr(R"("spec":{"hostPort":"h"})")));
  EXPECT_THAT(See(Verb::kGet, "v1", "a"), HasSubstr(R"("spec":{"host":"h"})"));
  EXPECT_EQ(hook_.TakeSizes(), std::vector<size_t>{1});
}

TEST_F(ConvertedObjects, AListIsOneCallAndTheNextNone) {
  for (const std::string_view name : {"a", "b", "c"}) Make(name);
  EXPECT_EQ(Names(For(Verb::kList, "v2")), "a b c");
  EXPECT_EQ(hook_.TakeSizes(), std::vector<size_t>{3});
  Make("d");
  EXPECT_EQ(Names(For(Verb::kList, "v2")), "a b c d");
  EXPECT_EQ(Names(For(Verb::kList, "v2")), "a b c d");
  EXPECT_EQ(hook_.TakeSizes(), std::vector<size_t>{1});
  ResourceRequest page = For(Verb::kList, "v2");
  page.list.limit = 2;
  EXPECT_EQ(Names(std::move(page)), "a b");
}

TEST_F(ConvertedObjects, WhatIsWrittenInAnotherVersionIsStoredInItsOwn) {
  EXPECT_THAT(Send(Verb::kCreate, "v2", "a", R"({"hostPort":"x"})"),
              AllOf(StartsWith("201 "), HasSubstr(R"("spec":{"hostPort":"x"})")));
  EXPECT_THAT(See(Verb::kGet, "v1", "a"), HasSubstr(R"("spec":{"host":"x"})"));
  EXPECT_THAT(Send(Verb::kPatch, "v2", "a", R"({"hostPort":"y","size":1})"),
              AllOf(StartsWith("200 "), HasSubstr(R"("spec":{"hostPort":"y","size":1})")));
  EXPECT_THAT(See(Verb::kGet, "v1", "a"), HasSubstr(R"("spec":{"host":"y","size":1})"));
  // The controller of definitions also writes objects of its own: compare the lamps.
  const std::string before = See(Verb::kGet, "v1", "a");
  EXPECT_THAT(Send(Verb::kPatch, "v2", "a", R"({"hostPort":"y"})"), StartsWith("200 "));
  EXPECT_EQ(See(Verb::kGet, "v1", "a"), before);
}

TEST_F(ConvertedObjects, OwnersOfFieldsAreComparedInTheirVersions) {
  Send(Verb::kCreate, "v1", "a", R"({"host":"x","size":1})", "one");
  const std::string changed = Send(Verb::kPatch, "v2", "a", R"({"hostPort":"y"})", "two");
  EXPECT_THAT(changed,
              AllOf(HasSubstr(R"("fieldsV1":{"f:spec":{".":{},"f:size":{}}},"manager":"one")"),
                    HasSubstr(R"("fieldsV1":{"f:spec":{"f:hostPort":{}}},"manager":"two")")));
}

TEST_F(ConvertedObjects, AWebhookThatFailsChangesNothing) {
  Make("a");
  hook_.Becomes(Mood::kRefuses);
  EXPECT_THAT(See(Verb::kGet, "v2", "a"),
              AllOf(StartsWith("500 InternalError: Internal error occurred: StorageError: corrupt "
                               "object, Code: 7, Key: /lights.test/lamps/default/a, "
                               "ResourceVersion: 0, AdditionalErrorMsg: object not decodable "
                               "revision="),
                    HasSubstr("conversion webhook for lights.test/v1, Kind=Lamp failed: no")));
  const std::string before = See(Verb::kGet, "v1", "a");
  EXPECT_EQ(Send(Verb::kCreate, "v2", "b", R"({"hostPort":"x"})"),
            "500 : conversion webhook for lights.test/v2, Kind=Lamp failed: no");
  EXPECT_THAT(Send(Verb::kPatch, "v2", "a", R"({"hostPort":"x"})"),
              AllOf(StartsWith("500 : object not decodable revision="), HasSubstr("failed: no")));
  EXPECT_THAT(See(Verb::kDelete, "v2", "a"), StartsWith("500 : object not decodable"));
  hook_.Becomes(Mood::kRenames);
  EXPECT_THAT(Send(Verb::kCreate, "v2", "b", R"({"hostPort":"x"})"),
              HasSubstr("returned invalid object: must have the same name: b != other"));
  hook_.Becomes(Mood::kSaysNothing);
  EXPECT_THAT(See(Verb::kGet, "v2", "a"), HasSubstr("0-length response"));
  EXPECT_EQ(See(Verb::kGet, "v1", "a"), before);
  EXPECT_EQ(Names(For(Verb::kList, "v1")), "a");
  EXPECT_THAT(See(Verb::kDelete, "v1", "a"), StartsWith("200 "));
}

TEST_F(ConvertedObjects, OneObjectThatCannotBeConvertedHoldsUpItsCollection) {
  Make("a");
  Make("b");
  hook_.Becomes(Mood::kRefuses, R"("name":"b")");
  EXPECT_THAT(See(Verb::kGet, "v2", "a"), StartsWith("200 "));
  EXPECT_THAT(Names(For(Verb::kList, "v2")),
              AllOf(StartsWith("storage is (re)initializing"), HasSubstr("failed: no")));
  ResourceRequest one = For(Verb::kList, "v2");
  one.list.field_selector = "metadata.name=a";
  EXPECT_THAT(Names(std::move(one)), StartsWith("storage is (re)initializing"));
  EXPECT_FALSE(Wait(resources_.PrepareWatch(For(Verb::kWatch, "v2"))).has_value());
  EXPECT_EQ(Names(For(Verb::kList, "v1")), "a b");
  EXPECT_THAT(See(Verb::kDelete, "v1", "b"), StartsWith("200 "));
  EXPECT_EQ(Names(For(Verb::kList, "v2")), "a");
}

TEST_F(ConvertedObjects, PoliciesSeeTheVersionThatTheyMatch) {
  EXPECT_THAT(Post("validatingadmissionpolicies",
                   "",
                   R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[)"
                   R"({"apiGroups":["lights.test"],"apiVersions":["v1"],"operations":["*"],)"
                   R"("resources":["lamps"]}]},"validations":[)"
                   R"({"expression":"object.spec.host != 'bad'","message":"not so"}]}})"),
              StartsWith("201 "));
  EXPECT_THAT(Post("validatingadmissionpolicybindings",
                   "",
                   R"({"metadata":{"name":"b"},)"
                   R"("spec":{"policyName":"p","validationActions":["Deny"]}})"),
              StartsWith("201 "));
  EXPECT_THAT(Send(Verb::kCreate, "v2", "a", R"({"hostPort":"bad"})"), HasSubstr("not so"));
  EXPECT_THAT(Send(Verb::kCreate, "v2", "a", R"({"hostPort":"good"})"), StartsWith("201 "));
  EXPECT_THAT(Send(Verb::kPatch, "v2", "a", R"({"hostPort":"bad"})"), HasSubstr("not so"));
}

TEST_F(ConvertedObjects, MutatingPoliciesChangeTheVersionThatTheyMatch) {
  EXPECT_THAT(Post("mutatingadmissionpolicies",
                   "",
                   R"({"metadata":{"name":"p"},"spec":{"reinvocationPolicy":"Never",)"
                   R"("matchConstraints":{"resourceRules":[)"
                   R"({"apiGroups":["lights.test"],"apiVersions":["v1"],)"
                   R"("operations":["CREATE","UPDATE"],"resources":["lamps"]}]},)"
                   R"("mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":)"
                   R"("[JSONPatch{op: 'replace', path: '/spec/host', )"
                   R"(value: object.spec.host + '-set'}]"}}]}})"),
              StartsWith("201 "));
  EXPECT_THAT(Post("mutatingadmissionpolicybindings",
                   "",
                   R"({"metadata":{"name":"b"},"spec":{"policyName":"p"}})"),
              StartsWith("201 "));
  EXPECT_THAT(Send(Verb::kCreate, "v2", "a", R"({"hostPort":"x"})"),
              AllOf(StartsWith("201 "), HasSubstr(R"("hostPort":"x-set")")));
  EXPECT_THAT(Do(For(Verb::kGet, "v1", "a")), HasSubstr(R"("host":"x-set")"));
  EXPECT_THAT(Send(Verb::kPatch, "v2", "a", R"({"hostPort":"y"})"),
              HasSubstr(R"("hostPort":"y-set")"));
  hook_.Becomes(Mood::kRefuses);
  EXPECT_THAT(Send(Verb::kCreate, "v2", "b", R"({"hostPort":"x"})"), StartsWith("500 "));
  hook_.Becomes(Mood::kConverts);
  EXPECT_THAT(Do(For(Verb::kGet, "v1", "b")), StartsWith("404 "));
}

TEST_F(ConvertedObjects, DeletionOfTheDefinitionNeedsNoWebhook) {
  Make("a");
  Send(Verb::kPatch, "v1", "a", R"({"size":1})");
  hook_.Becomes(Mood::kRefuses);
  EXPECT_THAT(Delete("customresourcedefinitions", "", "lamps.lights.test"), StartsWith("200"));
  AwaitServed(false);
  EXPECT_EQ(store_.Read()->Count({.prefix = "/registry/lights.test/"}), 0U);
}

/// The next events of a watch, "ADDED a host"; waits until there are some.
class Events {
 public:
  explicit Events(std::unique_ptr<WatchCursor> cursor) : cursor_(std::move(cursor)) {
    cursor_->OnChange([this] {
      const MutexLock lock(mutex_);
      woken_ = true;
      changed_.NotifyAll();
    });
  }

  std::string Next() {
    while (true) {
      const std::vector<WatchEvent> events = cursor_->Next(100);
      std::string text;
      for (const WatchEvent& event : events) text += TextOf(event);
      if (!text.empty()) return text;
      if (cursor_->has_more()) continue;
      const MutexLock lock(mutex_);
      while (!woken_) changed_.Wait(mutex_);
      woken_ = false;
    }
  }

 private:
  static std::string TextOf(const WatchEvent& event) {
    const std::string_view name = WatchEventName(event.type);
    if (event.status != nullptr) return fmt::format("{} {};", name, event.status->message);
    const auto& object = event.item.object.As<api::CustomObject>();
    const Tree* const spec = object.content.Find("spec");
    return fmt::format(
        "{} {} {};", name, object.metadata.name, spec == nullptr ? "" : api::ToJson(*spec));
  }

  Mutex mutex_;
  Condition changed_;
  bool woken_ DRAY_GUARDED_BY(mutex_) = false;
  const std::unique_ptr<WatchCursor> cursor_;  // last: it wakes the others until it ends
};

TEST_F(ConvertedObjects, AWatchShowsWhatTheWebhookMakesOfEachChange) {
  Make("a");
  Events events(resources_.Watch(For(Verb::kWatch, "v2")).value());
  EXPECT_EQ(events.Next(), R"(ADDED a {"hostPort":"h"};)");
  Send(Verb::kPatch, "v1", "a", R"({"host":"i"})");
  EXPECT_EQ(events.Next(), R"(MODIFIED a {"hostPort":"i"};)");
  See(Verb::kDelete, "v1", "a");
  EXPECT_EQ(events.Next(), R"(DELETED a {"hostPort":"i"};)");
}

TEST_F(ConvertedObjects, AWatchEndsWithTheErrorOfTheWebhook) {
  Events events(resources_.Watch(For(Verb::kWatch, "v2")).value());
  hook_.Becomes(Mood::kRefuses);
  Make("a");
  EXPECT_EQ(events.Next(), "ERROR conversion webhook for lights.test/v1, Kind=Lamp failed: no;");
}

TEST_F(ConvertedObjects, WatchesOfOneKindAskOnce) {
  Make("a");
  Events one(resources_.Watch(For(Verb::kWatch, "v2")).value());
  EXPECT_EQ(one.Next(), R"(ADDED a {"hostPort":"h"};)");
  Events two(resources_.Watch(For(Verb::kWatch, "v2")).value());
  EXPECT_EQ(two.Next(), R"(ADDED a {"hostPort":"h"};)");
  EXPECT_EQ(hook_.TakeSizes(), std::vector<size_t>{1});
}

}  // namespace
}  // namespace dray::server::verbs::inline conversion
