// SPDX-License-Identifier: Apache-2.0
// The schemas of an OpenAPI document, from the tables of the types.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/reflect.h"
#include "api/release.h"
#include "server/documents/openapi_form.h"

namespace dray::server::documents {

/// The extension that says which kind a schema or an operation is about.
inline constexpr std::string_view kKindExtension = "x-kubernetes-group-version-kind";

/// Writes {group, version, kind}; `word` is the kind, or that of its lists.
void WriteKindName(const api::KindInfo& kind, std::string_view word, api::JsonWriter& json);

/// Writes the properties that every kind has besides its own.
void WriteKindMembers(api::JsonWriter& json);

/// Writes, as a member of the components of version 3, how clients say who they are.
void WriteSecuritySchemes(api::JsonWriter& json);

/// The schemas of one document: each struct once, whatever refers to it. Writes them as members of
/// the object that `json` is in.
class Schemas {
 public:
  Schemas(OpenApiForm form, api::Release release, api::JsonWriter& json)
      : form_(form), wire_{.release = release}, json_(json) {}

  /// Names the schema of a kind that will be written. To be called for all of them before the
  /// first is written, or referred to.
  void Announce(const api::KindInfo& kind);
  /// Writes the schemas of a kind, of its list, and of what has been referred to. Structs without a
  /// name are taken for its version's, but for those of meta/v1.
  void WriteKind(const api::KindInfo& kind);

  /// Under which name the schema of `type` stands.
  std::string NameOf(const api::Type& type);
  /// The same, and it will be written.
  std::string Refer(const api::Type& type);
  /// Writes a reference to the schema of that name.
  void WriteReference(std::string_view name);

 private:
  void SetPrefix(const api::KindInfo& kind);
  void List(const api::KindInfo& kind, const std::string& name);
  void Struct(const api::Type& type);
  void Description(const api::Type& type);
  std::vector<const api::Field*> FieldsOf(const api::Type& type) const;
  void Property(const api::Field& field);
  void Merging(const api::Facets& facets);
  void Words(std::string_view list);
  void Of(const api::Type& type);
  void Format(std::string_view type, std::string_view format);
  void Either(std::string_view first, std::string_view second);
  std::string PathOf(std::string_view name) const;

  OpenApiForm form_;
  api::Wire wire_;
  std::string prefix_;
  api::JsonWriter& json_;
  std::map<const api::Type*, std::vector<const api::KindInfo*>> kinds_;
  std::map<const api::Type*, std::string> names_;
  std::set<std::string> taken_;
  std::set<const api::Type*> written_;
  std::vector<const api::Type*> waiting_;
};

}  // namespace dray::server::documents
