// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/custom_kind.h"
#include "base/check.h"
#include "server/documents/discovery.h"
#include "server/documents/openapi_paths.h"
#include "server/documents/openapi_protobuf.h"
#include "server/documents/openapi_roots.h"
#include "server/documents/openapi_schemas.h"

namespace dray::server::documents {
namespace {

using api::JsonText;
using api::JsonWriter;
using api::KindInfo;
using Kinds = std::span<const KindInfo* const>;

std::string ReleaseText(api::Release release) {
  return fmt::format("1.{}",
                     MinorOf(release == api::Release::kAny ? api::Release::kNewest : release));
}

void WriteInfo(std::string_view title, std::string_view version, JsonWriter& json) {
  json.Object({{"title", title}, {"version", version}});
}

bool HasCustomKinds(Kinds kinds) {
  return std::ranges::any_of(kinds, [](const KindInfo* kind) { return api::IsCustom(*kind); });
}

using Roots = std::span<const OpenApiPlace>;

struct Shape {
  OpenApiForm form;
  api::Release release;
};

// The paths come first and refer to schemas, which follow.
void WritePathsOf(Roots roots, Kinds kinds, Shape shape, Schemas& schemas, JsonWriter& json) {
  json.Member("paths").Object([&] {
    for (const OpenApiPlace& root : roots) WriteRootPath(root, shape.form, json);
    for (const KindInfo* kind : kinds) {
      WritePaths(*kind, shape.form, shape.release, schemas, json);
    }
  });
}

void WriteSchemasOf(
    Roots roots, Kinds kinds, OpenApiForm form, Schemas& schemas, JsonWriter& json) {
  std::set<std::string, std::less<>> written;
  json.Object([&] {
    for (const KindInfo* kind : kinds) schemas.WriteKind(*kind);
    for (const OpenApiPlace& root : roots) WriteRootSchemas(root, form, written, json);
  });
}

// All roots: those above the groups, and one for each group and version of `kinds`, which are in
// the order of their groups and versions.
std::vector<OpenApiPlace> RootsOf(Kinds kinds) {
  std::vector<OpenApiPlace> roots = {{.root = OpenApiRoot::kVersion},
                                     {.root = OpenApiRoot::kCore},
                                     {.root = OpenApiRoot::kGroups}};
  const KindInfo* last = nullptr;
  for (const KindInfo* kind : kinds) {
    const bool is_new_group = last == nullptr || last->group != kind->group;
    if (is_new_group && !kind->group.empty() && !api::IsCustom(*kind)) {
      roots.push_back({.root = OpenApiRoot::kGroup, .group = kind->group});
    }
    const bool is_new_version = is_new_group || last->version != kind->version;
    if (is_new_version && !api::IsCustom(*kind)) {
      roots.push_back(
          {.root = OpenApiRoot::kGroupVersion, .group = kind->group, .version = kind->version});
    }
    last = kind;
  }
  return roots;
}

// The document of one version.
std::string VersionDocument(Kinds kinds, api::Release release) {
  std::string text;
  JsonWriter json(text);
  Schemas schemas(OpenApiForm::kV3, release, json);
  for (const KindInfo* kind : kinds) schemas.Announce(*kind);
  json.Object([&] {
    json.Member("openapi", "3.0.0");
    const bool is_custom = HasCustomKinds(kinds);
    // Upstream's server of custom kinds writes documents of its own.
    if (is_custom) {
      WriteInfo("Kubernetes CRD Swagger", "v0.1.0", json.Member("info"));
    } else {
      WriteInfo("Kubernetes", ReleaseText(release), json.Member("info"));
    }
    std::vector<OpenApiPlace> roots;
    if (!is_custom) {
      roots.push_back({.root = OpenApiRoot::kGroupVersion,
                       .group = kinds.front()->group,
                       .version = kinds.front()->version});
    }
    WritePathsOf(roots, kinds, {OpenApiForm::kV3, release}, schemas, json);
    json.Member("components").Object([&] {
      WriteSchemasOf(roots, kinds, OpenApiForm::kV3, schemas, json.Member("schemas"));
      if (!is_custom) WriteSecuritySchemes(json);
    });
  });
  return text;
}

// The document of all versions, as clients up to 1.26 read it.
std::string WholeDocument(Kinds kinds, api::Release release) {
  std::string text;
  JsonWriter json(text);
  Schemas schemas(OpenApiForm::kV2, release, json);
  for (const KindInfo* kind : kinds) schemas.Announce(*kind);
  json.Object([&] {
    json.Member("swagger", "2.0");
    WriteInfo("Kubernetes", ReleaseText(release), json.Member("info"));
    const std::vector<OpenApiPlace> roots = RootsOf(kinds);
    WritePathsOf(roots, kinds, {OpenApiForm::kV2, release}, schemas, json);
    WriteSchemasOf(roots, kinds, OpenApiForm::kV2, schemas, json.Member("definitions"));
  });
  return text;
}

using KindsByVersion =
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const KindInfo*>>;

KindsByVersion VersionsOf(const api::Scheme& scheme) {
  KindsByVersion versions;
  for (const KindInfo* kind : scheme.kinds()) {
    if (kind->served) versions[{kind->group, kind->version}].push_back(kind);
  }
  return versions;
}

OpenApi::Document Finished(std::string json) {
  std::string etag = EntityTag(json);
  return {.json = std::move(json), .etag = std::move(etag)};
}

}  // namespace

const OpenApi::Documents& OpenApi::All() const {
  return documents_->Get([this] { return Make(); });
}

const OpenApi::WholeDocuments& OpenApi::Whole() const {
  return whole_->Get([this] { return MakeWhole(); });
}

OpenApi::Documents OpenApi::Make() const {
  Documents made;
  const auto add_root = [&](std::string path, OpenApiRoot root, std::string_view group) {
    made.v3.emplace(std::move(path),
                    Finished(RootDocument({.root = root, .group = group}, ReleaseText(release_))));
  };
  add_root("version", OpenApiRoot::kVersion, {});
  add_root("api", OpenApiRoot::kCore, {});
  add_root("apis", OpenApiRoot::kGroups, {});
  for (const auto& [version, kinds] : VersionsOf(scheme_)) {
    if (!version.first.empty() && !made.v3.contains(fmt::format("apis/{}", version.first))) {
      add_root(fmt::format("apis/{}", version.first), OpenApiRoot::kGroup, version.first);
    }
    const std::string key = version.first.empty()
                                ? fmt::format("api/{}", version.second)
                                : fmt::format("apis/{}/{}", version.first, version.second);
    const Document* same = HasCustomKinds(kinds) || first_ == nullptr ? nullptr : first_->Find(key);
    made.v3.emplace(key, same != nullptr ? *same : Finished(VersionDocument(kinds, release_)));
  }
  made.index = JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("paths").Object([&] {
        for (const auto& [path, document] : made.v3) {
          const std::string_view hash =
              std::string_view(document.etag).substr(1, document.etag.size() - 2);
          json.Member(path).Object(
              {{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)}});
        }
      });
    });
  });
  return made;
}

OpenApi::WholeDocuments OpenApi::MakeWhole() const {
  std::vector<const KindInfo*> all;
  for (const auto& [version, kinds] : VersionsOf(scheme_)) {
    all.insert(all.end(), kinds.begin(), kinds.end());
  }
  WholeDocuments made{.json = Finished(WholeDocument(all, release_)), .protobuf = {}};
  Result<std::string> protobuf = OpenApiV2Protobuf(made.json.json);
  if (!protobuf.has_value()) {
    std::erase_if(all, [](const KindInfo* kind) { return api::IsCustom(*kind); });
    protobuf = OpenApiV2Protobuf(WholeDocument(all, release_));
  }
  DRAY_CHECK(protobuf.has_value());
  made.protobuf = *std::move(protobuf);
  return made;
}

Result<std::string> V3Protobuf(const OpenApi::Document& document) {
  Result<std::string> message = OpenApiV3Protobuf(document.json);
  if (message.has_value()) return message;
  return Fail(StatusReason::kNotAcceptable, std::move(message.error().message));
}

const OpenApi::Document* OpenApi::Find(std::string_view path) const {
  const auto& v3 = All().v3;
  const auto found = v3.find(path);
  return found == v3.end() ? nullptr : &found->second;
}

}  // namespace dray::server::documents
