// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/merge_back_vectors.h"

#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/kind.h"
#include "base/try.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using api::Release;

constexpr std::string_view kGroup = "resource.k8s.io/";
constexpr int64_t kMergedAtSeconds = 1'800'000'000;

// All releases together, and each one that serves `kind`.
std::vector<Release> ReleasesOf(const api::KindInfo& kind) {
  std::vector<Release> releases = {Release::kAny};
  for (int minor = api::MinorOf(Release::kFirst); minor <= api::MinorOf(Release::kNewest);
       ++minor) {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): not every minor has a name
    const auto release = static_cast<Release>(minor);
    if (kind.in.Has(release)) releases.push_back(release);
  }
  return releases;
}

std::vector<const api::KindInfo*> VersionsOf(const api::KindInfo& hub) {
  std::vector<const api::KindInfo*> versions;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (&kind->storage() == &hub) versions.push_back(kind);
  }
  return versions;
}

std::string Show(const api::Object& hub, const api::KindInfo& version, Release release) {
  return api::ToJson(api::conversion::FromHub(hub, version, release), {.release = release});
}

// Old releases have defaults that would change fields that only newer ones have; for those, only
// conversion is tested.
Result<api::Object> Store(const api::KindInfo& version, std::string_view text, Release release) {
  api::DecodeIssues ignored;
  DRAY_TRY(api::Object object, api::DecodeJson(version, text, &ignored, {.release = release}));
  if (release == Release::kAny) {
    api::defaults::SetDefaults(object, api::Time::FromUnixSeconds(kMergedAtSeconds));
  }
  return api::conversion::ToHub(object, release);
}

// The difference in the first version that shows a change by `writer`; empty when none does.
Result<std::string> CheckWriter(const api::Object& stored,
                                const api::KindInfo& writer,
                                Release release) {
  DRAY_TRY(api::Object next, Store(writer, Show(stored, writer, release), release));
  api::conversion::MergeBack(writer, stored, next, release);
  for (const api::KindInfo* reader : VersionsOf(stored.kind())) {
    const std::string before = Show(stored, *reader, Release::kAny);
    const std::string after = Show(next, *reader, Release::kAny);
    if (before != after) {
      return fmt::format("{} writes in 1.{}, {} reads: want {}\n  got {}",
                         writer.version,
                         api::MinorOf(release),
                         reader->version,
                         before,
                         after);
    }
  }
  return std::string();
}

Result<std::string> CheckObject(const api::KindInfo& kind, std::string_view text) {
  DRAY_TRY(const api::Object stored, Store(kind, text, Release::kAny));
  for (const api::KindInfo* writer : VersionsOf(stored.kind())) {
    for (const Release release : ReleasesOf(*writer)) {
      DRAY_TRY(std::string difference, CheckWriter(stored, *writer, release));
      if (!difference.empty()) return difference;
    }
  }
  return std::string();
}

void RunObject(const json::value& object, const std::string& name, Report& report) {
  const std::string text = json::serialize(object);
  const auto meta = api::ReadTypeMeta(text);
  if (!meta || !meta->api_version.starts_with(kGroup)) return;
  const api::KindInfo* kind = api::Scheme().FindKind(meta->api_version, meta->kind);
  if (kind == nullptr) {
    ++report.not_run["no such kind"];
    return;
  }
  const Result<std::string> difference = CheckObject(*kind, text);
  if (!difference) {
    ++report.not_run["not decoded"];
  } else if (difference->empty()) {
    ++report.passed;
  } else {
    report.failures.push_back(fmt::format("{}: {}", name, *difference));
  }
}

Result<> RunFile(Disk& disk, const std::string& file, Report& report) {
  DRAY_TRY(const std::string text, ReadVectors(disk, file));
  boost::system::error_code error;
  const json::value content = json::parse(text, error);
  if (error) return Fail(StatusReason::kBadRequest, file + ": not JSON");
  if (!content.is_array()) {
    RunObject(content, file, report);
    return {};
  }
  for (const json::value& test : content.as_array()) {
    const json::object& members = test.as_object();
    if (!members.contains("input")) continue;
    RunObject(members.at("input"), std::string(members.at("name").as_string()), report);
  }
  return {};
}

Result<> RunPath(Disk& disk, const std::string& path, Report& report) {
  if (!disk.IsFolder(path)) {
    const bool has_objects = path.ends_with(".json") || path.ends_with(".json.gz");
    return has_objects ? RunFile(disk, path, report) : Result<>();
  }
  DRAY_TRY(const std::vector<std::string> names, disk.List(path));
  for (const std::string& name : names) {
    DRAY_TRY_VOID(RunPath(disk, fmt::format("{}/{}", path, name), report));
  }
  return {};
}

}  // namespace

Result<Report> RunMergeBackVectors(Disk& disk, const std::vector<std::string>& paths) {
  Report report;
  for (const std::string& path : paths) DRAY_TRY_VOID(RunPath(disk, path, report));
  return report;
}

}  // namespace dray::vectors
