// SPDX-License-Identifier: Apache-2.0
#include "cel/batch/device_table.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <limits>
#include <numeric>
#include <utility>

#include "api/value/quantity.h"
#include "api/value/semver.h"
#include "base/check.h"

namespace dray::cel::batch {
namespace {

// The key of a column in the index: kind, domain and id, separated by a byte that names cannot
// contain.
std::string IndexKey(Field field, std::string_view domain, std::string_view id) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(field)));
  key += domain;
  key += '\0';
  key += id;
  return key;
}

uint64_t Mix(uint64_t a, uint64_t b) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  const uint64_t mixed = (a ^ (b + kOdd + (a << 6U) + (a >> 2U))) * kOdd;
  return mixed ^ (mixed >> 32U);
}

uint64_t HashOf(const Value& value) {
  const auto kind = static_cast<uint64_t>(value.kind());
  switch (value.kind()) {
    case ValueKind::kBool: return Mix(kind, value.boolean() ? 1 : 0);
    case ValueKind::kInt: return Mix(kind, static_cast<uint64_t>(value.integer()));
    case ValueKind::kString: return Mix(kind, HashText(value.text()));
    case ValueKind::kQuantity:
      return Mix(kind, std::bit_cast<uint64_t>(value.quantity().AsApproximateDouble() + 0.0));
    case ValueKind::kSemver: {
      const api::Semver& version = value.semver();
      return Mix(Mix(kind, version.major()), Mix(version.minor(), version.patch()));
    }
    case ValueKind::kList: {
      uint64_t hash = kind;
      for (const Value& item : value.list().items()) hash = Mix(hash, HashOf(item));
      return hash;
    }
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kBytes:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return kind;  // no part of a device
}

std::strong_ordering Strong(std::weak_ordering order) {
  if (order < 0) return std::strong_ordering::less;
  return order > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

// Values that are equal may still differ for an expression: small and big quantities, versions with
// different builds.
std::strong_ordering OrderWritten(const api::Quantity& a, const api::Quantity& b) {
  if (const auto order = Strong(a <=> b); order != 0) return order;
  if (SameRepresentation(a, b)) return std::strong_ordering::equal;
  const auto is_small = [](const api::Quantity& q) { return q.AsInt64().has_value() ? 1 : 0; };
  if (const auto order = is_small(a) <=> is_small(b); order != 0) return order;
  const auto bits = [](const api::Quantity& q) {
    return std::bit_cast<uint64_t>(q.AsApproximateDouble());
  };
  if (const auto order = bits(a) <=> bits(b); order != 0) return order;
  return a.ToString() <=> b.ToString();
}

std::strong_ordering OrderWritten(const api::Semver& a, const api::Semver& b) {
  const auto order = Strong(a <=> b);
  return order != 0 ? order : a.build() <=> b.build();
}

std::strong_ordering OrderOf(const Value& a, const Value& b);

std::strong_ordering OrderLists(const List& a, const List& b) {
  const std::span<const Value> left = a.items();
  const std::span<const Value> right = b.items();
  return std::lexicographical_compare_three_way(
      left.begin(), left.end(), right.begin(), right.end(), OrderOf);
}

std::strong_ordering OrderOf(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return a.kind() <=> b.kind();
  switch (a.kind()) {
    case ValueKind::kBool: return (a.boolean() ? 1 : 0) <=> (b.boolean() ? 1 : 0);
    case ValueKind::kInt: return a.integer() <=> b.integer();
    case ValueKind::kString: return a.text() <=> b.text();
    case ValueKind::kQuantity: return OrderWritten(a.quantity(), b.quantity());
    case ValueKind::kSemver: return OrderWritten(a.semver(), b.semver());
    case ValueKind::kList: return OrderLists(a.list(), b.list());
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kBytes:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return std::strong_ordering::equal;
}

// A copy that lives in `arena` alone.
Value Own(Arena& arena, const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString: return Value::String(arena.Copy(value.text()));
    case ValueKind::kQuantity: return Value::Quantity(arena.Keep(api::Quantity(value.quantity())));
    case ValueKind::kSemver: return Value::Semver(arena.Keep(api::Semver(value.semver())));
    case ValueKind::kList: {
      const std::span<const Value> items = value.list().items();
      const std::span<Value> copy = arena.NewValues(items.size());
      std::ranges::transform(items, copy.begin(), [&](const Value& v) { return Own(arena, v); });
      return Value::FromList(arena.Keep(List{.made = copy, .weight = value.list().weight}));
    }
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kBytes:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return value;
}

/// Versions that are known to be right.
constexpr size_t kSoundVersionsMax = 4096;

/// Whether a part of this name, of a device of `driver`, is the one that `key` names. As Qualify
/// cuts names.
bool IsNamed(std::string_view name, std::string_view driver, const ColumnKey& key) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return driver == key.domain && name == key.id;
  return name.substr(0, slash) == key.domain && name.substr(slash + 1) == key.id;
}

/// The first part with the name "id" or "driver/id".
template <class Part>
const Part* FindPart(std::span<const Part> parts, std::string_view driver, const ColumnKey& key) {
  const Part* found = nullptr;
  for (const Part& part : parts) {
    if (!part.name.ends_with(key.id) || !IsNamed(part.name, driver, key)) continue;
    if (!part.name.contains('/')) return &part;
    found = &part;
  }
  return found;
}

template <class Part>
bool HasDomain(std::span<const Part> parts, std::string_view driver, std::string_view domain) {
  return std::ranges::any_of(parts, [&](const Part& part) {
    const size_t slash = part.name.find('/');
    return domain == (slash == std::string_view::npos ? driver : part.name.substr(0, slash));
  });
}

template <class Code>
std::vector<Code> Narrow(std::span<const uint32_t> codes, std::span<const uint32_t> rank) {
  std::vector<Code> out(codes.size());
  std::ranges::transform(
      codes, out.begin(), [&](uint32_t c) { return static_cast<Code>(rank[c]); });
  return out;
}

std::vector<Column::KindRange> KindsOf(std::span<const Value> values) {
  std::vector<Column::KindRange> kinds;
  const auto length = [&](uint32_t code) {
    return values[code].is(ValueKind::kString) ? values[code].text().size() : 0;
  };
  for (uint32_t code = 1; code < values.size(); ++code) {
    if (kinds.empty() || values[kinds.back().first].kind() != values[code].kind()) {
      kinds.push_back({code, code, code});
    }
    Column::KindRange& range = kinds.back();
    range.last = code + 1;
    if (length(code) > length(range.longest)) range.longest = code;
  }
  return kinds;
}

}  // namespace

uint32_t DeviceTable::CodeAt(const Column& column, size_t lane) {
  return std::visit([&](const auto& codes) { return uint32_t{codes[lane]}; }, column.codes);
}

bool DeviceTable::Covers(const PartsRead& parts) const {
  if (parts_.all || parts.all) return parts_.all;
  return std::ranges::all_of(parts.columns, [&](const ColumnKey& key) {
    return std::ranges::find(parts_.columns, key) != parts_.columns.end();
  });
}

const Column* DeviceTable::Find(const ColumnKey& key) const {
  const auto found = index_.find(IndexKey(key.field, key.domain, key.id));
  return found == index_.end() ? nullptr : &columns_[found->second].column;
}

const std::string& DeviceTable::ErrorOf(size_t lane, const Environment& environment) const {
  static const std::string kNone;
  const auto& texts = ProblemsFor(environment).texts;
  const auto found = texts.find(lane);
  return found == texts.end() ? kNone : found->second;
}

Value DeviceTable::DeviceOfShape(size_t shape, const Environment& environment, Arena& arena) const {
  const size_t lane = first_of_shape_[shape];
  std::vector<QualifiedValue> attributes;
  std::vector<QualifiedValue> capacity;
  DeviceParts parts;
  for (const NamedColumn& named : columns_) {
    const Value& value = named.column.values[CodeAt(named.column, lane)];
    if (value.is(ValueKind::kNull)) continue;
    switch (named.key.field) {
      case Field::kDriver: parts.driver = value.text(); break;
      case Field::kAllowMultipleAllocations:
        parts.allow_multiple_allocations = value.boolean();
        break;
      case Field::kAttribute: attributes.push_back({named.key.domain, named.key.id, value}); break;
      case Field::kCapacity: capacity.push_back({named.key.domain, named.key.id, value}); break;
      // Where all parts are read, others of the domain are there.
      case Field::kAttributeDomain:
        if (!parts_.all) attributes.push_back({named.key.domain, kNoName, value});
        break;
      case Field::kCapacityDomain:
        if (!parts_.all) capacity.push_back({named.key.domain, kNoName, value});
        break;
    }
  }
  parts.attributes = attributes;
  parts.capacity = capacity;
  const Value device = MakeDevice(arena, parts);
  const bool is_whole = environment.since(api::Release::k1_34);
  return is_whole ? device : WithoutMultipleAllocations(arena, device);
}

// Values are numbered in the order in which they come; Build sorts them.
class DeviceTableBuilder::ColumnBuilder {
 public:
  explicit ColumnBuilder(ColumnKey key) : key_(std::move(key)), values_(1), table_(16) {}

  const ColumnKey& key() const { return key_; }

  void Set(Arena& arena, size_t lane, const Value& value) {
    codes_.resize(lane);  // devices without it have code 0
    codes_.push_back(Intern(arena, value));
  }
  /// Whether `lane` has a value already.
  bool Has(size_t lane) const { return lane < codes_.size(); }

  Column Finish(size_t lanes) {
    codes_.resize(lanes);
    std::vector<uint32_t> order(values_.size());
    // NOLINTNEXTLINE(modernize-use-ranges): libstdc++ 12 has no ranges::iota
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order.begin() + 1, order.end(), [&](uint32_t a, uint32_t b) {
      return OrderOf(values_[a], values_[b]) < 0;
    });
    std::vector<uint32_t> rank(values_.size());
    Column column;
    column.values.reserve(values_.size());
    for (const uint32_t code : order) {
      rank[code] = static_cast<uint32_t>(column.values.size());
      column.values.push_back(values_[code]);
    }
    column.kinds = KindsOf(column.values);
    if (values_.size() <= std::numeric_limits<uint8_t>::max() + size_t{1}) {
      column.codes = Narrow<uint8_t>(codes_, rank);
    } else if (values_.size() <= std::numeric_limits<uint16_t>::max() + size_t{1}) {
      column.codes = Narrow<uint16_t>(codes_, rank);
    } else {
      column.codes = Narrow<uint32_t>(codes_, rank);
    }
    return column;
  }

  uint32_t CodeAt(size_t lane) const { return lane < codes_.size() ? codes_[lane] : 0; }

 private:
  uint32_t Intern(Arena& arena, const Value& value) {
    // Neighbours are often alike.
    if (last_ != 0 && OrderOf(values_[last_], value) == 0) return last_;
    const uint64_t hash = HashOf(value);
    size_t at = hash & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      if (OrderOf(values_[table_[at]], value) == 0) return last_ = table_[at];
    }
    last_ = static_cast<uint32_t>(values_.size());
    table_[at] = last_;
    values_.push_back(Own(arena, value));
    if (2 * values_.size() > table_.size()) Rehash();
    return last_;
  }

  void Rehash() {
    std::vector<uint32_t> bigger(2 * table_.size());
    for (uint32_t code = 1; code < values_.size(); ++code) {
      size_t at = HashOf(values_[code]) & (bigger.size() - 1);
      while (bigger[at] != 0) at = (at + 1) & (bigger.size() - 1);
      bigger[at] = code;
    }
    table_ = std::move(bigger);
  }

  ColumnKey key_;
  std::vector<Value> values_;    // by code; the first stands for "missing"
  std::vector<uint32_t> table_;  // hash table of codes, 0 is free; a power of two
  std::vector<uint32_t> codes_;  // by lane
  uint32_t last_ = 0;
};

DeviceTableBuilder::DeviceTableBuilder(PartsRead parts)
    : parts_(std::move(parts)), memory_(std::make_unique<Arena>()) {
  if (parts_.all) return;
  for (const ColumnKey& key : parts_.columns)
    columns_.push_back(std::make_unique<ColumnBuilder>(key));
}
DeviceTableBuilder::~DeviceTableBuilder() = default;

DeviceTableBuilder::ColumnBuilder& DeviceTableBuilder::ColumnFor(Field field,
                                                                 std::string_view domain,
                                                                 std::string_view id) {
  const auto [place, is_new] = index_.try_emplace(IndexKey(field, domain, id), columns_.size());
  if (is_new) {
    columns_.push_back(std::make_unique<ColumnBuilder>(
        ColumnKey{.field = field, .domain = std::string(domain), .id = std::string(id)}));
  }
  return *columns_[place->second];
}

void DeviceTableBuilder::AddQualified(Field field,
                                      Field domain_field,
                                      std::vector<QualifiedValue>& values) {
  SortQualified(values);
  for (const QualifiedValue& value : values) {
    ColumnFor(field, value.domain, value.id).Set(*memory_, size_, value.value);
    ColumnBuilder& domain = ColumnFor(domain_field, value.domain, "");
    if (!domain.Has(size_)) domain.Set(*memory_, size_, Value::Bool(true));
  }
  values.clear();
}

void DeviceTableBuilder::Add(const Device& device) {
  DRAY_CHECK(size_ < std::numeric_limits<uint32_t>::max());
  if (parts_.all) {
    AddAll(device);
  } else {
    AddRead(device, sound_.Has(device));
  }
  ++size_;
}

void DeviceTableBuilder::AddSound(const Device& parts) {
  DRAY_CHECK(!parts_.all && size_ < std::numeric_limits<uint32_t>::max());
  AddRead(parts, true);
  ++size_;
}

bool SoundDevices::Has(const Device& device) {
  return std::ranges::all_of(device.attributes, [&](const Attribute& attribute) {
    const auto* const version = std::get_if<VersionText>(&attribute.value);
    if (version == nullptr) {
      return std::holds_alternative<bool>(attribute.value) ||
             std::holds_alternative<int64_t>(attribute.value) ||
             std::holds_alternative<std::string_view>(attribute.value);
    }
    std::string text(version->text);
    if (versions_.contains(text)) return true;
    if (!api::Semver::Parse(text)) return false;
    if (versions_.size() < kSoundVersionsMax) versions_.insert(std::move(text));
    return true;
  });
}

void DeviceTableBuilder::AddRead(const Device& device, bool is_sound) {
  Arena arena;
  AttributeReader reader(arena);
  if (!is_sound) {
    for (const Attribute& attribute : device.attributes) reader.Read(attribute);
    if (!reader.error().empty()) errors_.emplace(size_, reader.error());
    if (!reader.error_without_lists().empty())
      errors_without_lists_.emplace(size_, reader.error_without_lists());
  }
  const std::span<const Attribute> attributes =
      reader.error().empty() ? std::span<const Attribute>(device.attributes)
                             : std::span<const Attribute>();  // they are never asked for
  const auto set = [&](ColumnBuilder& column, const Value& value) {
    column.Set(*memory_, size_, value);
  };
  for (const auto& column : columns_) {
    const ColumnKey& key = column->key();
    switch (key.field) {
      case Field::kDriver: set(*column, Value::String(device.driver)); break;
      case Field::kAllowMultipleAllocations:
        set(*column, Value::Bool(device.allow_multiple_allocations));
        break;
      case Field::kAttribute:
        if (const auto* const named = FindPart(attributes, device.driver, key))
          set(*column, reader.Read(*named));
        break;
      case Field::kCapacity:
        if (const auto* const named = FindPart(std::span(device.capacity), device.driver, key))
          set(*column, Value::Quantity(named->value));
        break;
      case Field::kAttributeDomain:
        if (HasDomain(attributes, device.driver, key.domain)) set(*column, Value::Bool(true));
        break;
      case Field::kCapacityDomain:
        if (HasDomain(std::span(device.capacity), device.driver, key.domain))
          set(*column, Value::Bool(true));
        break;
    }
  }
}

void DeviceTableBuilder::AddAll(const Device& device) {
  Arena arena;
  AttributeReader reader(arena);
  ColumnFor(Field::kDriver, "", "").Set(*memory_, size_, Value::String(device.driver));
  ColumnFor(Field::kAllowMultipleAllocations, "", "")
      .Set(*memory_, size_, Value::Bool(device.allow_multiple_allocations));
  for (const Attribute& attribute : device.attributes) {
    scratch_.push_back(Qualify(attribute.name, device.driver, reader.Read(attribute)));
  }
  if (!reader.error().empty()) {
    errors_.emplace(size_, reader.error());
    scratch_.clear();  // its values are never asked for
  }
  if (!reader.error_without_lists().empty()) {
    errors_without_lists_.emplace(size_, reader.error_without_lists());
  }
  AddQualified(Field::kAttribute, Field::kAttributeDomain, scratch_);
  for (const Capacity& item : device.capacity) {
    scratch_.push_back(Qualify(item.name, device.driver, Value::Quantity(item.value)));
  }
  AddQualified(Field::kCapacity, Field::kCapacityDomain, scratch_);
}

void DeviceTableBuilder::NumberShapes(DeviceTable& table) const {
  std::vector<uint64_t> hashes(size_);
  for (const auto& column : columns_) {
    for (size_t lane = 0; lane < size_; ++lane) {
      hashes[lane] = Mix(hashes[lane], column->CodeAt(lane));
    }
  }
  const auto alike = [&](size_t a, size_t b) {
    return std::ranges::all_of(
        columns_, [&](const auto& column) { return column->CodeAt(a) == column->CodeAt(b); });
  };
  std::unordered_multimap<uint64_t, uint32_t> known;
  table.shape_of_.reserve(size_);
  for (size_t lane = 0; lane < size_; ++lane) {
    const auto [first, last] = known.equal_range(hashes[lane]);
    const auto found = std::find_if(first, last, [&](const auto& pair) {
      return alike(table.first_of_shape_[pair.second], lane);
    });
    if (found != last) {
      table.shape_of_.push_back(found->second);
      continue;
    }
    const auto shape = static_cast<uint32_t>(table.first_of_shape_.size());
    known.emplace(hashes[lane], shape);
    table.first_of_shape_.push_back(static_cast<uint32_t>(lane));
    table.shape_of_.push_back(shape);
  }
}

std::shared_ptr<const DeviceTable> DeviceTableBuilder::Build() {
  auto table = std::make_shared<DeviceTable>();
  table->size_ = size_;
  table->parts_ = std::exchange(parts_, {});
  NumberShapes(*table);
  std::ranges::sort(columns_, [](const auto& a, const auto& b) {
    return std::tie(a->key().domain, a->key().id) < std::tie(b->key().domain, b->key().id);
  });
  for (const auto& column : columns_) {
    const ColumnKey& key = column->key();
    table->index_.emplace(IndexKey(key.field, key.domain, key.id), table->columns_.size());
    table->columns_.push_back({key, column->Finish(size_)});
  }
  const auto note = [&](DeviceTable::Problems& problems, auto& errors) {
    problems.lanes.Reset(size_);
    for (const auto& [lane, error] : errors) problems.lanes.Add(lane);
    problems.texts = std::exchange(errors, {});
  };
  note(table->problems_, errors_);
  note(table->problems_without_lists_, errors_without_lists_);
  table->memory_ = std::exchange(memory_, std::make_unique<Arena>());
  columns_.clear();
  index_.clear();
  size_ = 0;
  return table;
}

}  // namespace dray::cel::batch
