// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/conversion_vectors.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/try.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using api::Release;

// The moment all cases happen at, and how vectors write theirs.
constexpr int64_t kNowSeconds = 1'800'000'000;
constexpr std::string_view kConvertedAtText = "2027-01-15T08:00:00Z";
constexpr std::string_view kNowMark = "<now>";
constexpr size_t kDifferenceBytesMax = 1200;

// The moment of the run is not compared.
void MarkNow(json::value& value) {
  if (auto* object = value.if_object()) {
    for (auto& member : *object) MarkNow(member.value());
  } else if (auto* array = value.if_array()) {
    for (json::value& item : *array) MarkNow(item);
  } else if (value.is_string() && value.as_string() == kConvertedAtText) {
    value = kNowMark;
  }
}

// Leaves out values that each server chooses.
json::value Comparable(std::string_view text) {
  json::value value = json::parse(text);
  if (auto* metadata = value.as_object()["metadata"].if_object()) {
    for (const char* name : {"uid", "resourceVersion", "creationTimestamp"}) metadata->erase(name);
  }
  MarkNow(value);
  return value;
}

std::string Difference(std::string_view what, const json::value& want, const json::value& got) {
  if (want == got) return {};
  std::string text =
      fmt::format("{}: want {}\n  got {}", what, json::serialize(want), json::serialize(got));
  if (text.size() > kDifferenceBytesMax) text.resize(kDifferenceBytesMax);
  return text;
}

// A server of one release, without its rules.
class Server {
 public:
  explicit Server(Release release) : release_(release) {}

  /// `text` as a client of `kind` submits it.
  Result<api::Object> Read(const api::KindInfo& kind,
                           std::string_view text,
                           api::DecodeIssues* issues = nullptr) const {
    api::DecodeIssues ignored;
    DRAY_TRY(
        api::Object object,
        api::DecodeJson(kind, text, issues == nullptr ? &ignored : issues, {.release = release_}));
    api::defaults::SetDefaults(object, api::Time::FromUnixSeconds(kNowSeconds), release_);
    return object;
  }

  std::string Write(const api::Object& object) const {
    return api::ToJson(object, {.release = release_});
  }

  /// `object` as a client of `version` reads it.
  std::string Show(const api::Object& object, const api::KindInfo& version) const {
    const api::Object hub = api::conversion::ToHub(object, release_);
    return Write(api::conversion::FromHub(hub, version, release_));
  }

  /// Every version in which the release shows objects of `kind`, by name.
  std::map<std::string, const api::KindInfo*> VersionsOf(const api::KindInfo& kind) const {
    std::map<std::string, const api::KindInfo*> versions;
    for (const api::KindInfo* one : api::BuiltinKinds()) {
      if (one->group == kind.group && one->plural == kind.plural &&
          &one->storage() == &kind.storage() && one->in.Has(release_)) {
        versions.emplace(one->version, one);
      }
    }
    return versions;
  }

 private:
  Release release_;
};

// A case with the server that plays its release.
struct Subject {
  Server server;
  const api::KindInfo* kind = nullptr;
};

Result<Subject> ConversionSubjectOf(const json::object& test, std::string_view api_version) {
  DRAY_TRY(const Release release, api::ParseRelease(TextOf(test, "release")));
  const api::KindInfo* kind = api::Scheme().FindKind(api_version, TextOf(test, "kind"));
  if (kind == nullptr) return Fail(StatusReason::kNotFound, "no such kind");
  return Subject{.server = Server(release), .kind = kind};
}

std::string DifferenceOfIssues(api::DecodeIssues issues, const json::object& test) {
  std::vector<std::string> want;
  if (const json::value* strict = test.if_contains("strict")) {
    for (const json::value& one : strict->as_array()) want.emplace_back(one.as_string());
  }
  std::ranges::sort(want);
  std::ranges::sort(issues);
  return want == issues ? "" : fmt::format("strict: want {}, got {}", want, issues);
}

// The object after conversion back to version `from`: "same", the other object, or an error.
json::value Back(const Subject& subject, const api::KindInfo& version, const std::string& shown) {
  const auto again = subject.server.Read(version, shown);
  if (!again) return json::object{{"error", again.error().message}};
  return Comparable(subject.server.Show(*again, *subject.kind));
}

std::string DifferenceOfVersions(const Subject& subject,
                                 const api::Object& object,
                                 const json::object& test) {
  const json::object& outputs = test.at("outputs").as_object();
  const json::object& back = test.at("back").as_object();
  const auto versions = subject.server.VersionsOf(*subject.kind);
  const auto same = json::value("same");
  if (versions.size() != outputs.size()) {
    return fmt::format("want {} versions, got {}", outputs.size(), versions.size());
  }
  const json::value own = Comparable(subject.server.Show(object, *subject.kind));
  for (const auto& [name, version] : versions) {
    if (!outputs.contains(name)) return "no such version: " + name;
    const std::string shown = subject.server.Show(object, *version);
    std::string difference = Difference(name, outputs.at(name), Comparable(shown));
    if (!difference.empty()) return difference;
    const json::value returned = Back(subject, *version, shown);
    difference = Difference("back from " + name, back.at(name), returned == own ? same : returned);
    if (!difference.empty()) return difference;
    if (test.at("lossless").as_object().at(name).as_bool() != (returned == own)) {
      return fmt::format("{}: lossless is {}", name, returned == own);
    }
  }
  return {};
}

// Empty when all is as measured.
Result<std::string> RunConversion(const json::object& test) {
  const std::string api_version = fmt::format("resource.k8s.io/{}", TextOf(test, "from"));
  DRAY_TRY(const Subject subject, ConversionSubjectOf(test, api_version));
  api::DecodeIssues issues;
  const auto object =
      subject.server.Read(*subject.kind, json::serialize(test.at("input")), &issues);
  if (!object) {
    return test.contains("error") ? "" : "not decoded: " + object.error().message;
  }
  if (test.contains("error")) return std::string("decoded, but upstream cannot");
  std::string difference = DifferenceOfIssues(std::move(issues), test);
  if (!difference.empty()) return difference;
  return DifferenceOfVersions(subject, *object, test);
}

Result<std::string> RunDefaulting(const json::object& test) {
  DRAY_TRY(const Subject subject, ConversionSubjectOf(test, TextOf(test, "apiVersion")));
  const auto object = subject.server.Read(*subject.kind, json::serialize(test.at("input")));
  if (!object) return "not decoded: " + object.error().message;
  std::string difference =
      Difference("defaulted", test.at("defaulted"), Comparable(subject.server.Write(*object)));
  if (!difference.empty()) return difference;
  return Difference(
      "served", test.at("served"), Comparable(subject.server.Show(*object, *subject.kind)));
}

Result<Report> RunFiles(Disk& disk,
                        const std::vector<std::string>& files,
                        const ObjectVectorOptions& options,
                        Result<std::string> (*run)(const json::object&)) {
  Report report;
  DRAY_TRY_VOID(ForEachCase(disk, files, [&](const json::object& test) {
    const std::string name(TextOf(test, "name"));
    if (!options.release.empty() && TextOf(test, "release") != options.release) return;
    if (!options.name.empty() && name != options.name) return;
    const Result<std::string> difference = run(test);
    if (!difference) {
      ++report.not_run[difference.error().message];
    } else if (difference->empty()) {
      ++report.passed;
    } else {
      report.failures.push_back(fmt::format("{}: {}", name, *difference));
    }
  }));
  return report;
}

}  // namespace

Result<Report> RunConversionVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options) {
  return RunFiles(disk, files, options, RunConversion);
}

Result<Report> RunDefaultingVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options) {
  return RunFiles(disk, files, options, RunDefaulting);
}

}  // namespace dray::vectors
