// SPDX-License-Identifier: Apache-2.0
// Kinds that definitions add while the program runs. An object of one is its metadata, in the usual
// struct, and a tree with everything else; all custom kinds share that struct and its tables.
//
// A custom kind is a KindInfo for each of its versions, and one more, without a version, that says
// which of them are the same objects (KindInfo::storage). They are made by a CustomKindArena, and
// never change: what a definition changes without changing them, such as a schema, is published in
// a cell of theirs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/meta_v1/object_meta.h"
#include "api/object.h"
#include "api/reflect.h"
#include "api/value/tree.h"
#include "base/published.h"
#include "base/result.h"

namespace dray::api {

namespace managed_fields {
class SchemaShape;  // api/managed_fields/schema_node.h
}

/// An object of a custom kind.
struct CustomObject {
  meta_v1::ObjectMeta metadata;
  /// Every member but apiVersion, kind and metadata: an object.
  Tree content = Tree::Object();

  bool operator==(const CustomObject&) const = default;
};

/// Walks over tables see an opaque struct in place of the content: it can be compared, copied and
/// cleared, and has no fields.
template <>
struct Reflected<CustomObject> {
  static const Type kType;
};

/// What one version says about the content of its objects. Immutable, from any thread.
class CustomVersion {
 public:
  CustomVersion() = default;
  CustomVersion(const CustomVersion&) = delete;
  CustomVersion& operator=(const CustomVersion&) = delete;
  virtual ~CustomVersion() = default;

  /// Takes away what the schema does not have. Unless null, `unknown` gets the paths of what went:
  /// "spec.a", "spec.list[0].b". O(size).
  virtual void Prune(CustomObject& object, std::vector<std::string>* unknown) const = 0;
  /// Fills in the defaults of the schema. O(size of the outcome).
  /// Errors: kRequestEntityTooLarge  they would be too much; some may have been filled in.
  virtual Result<> SetDefaults(CustomObject& object) const = 0;
  /// How objects merge.
  virtual const managed_fields::SchemaShape& shape() const = 0;
};

struct CustomKind;

/// How objects of a custom kind change their version where another program does that. Only the
/// server knows more (server/webhooks/conversion.h). The same as long as the definition says the
/// same.
class CustomConversion {
 public:
  CustomConversion() = default;
  CustomConversion(const CustomConversion&) = delete;
  CustomConversion& operator=(const CustomConversion&) = delete;
  virtual ~CustomConversion() = default;
  /// False for NoConversion.
  virtual bool is_possible() const { return true; }
};

/// Stands where an object is of a version that its definition no longer has: nothing converts it.
class NoConversion final : public CustomConversion {
 public:
  bool is_possible() const override { return false; }
};

/// Converts objects of custom kinds for code that cannot wait for another program.
class CustomConverter {
 public:
  CustomConverter() = default;
  CustomConverter(const CustomConverter&) = delete;
  CustomConverter& operator=(const CustomConverter&) = delete;
  virtual ~CustomConverter() = default;

  /// `object` as clients of `version`, a version of its kind, read it.
  virtual Object Convert(const Object& object, const CustomKind& version) = 0;
};

/// All versions of a custom kind, served or not, as its definition has them now.
struct CustomVersions {
  std::vector<const CustomKind*> all;  // by falling priority
  const CustomKind* storage = nullptr;
  bool is_terminating = false;  // nothing is created any more
  /// Null: objects of one version become ones of another by a change of apiVersion.
  Frozen<CustomConversion> conversion = nullptr;
  /// A NoConversion once the definition has dropped a version: objects of it may still be stored.
  Frozen<CustomConversion> dropped = nullptr;

  bool Has(std::string_view version) const;
};

/// One version of a custom kind; or, without a version, what all of them share. Lives as long as
/// its arena, which outlives all objects.
struct CustomKind : KindInfo {
  explicit CustomKind(KindInfo info) : KindInfo(info) {}
  CustomKind(const CustomKind&) = delete;
  CustomKind& operator=(const CustomKind&) = delete;
  ~CustomKind() = default;

  std::string list_kind;
  /// Text of a warning for each request; empty: none.
  std::string deprecation;
  /// The current schema of this version. Never null once the kind is served.
  mutable Published<CustomVersion> now{nullptr};
  /// The current versions; set for the kind without a version only.
  mutable Published<CustomVersions> versions{std::make_shared<const CustomVersions>()};

  /// The kind without a version.
  const CustomKind& resource() const { return static_cast<const CustomKind&>(storage()); }
};

/// Null for kinds that the program was built with. O(1).
inline const CustomKind* CustomOf(const KindInfo& kind) {
  return &kind.type() == &Reflected<CustomObject>::kType ? static_cast<const CustomKind*>(&kind)
                                                         : nullptr;
}
inline bool IsCustom(const KindInfo& kind) {
  return CustomOf(kind) != nullptr;
}

/// "WidgetList", unless the definition calls it otherwise.
std::string ListKindOf(const KindInfo& kind);

/// The version of the custom kind `kind` that calls itself `api_version`; null when the definition
/// has none.
const CustomKind* CustomVersionOf(const CustomKind& kind, std::string_view api_version);

/// What converts objects of `from` to `to`, two versions of one custom kind; null where nothing but
/// apiVersion changes, and for built-in kinds. A NoConversion where the definition has no `from`.
/// O(1), O(versions) once the definition has dropped one.
Frozen<CustomConversion> ConversionBetween(const KindInfo& from, const KindInfo& to);

/// `object`, of any version of a custom kind, as a client of `version` reads it: without what the
/// schema of that version does not have, and with its defaults, as many as there is room for.
/// Where ConversionBetween() is not null, `object` is what that made. O(size).
Object ReadAs(const Object& object, const CustomKind& version);
/// The same as it is stored: in the storage version that its definition has now, without what that
/// version does not have. O(1) where it is of that version, else O(size).
Object ForStorage(const Object& object);

/// What describes a CustomKind; two with the same content are the same kind.
struct CustomKindText {
  std::string group, version, kind, list_kind, plural, singular;
  std::vector<std::string> short_names, categories;
  std::vector<std::string> selectable;  // "spec.color"
  std::string deprecation;
  bool namespaced = true;
  bool served = true;
  bool has_status = false;
  bool has_scale = false;
};

/// Makes the kinds, each once, and keeps them: objects and requests point to them. Not thread-safe.
class CustomKindArena {
 public:
  /// Kinds of a program's life. What is kept of each is some hundred bytes and its texts.
  static constexpr size_t kKindsMax = size_t{1} << 16;

  CustomKindArena();
  CustomKindArena(const CustomKindArena&) = delete;
  CustomKindArena& operator=(const CustomKindArena&) = delete;
  ~CustomKindArena();

  /// The kind without a version. Null when there are too many.
  const CustomKind* Resource(const CustomKindText& text);
  /// One version of `resource`. Null when there are too many.
  const CustomKind* Version(const CustomKind& resource, const CustomKindText& text);

 private:
  struct Kept;
  const CustomKind* Make(const CustomKindText& text, const CustomKind* resource);

  std::unique_ptr<Kept> kept_;
};

}  // namespace dray::api
