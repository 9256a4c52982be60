// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/api_vectors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml.h"
#include "api/kind.h"
#include "api/release.h"
#include "api/value/raw_json.h"
#include "base/try.h"

namespace dray::vectors {
namespace {

constexpr std::string_view kAfter = ".after_roundtrip";

/// "v1.31.0" and "HEAD"; nothing for any other name.
std::optional<api::Release> ReleaseOfFolder(std::string_view folder) {
  if (folder == "HEAD") return api::Release::kNewest;
  int minor = 0;
  if (!folder.starts_with("v1.")) return std::nullopt;
  const std::string_view digits = folder.substr(3);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (read.ec != std::errc() || *read.ptr != '.' || minor > 200) return std::nullopt;
  return static_cast<api::Release>(minor);
}

/// One file: "resource.k8s.io.v1.ResourceClaim.after_roundtrip.json".
struct FileName {
  std::string stem;  // resource.k8s.io.v1.ResourceClaim
  api::TypeMeta meta;
  bool is_after = false;
  std::string form;  // json, yaml, pb
};

std::optional<FileName> Parse(std::string_view name) {
  FileName file;
  const size_t form = name.rfind('.');
  if (form == std::string_view::npos) return std::nullopt;
  file.form = name.substr(form + 1);
  if (file.form != "json" && file.form != "yaml" && file.form != "pb") return std::nullopt;
  std::string_view stem = name.substr(0, form);
  file.is_after = stem.ends_with(kAfter);
  if (file.is_after) stem.remove_suffix(kAfter.size());
  file.stem = stem;
  const size_t kind = stem.rfind('.');
  const size_t version = kind == std::string_view::npos ? kind : stem.rfind('.', kind - 1);
  if (version == std::string_view::npos) return std::nullopt;
  const std::string_view group = stem.substr(0, version);
  file.meta.kind = stem.substr(kind + 1);
  file.meta.api_version = stem.substr(version + 1, kind - version - 1);
  if (group != "core") file.meta.api_version.insert(0, fmt::format("{}/", group));
  return file;
}

/// The group, version and kind of the file's contents; events of a watch have none.
api::TypeMeta MetaIn(const FileName& file) {
  return file.meta.kind == "WatchEvent" ? api::TypeMeta() : file.meta;
}

/// The kind of an object that calls itself `meta`; those of meta/v1 belong to every version.
const api::KindInfo* FindKind(const api::TypeMeta& meta) {
  static const api::Scheme kScheme;
  const api::KindInfo* kind = kScheme.FindKind(meta.api_version, meta.kind);
  return kind != nullptr ? kind : kScheme.FindKind("meta.k8s.io/v1", meta.kind);
}

/// Two texts around the place where they differ.
std::string Difference(std::string_view wanted, std::string_view found) {
  constexpr size_t kBefore = 60;
  constexpr size_t kAfterwards = 100;
  const auto apart = std::ranges::mismatch(wanted, found);
  const auto at = static_cast<size_t>(apart.in1 - wanted.begin());
  const size_t from = at < kBefore ? 0 : at - kBefore;
  return fmt::format("at byte {}\n    upstream: {}\n    ours:     {}",
                     at,
                     wanted.substr(from, at - from + kAfterwards),
                     found.substr(std::min(from, found.size()), at - from + kAfterwards));
}

/// Bytes that are not text as "\x0a".
std::string Readable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte >= 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text;
}

/// The checks of one object in one release.
class Checks {
 public:
  Checks(const api::KindInfo& kind, api::TypeMeta meta, api::Release release)
      : kind_(kind), meta_(std::move(meta)), wire_{.release = release} {}

  std::string Json(const api::Object& object) const {
    std::string out;
    api::EncodeJson(meta_, object.type(), object.value(), out, wire_);
    return out;
  }

  std::string Protobuf(const api::Object& object) const {
    std::string out;
    api::EncodeProtobuf(meta_, object.type(), object.value(), out, wire_);
    return out;
  }

  /// Any of the three forms; fields that this release does not know are errors if `is_strict`.
  Result<api::Object> Decode(std::string_view form, std::string_view text, bool is_strict) const {
    if (form == "pb") {
      DRAY_TRY(const api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(text));
      if (envelope.meta.api_version != meta_.api_version || envelope.meta.kind != meta_.kind) {
        return Fail(StatusReason::kBadRequest, "the envelope names another kind");
      }
      return api::DecodeProtobuf(kind_, envelope.raw, wire_);
    }
    api::DecodeIssues issues;
    std::string json(text);
    if (form == "yaml") {
      DRAY_TRY(api::YamlDocument document, api::YamlToJson(text));
      issues = std::move(document.duplicates);
      json = std::move(document.json);
    }
    // Opaque parameters are kept byte for byte, blanks included; the forms have different ones.
    DRAY_TRY(api::Object object,
             api::DecodeJson(kind_, api::RawJson(json).compact(), &issues, wire_));
    if (is_strict && !issues.empty()) return Fail(StatusReason::kBadRequest, issues.front());
    return object;
  }

  /// The error in writing `object` in `form`, whose text is `text`; empty for none.
  Result<std::string> Write(std::string_view form,
                            const api::Object& object,
                            std::string_view text) const {
    if (form == "json") {
      const std::string wanted = api::RawJson(std::string(text)).compact();
      const std::string found = Json(object);
      return found == wanted ? std::string() : "JSON differs " + Difference(wanted, found);
    }
    if (form == "pb") {
      const std::string found = Protobuf(object);
      if (found == text) return std::string();
      return "protobuf differs " + Difference(Readable(text), Readable(found));
    }
    DRAY_TRY(const std::string yaml, api::JsonToYaml(Json(object)));
    DRAY_TRY(const api::Object again, Decode("yaml", yaml, true));
    const std::string wanted = Json(object);
    const std::string found = Json(again);
    return found == wanted ? std::string() : "YAML of ours differs " + Difference(wanted, found);
  }

 private:
  const api::KindInfo& kind_;
  api::TypeMeta meta_;
  api::Wire wire_;
};

/// The files of one release.
class Folder {
 public:
  Folder(Disk& disk, std::string path, api::Release release, Report& report)
      : disk_(disk), path_(std::move(path)), release_(release), report_(report) {}

  Result<> Run(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const std::optional<FileName> file = Parse(name);
      if (!file) continue;
      const api::KindInfo* kind = FindKind(file->meta);
      if (kind == nullptr) {
        ++report_.not_run["the schema has no such kind"];
        continue;
      }
      const Result<std::string> problem = Judge(*kind, *file, name);
      const std::string what = problem ? *problem : problem.error().message;
      if (what.empty()) {
        ++report_.passed;
      } else {
        report_.failures.push_back(fmt::format("{}/{}: {}", path_, name, what));
      }
    }
    return {};
  }

 private:
  Result<std::string> Judge(const api::KindInfo& kind,
                            const FileName& file,
                            const std::string& name) const {
    const Checks checks(kind, MetaIn(file), file.is_after ? NewestOf(kind) : release_);
    DRAY_TRY(const std::string text, Read(name));
    DRAY_TRY(const api::Object object, checks.Decode(file.form, text, true));
    DRAY_TRY(std::string problem, checks.Write(file.form, object, text));
    if (!problem.empty()) return problem;
    DRAY_TRY(const std::string json, ReadTwin(file));
    DRAY_TRY(const api::Object twin, checks.Decode("json", json, true));
    if (!(object == twin)) {
      return "decodes to another object than the JSON " +
             Difference(checks.Json(twin), checks.Json(object));
    }
    if (!file.is_after) return std::string();
    // And the newer release, reading the older one's file, must be left with this one.
    DRAY_TRY(const std::string older, Read(fmt::format("{}.{}", file.stem, file.form)));
    DRAY_TRY(const api::Object left, checks.Decode(file.form, older, false));
    DRAY_TRY(problem, checks.Write(file.form, left, text));
    if (problem.empty() && !(left == object)) problem = "the round trip leaves another object";
    return problem;
  }

  /// All forms are of one object, and the JSON is the reference. There is no JSON after a round
  /// trip that changed only the other forms.
  Result<std::string> ReadTwin(const FileName& file) const {
    if (file.is_after) {
      Result<std::string> left = Read(fmt::format("{}{}.json", file.stem, kAfter));
      if (left) return left;
    }
    return Read(file.stem + ".json");
  }

  Result<std::string> Read(std::string_view name) const {
    return disk_.Read(fmt::format("{}/{}", path_, name));
  }

  static api::Release NewestOf(const api::KindInfo& kind) {
    const int newest = api::MinorOf(api::Release::kNewest);
    return static_cast<api::Release>(std::min<int>(kind.in.last, newest));
  }

  Disk& disk_;
  std::string path_;
  api::Release release_;
  Report& report_;
};

Result<> RunFolder(Disk& disk, const std::string& path, Report& report) {
  DRAY_TRY(const std::vector<std::string> names, disk.List(path));
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (const std::optional<api::Release> release = ReleaseOfFolder(name)) {
    return Folder(disk, path, *release, report).Run(names);
  }
  bool has_releases = false;
  for (const std::string& inner : names) {
    const std::string inner_path = fmt::format("{}/{}", path, inner);
    if (!ReleaseOfFolder(inner) || !disk.IsFolder(inner_path)) continue;
    has_releases = true;
    DRAY_TRY_VOID(RunFolder(disk, inner_path, report));
  }
  if (has_releases) return {};
  return Fail(StatusReason::kBadRequest, path + " is no folder of a release (v1.31.0, HEAD)");
}

}  // namespace

Result<Report> RunApiVectors(Disk& disk, const std::vector<std::string>& folders) {
  Report report;
  for (std::string folder : folders) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    DRAY_TRY_VOID(RunFolder(disk, folder, report));
  }
  return report;
}

}  // namespace dray::vectors
