// SPDX-License-Identifier: Apache-2.0
// Resources over a store in memory and a simulated world, and requests in short, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/meta_v1/status.h"
#include "api/status.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "server/errors/errors.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::testing {

/// An empty server with the bootstrap namespaces.
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : ServerTest(verbs::Options{}) {}
  explicit ServerTest(const verbs::Options& options)
      : resources_(scheme_, store_, world_.world(), Log::Silent(), options) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  }

  /// "resourceclaims", the newest version, or "v1beta1/resourceclaims".
  const api::KindInfo& KindOf(std::string_view resource) const {
    const size_t slash = resource.find('/');
    const std::string_view version =
        slash == std::string_view::npos ? std::string_view() : resource.substr(0, slash);
    const std::string_view plural =
        slash == std::string_view::npos ? resource : resource.substr(slash + 1);
    const auto kinds = scheme_.kinds();
    const auto found = std::ranges::find_if(kinds, [&](const api::KindInfo* kind) {
      return kind->served && kind->plural == plural &&
             (version.empty() || kind->version == version);
    });
    EXPECT_NE(found, kinds.end()) << resource;
    return **found;
  }

  verbs::ResourceRequest Request(verbs::Verb verb,
                                 std::string_view plural,
                                 std::string_view namespace_,
                                 std::string_view name) const {
    verbs::ResourceRequest request;
    request.verb = verb;
    request.kind = &KindOf(plural);
    request.namespace_ = namespace_;
    request.name = name;
    return request;
  }

  verbs::Answer Ask(verbs::ResourceRequest request) {
    Result<verbs::Answer> answer = Wait(resources_.Handle(std::move(request)));
    EXPECT_TRUE(answer.has_value());
    const MutexLock lock(warnings_mutex_);  // tests of races send requests on several threads
    warnings_ = answer->warnings;
    return *std::move(answer);
  }

  /// "200 {…}", or "404 NotFound: message".
  std::string Do(verbs::ResourceRequest request) {
    const verbs::Answer answer = Ask(std::move(request));
    if (!answer.outcome.has_value()) {
      const api::meta_v1::Status status = api::StatusOf(answer.outcome.error());
      return std::to_string(status.code) + " " + status.reason + ": " + status.message;
    }
    if (const auto* object = std::get_if<verbs::ObjectAnswer>(&*answer.outcome)) {
      return std::to_string(object->code) + " " + storage::JsonOf(object->item);
    }
    if (const auto* status = std::get_if<verbs::StatusAnswer>(&*answer.outcome)) {
      return std::to_string(status->code) + " " + api::ToJson(api::Object::Of(status->status));
    }
    return "200 list";
  }

  std::string Post(std::string_view plural, std::string_view namespace_, std::string body) {
    verbs::ResourceRequest request = Request(verbs::Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Put(std::string_view plural,
                  std::string_view namespace_,
                  std::string_view name,
                  std::string body) {
    verbs::ResourceRequest request = Request(verbs::Verb::kUpdate, plural, namespace_, name);
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Read(std::string_view plural, std::string_view namespace_, std::string_view name) {
    return Do(Request(verbs::Verb::kGet, plural, namespace_, name));
  }
  std::string Delete(std::string_view plural, std::string_view namespace_, std::string_view name) {
    return Do(Request(verbs::Verb::kDelete, plural, namespace_, name));
  }
  std::string VersionOf(std::string_view plural,
                        std::string_view namespace_,
                        std::string_view name) {
    const verbs::Answer answer = Ask(Request(verbs::Verb::kGet, plural, namespace_, name));
    return std::get<verbs::ObjectAnswer>(*answer.outcome).item.object.metadata().resource_version;
  }

  /// A list, or the error's text.
  Result<verbs::ListAnswer> Lists(verbs::ResourceRequest request) {
    verbs::Answer answer = Ask(std::move(request));
    if (!answer.outcome.has_value()) return Fail(answer.outcome.error());
    return std::get<verbs::ListAnswer>(*std::move(answer.outcome));
  }
  /// The names of a list, separated by blanks; or the error's text.
  std::string Names(verbs::ResourceRequest request) {
    const Result<verbs::ListAnswer> list = Lists(std::move(request));
    return list.has_value() ? Names(list->items) : list.error().message;
  }
  static std::string Names(const storage::ItemList& items) {
    std::string names;
    for (const storage::Item& item : items) {
      if (!names.empty()) names += ' ';
      names += item.object.metadata().name;
    }
    return names;
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  verbs::Resources resources_;
  Mutex warnings_mutex_;
  std::vector<std::string> warnings_;  // of the last answer
};

}  // namespace dray::server::testing
