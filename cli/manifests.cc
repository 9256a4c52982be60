// SPDX-License-Identifier: Apache-2.0
#include "cli/manifests.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/json.h"
#include "cli/documents.h"
#include "cli/manifest_files.h"

namespace dray::cli {
namespace {

class Reader {
 public:
  Reader(Disk& disk, const api::Scheme& scheme) : disk_(disk), scheme_(scheme) {}

  Manifests Take() { return std::move(manifests_); }

  Result<> ReadFile(const std::string& path) {
    DRAY_TRY(const std::vector<Document> documents, ReadDocuments(disk_, path, WithLines::kNo));
    for (const Document& document : documents) {
      if (document.failure.has_value()) {
        return Fail(Refused(path, document.failure->line, document.failure->text));
      }
      for (const LineNote& key : document.duplicates) Note(path, key.line, key.text);
      if (document.json == "null") continue;
      const auto objects = ObjectsIn(document.json);
      if (!objects) return Fail(Refused(path, document.first_line, objects.error().message));
      for (const ObjectText& object : *objects) {
        DRAY_TRY_VOID(ReadObject(path, document.first_line, object));
      }
    }
    return {};
  }

 private:
  static Error Refused(const std::string& path, size_t line, std::string_view why) {
    return {.reason = StatusReason::kBadRequest,
            .message = fmt::format("{}:{}: {}", path, line, why)};
  }

  Result<> ReadObject(const std::string& path, size_t line, const ObjectText& text) {
    const api::TypeMeta& type = text.type;
    const api::KindInfo* kind = scheme_.FindKind(type.api_version, type.kind);
    if (kind == nullptr) {
      Note(path,
           line,
           fmt::format("skipped {} {}: not a kind Dray knows", type.api_version, type.kind));
      return {};
    }
    api::DecodeIssues issues;
    auto object = api::DecodeJson(*kind, text.json, &issues);
    if (!object) return Fail(Refused(path, line, object.error().message));
    for (const std::string& issue : issues) Note(path, line, issue);
    if (manifests_.objects.size() >= kManifestObjectsMax) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("more than {} objects", kManifestObjectsMax));
    }
    manifests_.objects.push_back({*std::move(object), path, line});
    return {};
  }

  void Note(const std::string& path, size_t line, std::string_view what) {
    manifests_.notes.push_back(fmt::format("{}:{}: {}", path, line, what));
  }

  Disk& disk_;
  const api::Scheme& scheme_;
  Manifests manifests_;
};

}  // namespace

Result<Manifests> ReadManifests(Disk& disk,
                                const api::Scheme& scheme,
                                std::span<const std::string> paths) {
  Reader reader(disk, scheme);
  DRAY_TRY(const std::vector<std::string> files, ManifestFiles(disk, paths));
  for (const std::string& file : files) DRAY_TRY_VOID(reader.ReadFile(file));
  return reader.Take();
}

}  // namespace dray::cli
