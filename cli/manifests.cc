// SPDX-License-Identifier: Apache-2.0
#include "cli/manifests.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/json.h"
#include "api/json_reader.h"
#include "api/yaml.h"
#include "cli/manifest_files.h"

namespace dray::cli {
namespace {

class Reader {
 public:
  Reader(Disk& disk, const api::Scheme& scheme) : disk_(disk), scheme_(scheme) {}

  Manifests Take() { return std::move(manifests_); }

  Result<> ReadFile(const std::string& path) {
    DRAY_TRY(const std::string text, ReadManifestFile(disk_, path));
    const auto chunks = api::SplitYaml(text);
    if (!chunks) return Fail(StatusReason::kBadRequest, path + ": " + chunks.error().message);
    for (const api::YamlChunk& chunk : *chunks) {
      const auto document = api::YamlToJson(chunk.text, {.first_line = chunk.first_line});
      if (!document) {
        return Fail(BadYaml(path, chunk.first_line, document.error().message));
      }
      for (const std::string& duplicate : document->duplicates)
        Note(path, chunk.first_line, duplicate);
      if (document->json != "null")
        DRAY_TRY_VOID(ReadObject(path, chunk.first_line, document->json));
    }
    return {};
  }

 private:
  Result<> ReadObject(const std::string& path, size_t line, std::string_view json) {
    const auto where = [&](const Error& error) {
      return Fail(StatusReason::kBadRequest, fmt::format("{}:{}: {}", path, line, error.message));
    };
    const auto meta = api::ReadTypeMeta(json);
    if (!meta) return where(meta.error());
    if (meta->kind.ends_with("List")) {
      const Result<bool> items = ReadItems(path, line, json);
      if (!items) return Fail(items.error());
      if (*items) return {};
    }
    const api::KindInfo* kind = scheme_.FindKind(meta->api_version, meta->kind);
    if (kind == nullptr) {
      Note(path,
           line,
           fmt::format("skipped {} {}: not a kind Dray knows", meta->api_version, meta->kind));
      return {};
    }
    api::DecodeIssues issues;
    auto object = api::DecodeJson(*kind, json, &issues);
    if (!object) return where(object.error());
    for (const std::string& issue : issues) Note(path, line, issue);
    if (manifests_.objects.size() >= kManifestObjectsMax) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("more than {} objects", kManifestObjectsMax));
    }
    manifests_.objects.push_back({*std::move(object), path, line});
    return {};
  }

  /// False when the document has no items after all.
  Result<bool> ReadItems(const std::string& path, size_t line, std::string_view json) {
    api::JsonReader reader(json);
    std::string key;
    bool found = false;
    reader.EnterObject();
    while (reader.NextKey(key)) {
      if (key != "items" || reader.Peek() != api::JsonKind::kArray) {
        reader.Skip();
        continue;
      }
      found = true;
      reader.EnterArray();
      while (reader.NextElement()) DRAY_TRY_VOID(ReadObject(path, line, reader.Skip()));
    }
    return found;
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
