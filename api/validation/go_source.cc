// SPDX-License-Identifier: Apache-2.0
// Values as Go source, the way error messages up to 1.32 show them.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/text/go_quote.h"
#include "api/validation/go_value.h"

namespace dray::api::validation {
namespace {

// Where a pointer points differs from run to run; readers mask it.
constexpr std::string_view kAddress = "0xc000000000";

// Structs of other packages than the group's.
struct Home {
  std::string_view package, type;
};
constexpr std::array kHomes = {Home{"core", "ClaimSource"},
                               Home{"core", "PodResourceClaim"},
                               Home{"v1", "ObjectMeta"},
                               Home{"v1", "OwnerReference"},
                               Home{"v1", "ManagedFieldsEntry"},
                               Home{"v1", "Condition"},
                               Home{"core", "NodeSelector"},
                               Home{"core", "NodeSelectorTerm"},
                               Home{"core", "NodeSelectorRequirement"}};

std::string StructName(std::string_view name) {
  const auto* const found = std::ranges::find(kHomes, name, &Home::type);
  return fmt::format("{}.{}", found == kHomes.end() ? "resource" : found->package, name);
}

// Members that point to a type with a name of its own there.
struct Special {
  std::string_view type, member, pointee;
};
constexpr std::array kSpecials = {
    Special{"DeviceConstraint", "matchAttribute", "resource.FullyQualifiedName"}};

// The type that the member `field` of a `type` points to, for types that GoType does not know.
std::string_view PointeeOf(const Type& type, const Field& field) {
  const auto* const found = std::ranges::find_if(kSpecials, [&](const Special& special) {
    return special.type == type.name && special.member == field.name;
  });
  return found == kSpecials.end() ? std::string_view() : found->pointee;
}

std::string GoType(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool: return "bool";
    case TypeKind::kInt32: return "int32";
    case TypeKind::kInt64: return "int64";
    case TypeKind::kDouble: return "float64";
    case TypeKind::kString: return "string";
    case TypeKind::kBytes: return "[]uint8";
    case TypeKind::kQuantity: return "resource.Quantity";
    case TypeKind::kTime: return "v1.Time";
    case TypeKind::kMicroTime: return "v1.MicroTime";
    case TypeKind::kDuration: return "v1.Duration";
    case TypeKind::kIntOrString: return "intstr.IntOrString";
    case TypeKind::kRawJson: return "runtime.RawExtension";
    case TypeKind::kOptional: return "*" + GoType(type.element());
    case TypeKind::kList: return "[]" + GoType(type.element());
    case TypeKind::kMap: return "map[string]" + GoType(type.element());
    case TypeKind::kStruct: return StructName(type.name);
  }
  return {};
}

// deallocationRequested → DeallocationRequested, apiGroup → APIGroup, uid → UID.
std::string MemberName(std::string_view json) {
  if (json == "uid" || json == "cel") return json == "uid" ? "UID" : "CEL";
  if (json.starts_with("api")) return fmt::format("API{}", json.substr(3));
  std::string name(json);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

class Printer {
 public:
  Printer(Release release, std::string& out) : wire_{.release = release}, out_(out) {}

  void Value(const Type& type, const void* value) {
    switch (type.kind) {
      case TypeKind::kStruct: Struct(type, value); return;
      case TypeKind::kList: List(type, value); return;
      case TypeKind::kMap: Map(type, value); return;
      case TypeKind::kOptional: Pointer(type, value); return;
      case TypeKind::kString: out_ += GoQuote(*static_cast<const std::string*>(value)); return;
      case TypeKind::kTime:
        out_ += IsZero(type, value) ? "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)"
                                    : GoType(type) + "{}";
        return;
      case TypeKind::kBool:
      case TypeKind::kInt32:
      case TypeKind::kDouble:
      case TypeKind::kInt64: EncodeJson(type, value, out_); return;
      case TypeKind::kBytes:
      case TypeKind::kQuantity:
      case TypeKind::kMicroTime:
      case TypeKind::kDuration:
      case TypeKind::kIntOrString:
      case TypeKind::kRawJson: out_ += GoType(type) + "{}"; return;
    }
  }

 private:
  void Struct(const Type& type, const void* value) {
    out_ += StructName(type.name);
    std::string_view before = "{";
    for (const Field& field : type.fields) {
      if (!field.IsOn(wire_)) continue;
      out_ += before;
      before = ", ";
      // An embedded struct goes by its type's name, as the metadata of a template does.
      const bool embedded = field.facets.inlined || field.type().name == "ObjectMeta";
      out_ += embedded ? std::string(field.type().name) : MemberName(field.name);
      out_ += ':';
      const std::string_view pointee = PointeeOf(type, field);
      if (field.facets.plain.Rules(wire_.release) && field.type().kind == TypeKind::kOptional) {
        Plain(field.type(), field.of(value));
      } else if (!pointee.empty()) {
        Pointer(pointee, field.type().container->size(field.of(value)) != 0);
      } else {
        Value(field.type(), field.of(value));
      }
    }
    out_ += before == "{" ? "{}" : "}";
  }

  // For members that were no pointers in that release: an absent one is shown as zero.
  void Plain(const Type& type, const void* value) {
    if (type.container->size(value) != 0)
      return Value(type.element(), type.container->at(value, 0));
    out_ += type.element().kind == TypeKind::kBool ? "false" : "0";
  }

  void List(const Type& type, const void* value) {
    const size_t size = type.container->size(value);
    out_ += GoType(type);
    if (!type.container->present(value)) {
      out_ += "(nil)";
      return;
    }
    out_ += '{';
    for (size_t i = 0; i < size; ++i) {
      if (i != 0) out_ += ", ";
      Value(type.element(), type.container->at(value, i));
    }
    out_ += '}';
  }

  void Map(const Type& type, const void* value) {
    out_ += GoType(type);
    std::string_view before = "{";
    VisitMap(type, value, [&](std::string_view key, const void* entry) {
      out_ += before;
      before = ", ";
      out_ += GoQuote(key);
      out_ += ':';
      Value(type.element(), entry);
    });
    out_ += before == "{" ? "(nil)" : "}";
  }

  void Pointer(const Type& type, const void* value) {
    const bool there = type.container->size(value) != 0;
    if (type.element().kind == TypeKind::kTime) {  // has a printer of its own
      out_ += there ? "time.Time{}" : "<nil>";
      return;
    }
    Pointer(GoType(type.element()), there);
  }

  void Pointer(std::string_view pointee, bool there) {
    out_ += fmt::format("(*{})({})", pointee, there ? kAddress : "nil");
  }

  Wire wire_;
  std::string& out_;
};

}  // namespace

std::string GoSource(const Type& type, const void* value, Release release) {
  std::string out;
  Printer(release, out).Value(type, value);
  return out;
}

}  // namespace dray::api::validation
