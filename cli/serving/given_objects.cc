// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/given_objects.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "base/try.h"
#include "cli/serving/served_definitions.h"
#include "manifests/files.h"
#include "manifests/hints.h"
#include "manifests/known_kinds.h"
#include "manifests/places.h"

namespace dray::cli::inline serving {
namespace {

constexpr std::string_view kUsualNamespace = "default";

bool IsDefinition(const GivenObject& given) {
  return given.text.type.kind == "CustomResourceDefinition" &&
         manifests::GroupOf(given.text.type.api_version) == "apiextensions.k8s.io";
}

bool IsNamespace(const GivenObject& given) {
  return given.text.type.kind == "Namespace" && given.text.type.api_version == "v1";
}

Error Unreadable(const std::string& file, size_t line, std::string_view why) {
  return {.reason = StatusReason::kBadRequest,
          .message = fmt::format("{}:{}: {}", file, line, why)};
}

/// Creates objects of the files in phases, and keeps what the server says against them.
class Creation {
 public:
  Creation(client::Client& client, const api::LiveScheme& scheme, const CreationReports& reports)
      : client_(client), scheme_(scheme), reports_(reports) {}

  /// Creates those of `objects` that `belongs` chooses, and stops if any is refused. Runs of
  /// objects of one kind are created side by side, because they do not depend on each other.
  Result<> CreateAll(const std::vector<GivenObject>& objects,
                     const std::function<bool(const GivenObject&)>& belongs) {
    std::vector<const GivenObject*> run;
    for (const GivenObject& given : objects) {
      if (!belongs(given)) continue;
      if (reports_.is_stopping()) return Stopped();
      const bool is_same_kind =
          run.empty() || (run.back()->text.type.kind == given.text.type.kind &&
                          run.back()->text.type.api_version == given.text.type.api_version);
      if (!is_same_kind || run.size() == kCreatedAtOnce) CreateRun(std::exchange(run, {}));
      run.push_back(&given);
    }
    CreateRun(run);
    return End();
  }

  /// Creates a definition, and waits until its kinds are served, so that the first of two that want
  /// one name gets it. Errors: those of WaitUntilServed().
  Result<> Define(const GivenObject& given) {
    if (reports_.is_stopping()) return Stopped();
    const size_t errors_before = errors_.size();
    CreateRun({&given});
    if (errors_.size() > errors_before) return {};
    return WaitUntilServed(client_,
                           scheme_,
                           reports_.world.clock,
                           {.name = manifests::NameIn(given.text.json).name,
                            .place = PlaceOf(given, ""),
                            .is_stopping = reports_.is_stopping});
  }

  /// Reports the errors; fails, if there are any.
  Result<> End() const {
    const size_t shown = std::min(errors_.size(), kGivenErrorsShown);
    for (size_t i = 0; i < shown; ++i) reports_.refused(errors_[i]);
    if (errors_.size() > shown) {
      reports_.refused(fmt::format("and {} more", errors_.size() - shown));
    }
    if (errors_.empty()) return {};
    return Fail(
        StatusReason::kInvalid,
        "objects of the files are refused; `dray validate -f` judges them without a server");
  }

  size_t created() const { return created_; }
  size_t existing() const { return existing_; }

 private:
  static Failure Stopped() {
    return Fail(StatusReason::kServiceUnavailable, "the program is to end");
  }

  static std::string PlaceOf(const GivenObject& given, std::string_view field) {
    const manifests::DocumentPlaces places(given.document->lines, given.text.path);
    return fmt::format("{}:{}", given.file, places.LineOf(field));
  }

  void CreateRun(const std::vector<const GivenObject*>& run) {
    std::vector<client::Write> writes;
    std::vector<const GivenObject*> sources;
    for (const GivenObject* given : run) {
      Result<api::Object> object = Decode(*given);
      if (!object) {
        Refused(*given, object.error());
        continue;
      }
      writes.push_back({.verb = client::Write::Verb::kCreate, .object = *std::move(object)});
      sources.push_back(given);
    }
    if (writes.empty()) return;
    const std::vector<Result<api::Object>> answers = client_.WriteAll(writes);
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i]) {
        ++created_;
      } else if (answers[i].error().reason == StatusReason::kAlreadyExists) {
        ++existing_;
      } else {
        Refused(*sources[i], answers[i].error());
      }
    }
  }

  Result<api::Object> Decode(const GivenObject& given) const {
    const api::TypeMeta& type = given.text.type;
    const Frozen<api::Scheme> scheme = scheme_.Now();
    const api::KindInfo* const kind = scheme->FindKind(type.api_version, type.kind);
    if (kind == nullptr || !kind->served || kind->metadata == nullptr)
      return Fail(StatusReason::kNotFound, WhyNotServed(*scheme, type));
    api::DecodeIssues issues;
    DRAY_TRY(api::Object object, api::DecodeJson(*kind, given.text.json, &issues));
    for (const std::string& issue : issues) {
      reports_.log.Info(
          "field of a file is ignored", "place", PlaceOf(given, ""), "because", issue);
    }
    std::string& namespace_ = object.mutable_metadata().namespace_;
    if (!kind->namespaced) namespace_.clear();
    if (kind->namespaced && namespace_.empty()) namespace_ = kUsualNamespace;
    return object;
  }

  static std::string WhyNotServed(const api::Scheme& scheme, const api::TypeMeta& type) {
    const std::string_view group = manifests::GroupOf(type.api_version);
    const std::string versions = manifests::VersionsOf(scheme.kinds(), group, type.kind);
    if (!versions.empty()) return fmt::format("is not served in this version, but as {}", versions);
    const std::string hint = manifests::HintForKind(scheme.kinds(), group, type.kind);
    if (!hint.empty()) return fmt::format("is no kind of this server; {}", hint);
    return "is no kind of this server; add its CustomResourceDefinition to the files";
  }

  void Refused(const GivenObject& given, const Error& error) {
    const manifests::WrittenName written = manifests::NameIn(given.text.json);
    const std::string object = fmt::format("{} {} {}{}{}",
                                           given.text.type.api_version,
                                           given.text.type.kind,
                                           written.namespace_,
                                           written.namespace_.empty() ? "" : "/",
                                           written.name);
    for (const ErrorCause& cause : error.causes) {
      errors_.push_back(fmt::format(
          "{}: {}: {}: {}", PlaceOf(given, cause.field), object, cause.field, cause.message));
    }
    if (error.causes.empty()) {
      const bool lacks_namespace =
          error.reason == StatusReason::kNotFound && error.message.starts_with("namespaces ");
      errors_.push_back(fmt::format("{}: {}: {}{}",
                                    PlaceOf(given, ""),
                                    object,
                                    error.message,
                                    lacks_namespace ? "; add the Namespace to the files" : ""));
    }
  }

  client::Client& client_;
  const api::LiveScheme& scheme_;
  const CreationReports& reports_;
  size_t created_ = 0;
  size_t existing_ = 0;
  std::vector<std::string> errors_;
};

}  // namespace

Result<GivenObjects> GivenObjects::Read(Disk& disk, const std::vector<std::string>& paths) {
  GivenObjects given;
  const auto files = manifests::ManifestFiles(disk, paths);
  if (!files) return Fail(StatusReason::kBadRequest, files.error().message);
  for (const std::string& file : *files) {
    auto documents = manifests::ReadDocuments(disk, file, manifests::WithLines::kYes);
    if (!documents) return Fail(StatusReason::kBadRequest, documents.error().message);
    given.files_.push_back({.file = file, .documents = *std::move(documents)});
  }
  DRAY_TRY_VOID(given.FindObjects());
  return given;
}

Result<> GivenObjects::FindObjects() {
  for (const FileDocuments& one : files_) {
    for (const manifests::Document& document : one.documents) {
      if (document.failure.has_value()) {
        const std::string_view hint =
            document.is_template ? "; templates have to be rendered first" : "";
        return Fail(Unreadable(
            one.file, document.failure->line, fmt::format("{}{}", document.failure->text, hint)));
      }
      if (document.json == "null") continue;
      auto objects = manifests::ObjectsIn(document.json);
      if (!objects) return Fail(Unreadable(one.file, document.first_line, objects.error().message));
      for (manifests::ObjectText& text : *objects) {
        if (text.type.kind.empty() || text.type.api_version.empty()) {
          return Fail(Unreadable(
              one.file, document.first_line, "a manifest has apiVersion and kind; one is missing"));
        }
        objects_.push_back({.file = one.file, .document = &document, .text = std::move(text)});
      }
    }
  }
  return {};
}

Result<> GivenObjects::Create(client::Client& client,
                              const api::LiveScheme& scheme,
                              const CreationReports& reports) const {
  Creation creation(client, scheme, reports);
  for (const GivenObject& given : objects_) {
    if (IsDefinition(given)) DRAY_TRY_VOID(creation.Define(given));
  }
  DRAY_TRY_VOID(creation.End());
  DRAY_TRY_VOID(creation.CreateAll(objects_, IsNamespace));
  DRAY_TRY_VOID(creation.CreateAll(objects_, [](const GivenObject& given) {
    return !IsDefinition(given) && !IsNamespace(given);
  }));
  reports.log.Info("the objects of the files are there",
                   "created",
                   creation.created(),
                   "existing",
                   creation.existing());
  return {};
}

}  // namespace dray::cli::inline serving
