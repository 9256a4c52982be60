// SPDX-License-Identifier: Apache-2.0
// Converts an object to the other version and back; the fields missing then are lost. Paths are
// those of the original version, so that the author can find them.
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/conversion/structs.h"
#include "api/text/cut.h"

namespace dray::api::conversion {
namespace {

constexpr size_t kValueBytesMax = 80;

class Finder {
 public:
  explicit Finder(std::vector<Loss>& losses) : losses_(losses) {}

  void Compare(const Type& type, const std::string& path, const void* before, const void* after) {
    if (Equal(type, before, after)) return;
    if (type.kind == TypeKind::kStruct) return Members(type, path, before, after);
    if (type.kind == TypeKind::kOptional) return Optional(type, path, before, after);
    if (type.kind == TypeKind::kList) return List(type, path, before, after);
    if (type.kind == TypeKind::kMap) return Map(type, path, before, after);
    Report(type, path, before);
  }

 private:
  void Members(const Type& type, const std::string& path, const void* before, const void* after) {
    for (const Field& field : type.fields) {
      const std::string name(field.name);
      const bool is_flat = field.facets.inlined;
      const std::string inner = is_flat        ? path
                                : path.empty() ? name
                                               : fmt::format("{}.{}", path, name);
      Compare(field.type(), inner, field.of(before), field.of(after));
    }
  }

  void Optional(const Type& type, const std::string& path, const void* before, const void* after) {
    const ContainerOperations& container = *type.container;
    if (container.size(before) == 0) return;
    if (container.size(after) == 0) return Report(type, path, before);
    Compare(type.element(), path, container.at(before, 0), container.at(after, 0));
  }

  // Lists keep their length, or else lose elements as a whole: those the other list does not have.
  void List(const Type& type, const std::string& path, const void* before, const void* after) {
    const ContainerOperations& container = *type.container;
    const size_t size = container.size(before);
    const size_t size_after = container.size(after);
    if (size_after == 0) return Report(type, path, before);
    size_t next = 0;
    for (size_t i = 0; i < size; ++i) {
      const std::string inner = fmt::format("{}[{}]", path, i);
      const void* element = container.at(before, i);
      if (size == size_after) {
        Compare(type.element(), inner, element, container.at(after, i));
      } else if (next < size_after && Equal(type.element(), element, container.at(after, next))) {
        ++next;
      } else {
        Report(type.element(), inner, element);
      }
    }
  }

  void Map(const Type& type, const std::string& path, const void* before, const void* after) {
    VisitMap(type, before, [&](std::string_view key, const void* value) {
      const std::string inner = fmt::format("{}[{}]", path, key);
      const void* other = type.container->find(after, key);
      if (other == nullptr) return Report(type.element(), inner, value);
      Compare(type.element(), inner, value, other);
    });
  }

  void Report(const Type& type, const std::string& path, const void* value) {
    if (IsZero(type, value)) return;
    std::string text;
    EncodeJson(type, value, text, {.stored = true});
    losses_.push_back({.path = path, .value = Cut(text, kValueBytesMax)});
  }

  std::vector<Loss>& losses_;
};

}  // namespace

std::vector<Loss> Losses(const Object& object, const KindInfo& to, Release release) {
  const Object hub = ToHub(object);
  // Changes by the conversion to the hub alone are no loss, because they are equivalent forms.
  const Object before = FromHub(hub, object.kind());
  const Object after = FromHub(ThereAndBack(hub, to, release), object.kind());
  std::vector<Loss> losses;
  Finder(losses).Compare(object.type(), "", before.value(), after.value());
  return losses;
}

}  // namespace dray::api::conversion
