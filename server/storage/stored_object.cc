// SPDX-License-Identifier: Apache-2.0
#include "server/storage/stored_object.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_metadata.h"
#include "api/codec/protobuf_outline.h"
#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/meta_v1/object_meta.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/text/scratch_text.h"
#include "base/text/with_tail.h"
#include "base/try.h"
#include "server/storage/decoded_cache.h"
#include "server/storage/decoded_size.h"
#include "server/storage/hub_message.h"
#include "server/storage/packing.h"

namespace dray::server::storage {
namespace {

Item AsSeen(View view, const Item& stored) {
  if (view.is_storage()) return stored;
  if (const api::CustomKind* custom = api::CustomOf(*view.kind); custom != nullptr) {
    return MakeItem(api::ReadAs(stored.object, *custom), view.release);
  }
  api::Object object = api::conversion::FromHub(stored.object, *view.kind, view.release);
  return MakeItem(std::move(object), view.release);
}

// The same of what a webhook has made of it.
Item ItemOfConverted(const api::Object& converted,
                     const api::CustomKind& version,
                     const Item& stored) {
  api::Object read = api::ReadAs(converted, version);
  read.mutable_metadata().resource_version = stored.object.metadata().resource_version;
  return MakeItem(std::move(read), api::Release::kAny);
}

// What stands in front of durable bytes, protobuf or JSON.
Result<api::TypeMeta> MetaOf(std::string_view bytes) {
  if (!bytes.starts_with("k8s")) return api::ReadTypeMeta(bytes);
  if (bytes.starts_with("k8s:enc:")) {
    return Fail(StatusReason::kInternalError, "it is encrypted, and there is no key for it");
  }
  DRAY_TRY(api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(bytes));
  return std::move(envelope.meta);
}

Result<api::Object> Decode(const api::KindInfo& kind, std::string_view bytes) {
  constexpr api::Wire kStored{.stored = true};
  if (!bytes.starts_with("k8s")) return api::DecodeJson(kind, bytes, nullptr, kStored);
  DRAY_TRY(const api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(bytes));
  return api::DecodeEnvelope(kind, envelope, nullptr, kStored);
}

// Objects of custom kinds are stored as JSON, because upstream has no messages for them.
api::Readable Encode(const api::Object& object, std::string& out) {
  if (!api::IsCustom(object.kind())) return api::EncodeStored(object, out);
  api::EncodeJson(object, out);
  return api::Readable::kSurely;
}

Result<> CheckReadable(const api::KindInfo& kind, std::string_view bytes) {
  const Result<api::Object> decoded = Decode(kind, bytes);
  if (decoded.has_value()) return {};
  return Fail(
      StatusReason::kInternalError,
      fmt::format("Internal error occurred: the {} would not be readable once it was stored: "
                  "{}",
                  kind.kind,
                  decoded.error().message));
}

// The version of the kind of `hub` with the name `api_version`; null when there is none, or it is
// of the other generation.
const api::KindInfo* VersionOf(const api::KindInfo& hub, std::string_view api_version) {
  if (const api::CustomKind* custom = api::CustomOf(hub); custom != nullptr) {
    return api::CustomVersionOf(*custom, api_version);
  }
  if (hub.api_version == api_version) return &hub;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (&kind->storage() == &hub && kind->api_version == api_version) return kind;
  }
  return nullptr;
}

// Lets the cache of decoded objects keep `decoded`, which has a durable form of so many bytes.
void Keep(std::shared_ptr<const StoredObject> decoded, size_t stored_bytes) {
  // The texts that readers may ask for: JSON takes up to twice the durable form, protobuf as much.
  constexpr size_t kTextsPerStored = 3;
  const size_t memory =
      sizeof(StoredObject) + decoded->decoded_bytes() + kTextsPerStored * stored_bytes;
  if (decoded->is_bulky(stored_bytes)) decoded->NoteTransient(memory);
  DecodedOfProcess().Keep(std::move(decoded), memory);
}

Result<> CheckIdentity(const api::Object& object) {
  if (!object.metadata().uid.empty()) return {};
  return Fail(StatusReason::kInternalError, "it has no uid");
}

// The lock for decoding the value at `value`. There are as many values as records and events, and
// few of them are decoded at once, so they have these locks together.
Mutex& DecodingOf(const void* value) {
  constexpr unsigned kLocksBits = 8;
  static std::array<Mutex, size_t{1} << kLocksBits> locks;
  const uint64_t hash = Hasher().Add(std::bit_cast<uintptr_t>(value)).value();
  return locks[hash >> (64 - kLocksBits)];
}

// The value of a record: its durable form, packed, and the object of it while that is decoded.
class EncodedObject final : public store::Value {
 public:
  using Decoded = Result<std::shared_ptr<const StoredObject>>;

  // The durable form has `size` bytes.
  EncodedObject(size_t size, const Packed& packed)
      : size_(size), packed_bytes_(packed.bytes.size()), dictionary_(packed.dictionary) {}
  // That of `written`, which this does not keep alive.
  EncodedObject(size_t size,
                const Packed& packed,
                api::Readable readable,
                const std::shared_ptr<const StoredObject>& written)
      : size_(size),
        packed_bytes_(packed.bytes.size()),
        dictionary_(packed.dictionary),
        readable_(readable),
        known_as_(&written->kind()),
        decoded_(written),
        object_(written->weak()) {}

  std::string bytes() const override {
    std::string bytes;
    if (const std::string_view whole = Unpacked(bytes); bytes.empty()) bytes = whole;
    return bytes;
  }
  size_t size() const override { return size_; }
  size_t held_bytes() const override { return packed_bytes_; }

  Result<> CheckDurable() const override {
    if (readable_ == api::Readable::kSurely) return {};
    ScratchText room;
    return CheckReadable(*known_as_.load(std::memory_order_relaxed), Unpacked(*room));
  }

  // The object, if it is of the generation of `hub`; else null. Blocks while another thread decodes
  // it (or an object of the same lock).
  Decoded As(const api::KindInfo& hub) const {
    const api::KindInfo* const known_as = known_as_.load(std::memory_order_acquire);
    if (known_as != nullptr && &known_as->storage() != &hub) return nullptr;
    const MutexLock lock(DecodingOf(this));
    if (std::shared_ptr<const StoredObject> decoded = decoded_.lock(); decoded != nullptr) {
      return decoded;
    }
    const api::Object held = object_.Lock();
    const bool was_read = !held.empty() && !held.metadata().resource_version.empty();
    Decoded decoded = was_read ? StoredObject::OfRead(held) : Decode(hub);
    if (!decoded.has_value() || *decoded == nullptr) return decoded;
    known_as_.store(&(*decoded)->kind(), std::memory_order_release);
    decoded_ = *decoded;
    object_ = (*decoded)->weak();
    Keep(*decoded, size_);
    return decoded;
  }

  // The metadata, if it can be read alone.
  Result<std::optional<api::Object>> MetadataAs(const api::KindInfo& hub) const {
    ScratchText room;
    DRAY_TRY(const std::optional<std::string_view> message, HubMessage(hub, Unpacked(*room)));
    if (!message.has_value()) return std::nullopt;
    DRAY_TRY(api::Object object, api::DecodeProtobufMetadata(hub, *message, {.stored = true}));
    DRAY_TRY_VOID(CheckIdentity(object));
    return object;
  }

  // The same of the outline.
  Result<std::optional<Outline>> OutlineAs(const api::KindInfo& hub, const api::Type& part) const {
    ScratchText room;
    DRAY_TRY(const std::optional<std::string_view> message, HubMessage(hub, Unpacked(*room)));
    if (!message.has_value()) return std::nullopt;
    DRAY_TRY(api::ProtobufOutline outline,
             api::DecodeProtobufOutline(hub, part, *message, {.stored = true}));
    DRAY_TRY_VOID(CheckIdentity(outline.object));
    return Outline{.object = std::move(outline.object),
                   .parts = {outline.parts.begin(), outline.parts.end()}};
  }

  // Whether it is known, without decoding it, to be an object of the generation of `hub`.
  bool IsKnownAs(const api::KindInfo& hub) const {
    const api::KindInfo* const known_as = known_as_.load(std::memory_order_acquire);
    return known_as != nullptr && &known_as->storage() == &hub;
  }

 private:
  // The durable form: in `room`, which is empty, or here.
  std::string_view Unpacked(std::string& room) const {
    const std::string_view packed(TailOf(this), packed_bytes_);
    if (dictionary_ == nullptr) return packed;
    dictionary_->Unpack(packed, room);
    return room;
  }

  Decoded Decode(const api::KindInfo& hub) const {
    ScratchText room;
    const std::string_view bytes = Unpacked(*room);
    DRAY_TRY(const api::TypeMeta meta, MetaOf(bytes));
    const api::KindInfo* version = VersionOf(hub, meta.api_version);
    if (version == nullptr && api::IsCustom(hub)) {
      return Fail(StatusReason::kInternalError, VersionIsGone(meta.api_version));
    }
    if (version == nullptr) return nullptr;
    DRAY_TRY(api::Object object, storage::Decode(*version, bytes));
    DRAY_TRY_VOID(CheckIdentity(object));
    object.mutable_metadata().resource_version.clear();
    if (version == &version->storage()) {
      return StoredObject::Of(std::move(object));
    }
    api::defaults::SetDefaults(object, api::Time());  // the version's own, before conversion
    api::Object hub_object = api::conversion::ToHub(object);
    return StoredObject::Of(std::move(hub_object));
  }

  const size_t size_;
  const size_t packed_bytes_;                              // after this object
  const Frozen<Dictionary> dictionary_;                    // null: the bytes are as they are
  const api::Readable readable_ = api::Readable::kSurely;  // by decoding; recovered: not asked
  // The kind of the object; null until what was recovered has been decoded.
  mutable std::atomic<const api::KindInfo*> known_as_ = nullptr;
  // Valid while a reader or the cache of decoded objects holds it.
  mutable std::weak_ptr<const StoredObject> decoded_ DRAY_GUARDED_BY(DecodingOf(this));
  // Its struct, which others may hold longer, such as the informers of this process.
  mutable api::WeakObject object_ DRAY_GUARDED_BY(DecodingOf(this));
};

std::shared_ptr<const EncodedObject> MakeRecovered(std::string_view bytes) {
  ScratchText room;
  const Packed packed = PackingOfProcess().Pack(bytes, *room);
  return MakeWithTail<EncodedObject>(packed.bytes, bytes.size(), packed);
}

Failure Undecodable(const api::KindInfo& hub, const store::Record& record, const Error& error) {
  return Fail(StatusReason::kInternalError,
              fmt::format("Internal error occurred: the stored {} at {} cannot be decoded: {}",
                          hub.kind,
                          record.key(),
                          error.message));
}

// The object of a record, or null if it is of another generation.
Result<std::shared_ptr<const StoredObject>> Hold(const api::KindInfo& kind,
                                                 const store::Record& record) {
  const api::KindInfo& hub = kind.storage();
  const auto* encoded = dynamic_cast<const EncodedObject*>(record.value.get());
  EncodedObject::Decoded decoded =
      encoded != nullptr ? encoded->As(hub) : MakeRecovered(record.value->bytes())->As(hub);
  if (decoded.has_value()) return decoded;
  return Undecodable(hub, record, decoded.error());
}

}  // namespace

// A record finds it by a weak pointer, which must keep none of its memory (MakeStruct).
Frozen<StoredObject> StoredObject::Of(api::Object object) {
  DRAY_CHECK(object.metadata().resource_version.empty());
  DRAY_CHECK(!object.metadata().uid.empty());
  DRAY_CHECK(&object.kind().storage() == &object.kind() || api::IsCustom(object.kind()));
  return api::MakeStruct<const StoredObject>(std::move(object), false, Access());
}

api::Readable StoredObject::EncodeTo(std::string& out) const {
  const MutexLock lock(mutex_);
  if (object_.metadata().resource_version.empty()) return Encode(object_, out);
  api::Object unversioned = object_.Clone();
  unversioned.mutable_metadata().resource_version.clear();
  return Encode(unversioned, out);
}

bool StoredObject::is_bulky(size_t stored_bytes) const {
  return IsBulky(object_, stored_bytes);
}

size_t StoredObject::decoded_bytes() const {
  return DecodedBytes(object_, std::numeric_limits<size_t>::max());
}

Frozen<StoredObject> StoredObject::OfRead(api::Object object) {
  DRAY_CHECK(!object.metadata().resource_version.empty());
  return api::MakeStruct<const StoredObject>(std::move(object), true, Access());
}

Item StoredObject::Versioned(api::Object object, Revision revision) const {
  object.mutable_metadata().resource_version = std::to_string(revision.value());
  return MakeItem(std::move(object), api::Release::kAny);
}

const Item& StoredObject::AsStored(Revision modified) const {
  return item_.Get([&] {
    if (was_read_) return MakeItem(object_, api::Release::kAny);
    const MutexLock lock(mutex_);  // Versioned writes into the object that EncodeTo reads
    return Versioned(object_, modified);
  });
}

Item StoredObject::At(View view, Revision modified) const {
  const api::CustomKind* custom = api::CustomOf(*view.kind);
  if (custom != nullptr && !view.is_storage()) return *AsCustom(*custom, modified);
  return AsFixed(view, modified);
}

// Replaces an item made by older rules of the version, which lives until its last reader ends.
Frozen<Item> StoredObject::AsCustom(const api::CustomKind& version, Revision modified) const {
  const Item& stored = AsStored(modified);
  const Frozen<api::CustomVersion> rules = version.now.Load();
  const bool by_webhook = api::ConversionBetween(kind(), version) != nullptr;
  const MutexLock lock(mutex_);
  SeenByRules next{.kind = &version, .rules = rules, .item = nullptr};
  for (const SeenByRules& seen : seen_by_rules_) {
    if (seen.kind->version != version.version || (seen.by != nullptr) != by_webhook) continue;
    const bool is_same = seen.item != nullptr && seen.kind == &version && seen.rules == rules;
    if (is_same) return seen.item;
    next.by = seen.by;
    next.converted = seen.converted;
  }
  seen_by_rules_.remove_if(
      [&](const SeenByRules& seen) { return seen.kind->version == version.version; });
  next.item = std::make_shared<const Item>(next.by == nullptr
                                               ? AsSeen({.kind = &version}, stored)
                                               : ItemOfConverted(next.converted, version, stored));
  seen_by_rules_.push_front(next);
  return next.item;
}

void StoredObject::NoteConverted(api::Object converted, Frozen<api::CustomConversion> by) const {
  const api::KindInfo& version = converted.kind();
  const MutexLock lock(mutex_);
  seen_by_rules_.remove_if(
      [&](const SeenByRules& seen) { return seen.kind->version == version.version; });
  seen_by_rules_.push_front({.kind = &version,
                             .rules = nullptr,
                             .item = nullptr,
                             .by = std::move(by),
                             .converted = std::move(converted)});
}

bool StoredObject::HasConverted(const api::KindInfo& version,
                                const api::CustomConversion* by) const {
  const MutexLock lock(mutex_);
  return std::ranges::any_of(seen_by_rules_, [&](const SeenByRules& seen) {
    return seen.kind->version == version.version && seen.by != nullptr &&
           (by == nullptr || seen.by.get() == by);
  });
}

bool StoredObject::HasContentOf(const api::Object& other) const {
  api::Object bare = other.Clone();
  bare.mutable_metadata().resource_version.clear();
  const MutexLock lock(mutex_);
  if (object_.metadata().resource_version.empty()) return object_ == bare;
  api::Object own = object_.Clone();
  own.mutable_metadata().resource_version.clear();
  return own == bare;
}

// `stored` as a view of a custom kind shows it, a webhook's work included.
Item StoredObject::SeenOf(View view, const Item& stored) const {
  const api::CustomKind* custom = api::CustomOf(*view.kind);
  const bool by_webhook =
      custom != nullptr && !view.is_storage() && api::ConversionBetween(kind(), *custom) != nullptr;
  if (by_webhook) {
    const MutexLock lock(mutex_);
    for (const SeenByRules& seen : seen_by_rules_) {
      if (seen.kind->version != custom->version || seen.by == nullptr) continue;
      return ItemOfConverted(seen.converted, *custom, stored);
    }
  }
  return AsSeen(view, stored);
}

const Item& StoredObject::AsFixed(View view, Revision modified) const {
  const Item& stored = AsStored(modified);
  if (view.is_storage()) return stored;
  const MutexLock lock(mutex_);
  for (const Seen& seen : seen_) {
    if (seen.view.kind == view.kind && seen.view.release == view.release) return seen.item;
  }
  return seen_.emplace_front(Seen{.view = view, .item = AsSeen(view, stored)}).item;
}

Item StoredObject::EndedAt(View view, Revision end) const {
  // item_ is made before, so cloning here never meets the writing of the version.
  const Ended& ended = ended_.Get([&] { return Ended{end, Versioned(object_.Clone(), end)}; });
  return SeenOf(view, ended.end == end ? ended.item : Versioned(object_.Clone(), end));
}

Item StoredObject::Unversioned(View view) const {
  return SeenOf(view, MakeItem(object_, api::Release::kAny));
}

Result<bool> ReadsAs(const api::KindInfo& hub, std::string_view bytes) {
  DRAY_TRY(const std::shared_ptr<const StoredObject> object, MakeRecovered(bytes)->As(hub));
  return object != nullptr;
}

// Returns items without a copy.
struct ItemFinder {
  // Keeps both alive.
  struct Pair {
    std::shared_ptr<const StoredObject> owner;
    Frozen<Item> item;
  };

  static Result<ItemRef> Find(View view,
                              const store::Record& record,
                              std::shared_ptr<const StoredObject> stored) {
    const api::CustomKind* custom = api::CustomOf(*view.kind);
    if (custom == nullptr || view.is_storage()) {
      const Item& item = stored->AsFixed(view, record.modified);
      return ItemRef{.item = &item, .owner = std::move(stored)};
    }
    const bool is_unconverted = api::ConversionBetween(stored->kind(), *custom) != nullptr &&
                                !stored->HasConverted(*custom, nullptr);
    if (is_unconverted) {
      return Fail(StatusReason::kInternalError,
                  fmt::format("Internal error occurred: the stored {} at {} is not converted to {}",
                              custom->kind,
                              record.key(),
                              custom->api_version));
    }
    const auto pair = std::make_shared<const Pair>(
        Pair{.owner = stored, .item = stored->AsCustom(*custom, record.modified)});
    return ItemRef{.item = pair->item.get(),
                   .owner = std::shared_ptr<const StoredObject>(pair, stored.get())};
  }
};

Result<ItemRef> FindItem(View view, const store::Record& record) {
  DRAY_TRY(std::shared_ptr<const StoredObject> stored, Hold(*view.kind, record));
  if (stored == nullptr) return ItemRef();
  return ItemFinder::Find(view, record, std::move(stored));
}

bool IsLarge(const store::Record& record) {
  constexpr size_t kLargeBytes = size_t{2} << 10;
  return record.value->size() >= kLargeBytes;
}

Result<ItemRef> FindMetadata(View view, const store::Record& record) {
  const auto* encoded = dynamic_cast<const EncodedObject*>(record.value.get());
  const bool is_alone = encoded != nullptr && view.is_storage() && IsLarge(record);
  if (!is_alone) return FindItem(view, record);
  Result<std::optional<api::Object>> found = encoded->MetadataAs(*view.kind);
  if (!found.has_value()) return Undecodable(*view.kind, record, found.error());
  api::Object bare;
  if (found->has_value()) {
    bare = **std::move(found);
  } else {
    DRAY_TRY(ItemRef whole, FindItem(view, record));
    if (whole.item == nullptr) return whole;
    bare = api::Object::Make(*view.kind);
    bare.mutable_metadata() = whole.item->object.metadata();
  }
  bare.mutable_metadata().managed_fields = {};
  bare.mutable_metadata().resource_version = std::to_string(record.modified.value());
  return ItemFinder::Find(view, record, StoredObject::OfRead(std::move(bare)));
}

Result<std::optional<Outline>> FindOutline(const api::KindInfo& hub,
                                           const api::Type& part,
                                           const store::Record& record) {
  const auto* encoded = dynamic_cast<const EncodedObject*>(record.value.get());
  if (encoded == nullptr) return std::nullopt;
  Result<std::optional<Outline>> found = encoded->OutlineAs(hub, part);
  if (!found.has_value()) return Undecodable(hub, record, found.error());
  if (found->has_value()) {
    (*found)->object.mutable_metadata().resource_version = std::to_string(record.modified.value());
  }
  return found;
}

Result<std::optional<Unconverted>> UnconvertedOf(View view,
                                                 const store::Record& record,
                                                 Freshness freshness) {
  const api::CustomKind* custom = api::CustomOf(*view.kind);
  if (custom == nullptr || view.is_storage()) return std::nullopt;
  const Frozen<api::CustomVersions> versions = custom->resource().versions.Load();
  if (versions->conversion == nullptr && versions->dropped == nullptr) return std::nullopt;
  DRAY_TRY(const std::shared_ptr<const StoredObject> stored, Hold(*view.kind, record));
  if (stored == nullptr) return std::nullopt;
  Frozen<api::CustomConversion> by = api::ConversionBetween(stored->kind(), *custom);
  if (by == nullptr) return std::nullopt;
  const bool is_kept = freshness == Freshness::kKept && stored->HasConverted(*custom, by.get());
  return Unconverted{.stored = stored,
                     .item = stored->At(View::OfStorage(*custom), record.modified),
                     .by = is_kept ? nullptr : std::move(by)};
}

Result<std::optional<Item>> ItemOf(View view, const store::Record& record) {
  DRAY_TRY(const ItemRef found, FindItem(view, record));
  return found.item == nullptr ? std::nullopt : std::optional(*found.item);
}

Result<std::optional<Item>> EndedItemOf(View view, const store::Record& record, Revision end) {
  DRAY_TRY(const std::shared_ptr<const StoredObject> stored, Hold(*view.kind, record));
  if (stored == nullptr) return std::nullopt;
  (void)stored->At(View::OfStorage(*view.kind), record.modified);
  return stored->EndedAt(view, end);
}

Frozen<store::Value> ReadStored(std::string_view /*key*/, std::string_view bytes) {
  return MakeRecovered(bytes);
}

Frozen<StoredObject> MakeStored(api::Object object) {
  if (!api::IsCustom(object.kind())) {
    return StoredObject::Of(std::move(object));
  }
  return StoredObject::Of(api::ForStorage(object));
}

Frozen<store::Value> ValueOf(Frozen<StoredObject> stored) {
  ScratchText bytes;
  const api::Readable readable = stored->EncodeTo(*bytes);
  ScratchText room;
  const Packed packed = PackingOfProcess().Pack(*bytes, *room);
  Frozen<store::Value> value =
      MakeWithTail<EncodedObject>(packed.bytes, bytes->size(), packed, readable, stored);
  Keep(std::move(stored), bytes->size());
  return value;
}

bool IsKnownAs(const api::KindInfo& kind, const store::Record& record) {
  const auto* encoded = dynamic_cast<const EncodedObject*>(record.value.get());
  return encoded != nullptr && !api::IsCustom(kind) && encoded->IsKnownAs(kind.storage());
}

std::string VersionIsGone(std::string_view api_version) {
  return fmt::format("request to convert CR from an invalid group/version: {}", api_version);
}

std::string StoredVersion(const store::Record& record) {
  return StoredVersion(record.value->bytes());
}

std::string StoredVersion(std::string_view bytes) {
  const Result<api::TypeMeta> said = MetaOf(bytes);
  return said.has_value() ? said->api_version : std::string();
}

}  // namespace dray::server::storage
