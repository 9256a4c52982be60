// SPDX-License-Identifier: Apache-2.0
#include "server/storage/decoded_size.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/custom_kind.h"
#include "api/reflect.h"

namespace dray::server::storage {
namespace {

// Texts up to this size lie inside the string.
constexpr size_t kInnerTextBytes = 15;

// Counts the memory that values hold outside their own struct.
class Counter {
 public:
  explicit Counter(size_t limit) : limit_(limit) {}

  size_t bytes() const { return bytes_; }
  void Add(size_t bytes) { bytes_ += bytes; }

  // As deep as types nest.
  void Walk(const api::Type& type, const void* value) {  // NOLINT(misc-no-recursion)
    switch (type.kind) {
      case api::TypeKind::kString: AddText(static_cast<const std::string*>(value)->size()); return;
      case api::TypeKind::kStruct: WalkMembers(type, value); return;
      case api::TypeKind::kOptional:
      case api::TypeKind::kList:
      case api::TypeKind::kMap: WalkElements(type, value); return;
      case api::TypeKind::kBool:
      case api::TypeKind::kInt32:
      case api::TypeKind::kInt64:
      case api::TypeKind::kDouble:
      case api::TypeKind::kBytes:
      case api::TypeKind::kQuantity:
      case api::TypeKind::kTime:
      case api::TypeKind::kMicroTime:
      case api::TypeKind::kDuration:
      case api::TypeKind::kIntOrString:
      case api::TypeKind::kRawJson: return;  // no larger than the JSON text
    }
  }

 private:
  void AddText(size_t size) {
    if (size > kInnerTextBytes) bytes_ += size;
  }

  void WalkMembers(const api::Type& type, const void* value) {  // NOLINT(misc-no-recursion)
    uint64_t filled = type.fields.empty() ? 0 : type.filled(value);
    while (filled != 0 && bytes_ < limit_) {
      const api::Field& field = type.fields[static_cast<size_t>(std::countr_zero(filled))];
      filled &= filled - 1;
      Walk(field.type(), field.of(value));
    }
  }

  void WalkElements(const api::Type& type, const void* value) {  // NOLINT(misc-no-recursion)
    const api::Type& element = type.element();
    const size_t size = type.container->size(value);
    bytes_ += size * element.size;
    if (type.kind == api::TypeKind::kMap) bytes_ += size * sizeof(std::string);
    for (size_t i = 0; i < size && bytes_ < limit_; ++i) {
      if (type.kind == api::TypeKind::kMap) AddText(type.container->key(value, i).size());
      Walk(element, type.container->at(value, i));
    }
  }

  const size_t limit_;
  size_t bytes_ = 0;
};

// An estimate of the memory of a custom object's content. Stops counting at `limit`.
size_t TreeBytes(const api::Tree& content, size_t limit) {
  size_t bytes = 0;
  std::vector<const api::Tree*> open = {&content};
  while (!open.empty() && bytes < limit) {
    const api::Tree& value = *open.back();
    open.pop_back();
    bytes += sizeof(api::Tree);
    if (value.is_text() && value.text().size() > kInnerTextBytes) bytes += value.text().size();
    for (const api::Tree& element : value.elements()) open.push_back(&element);
    for (const api::Tree::Member& member : value.members()) {
      bytes += sizeof(api::Tree);
      if (member.name().size() > kInnerTextBytes) bytes += member.name().size();
      open.push_back(&member.value);
    }
  }
  return bytes;
}

}  // namespace

size_t DecodedBytes(const api::Object& object, size_t limit) {
  Counter counter(limit);
  counter.Walk(object.type(), object.value());
  counter.Add(object.type().size);
  if (api::IsCustom(object.kind())) {
    counter.Add(TreeBytes(object.As<api::CustomObject>().content, limit));
  }
  return counter.bytes();
}

bool IsBulky(const api::Object& object, size_t stored_bytes) {
  const size_t most =
      object.type().size + std::max(kSmallDecodedBytes, kDecodedBytesPerStored * stored_bytes);
  return DecodedBytes(object, most + 1) > most;
}

}  // namespace dray::server::storage
