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

/// The extension that names the kind of a schema or an operation.
inline constexpr std::string_view kKindExtension = "x-kubernetes-group-version-kind";

/// Writes {group, version, kind}; `word` is the kind, or that of its lists.
void WriteKindName(const api::KindInfo& kind, std::string_view word, api::JsonWriter& json);

/// Writes the properties that every kind has besides its own.
void WriteKindMembers(api::JsonWriter& json);

/// Writes how clients authenticate, as a member of the components of version 3.
void WriteSecuritySchemes(api::JsonWriter& json);

/// The schemas of one document, each struct once, however often it is referred to. Writes them as
/// members of the object that `json` is in.
class Schemas {
 public:
  Schemas(OpenApiForm form, api::Release release, api::JsonWriter& json)
      : form_(form), wire_{.release = release}, json_(json) {}

  /// Registers the name of the schema of a kind. Call it for all kinds before the first one is
  /// written, or referred to.
  void Announce(const api::KindInfo& kind);
  /// Writes the schemas of a kind, of its list, and of all structs referred to so far.
  void WriteKind(const api::KindInfo& kind);

  /// The name of the schema of `type`.
  std::string NameOf(const api::Type& type);
  /// The same, and marks the schema to be written.
  std::string Refer(const api::Type& type);
  /// The same for a kind, which may be of another group than the document.
  std::string ReferKind(const api::KindInfo& kind);
  /// The same for the answer of a watch.
  std::string ReferWatchEvent();
  /// The same for the body of a patch.
  std::string ReferPatch();
  /// Writes a reference to the schema of that name.
  void WriteReference(std::string_view name);

 private:
  void List(const api::KindInfo& kind, const std::string& name);
  void Struct(const api::Type& type);
  void Description(const api::Type& type);
  std::vector<const api::Field*> FieldsOf(const api::Type& type) const;
  void Property(const api::Field& field);
  void Value(const api::Field& field);
  void Default(const api::Field& field);
  void Merging(const api::Facets& facets);
  void Words(std::string_view list, char separator);
  void KindNames(const api::Type& type);
  void WriteWatchEvent();
  bool IsNamed(const api::Type& type) const;
  void Of(const api::Type& type, std::string_view values = {});
  void Scalar(api::TypeKind kind, std::string_view values);
  void WriteScalars();
  void Format(std::string_view type, std::string_view format);
  void Either(std::string_view first, std::string_view second);
  std::string PathOf(std::string_view name) const;

  OpenApiForm form_;
  api::Wire wire_;
  api::JsonWriter& json_;
  std::map<const api::Type*, std::vector<const api::KindInfo*>> kinds_;
  std::map<const api::Type*, std::string> names_;
  std::set<std::string> taken_;
  std::set<const api::Type*> written_;
  std::vector<const api::Type*> waiting_;
  std::set<std::string_view> scalars_, scalars_written_;  // that have a schema of their own
  bool refers_to_events_ = false, events_written_ = false;
};

}  // namespace dray::server::documents
