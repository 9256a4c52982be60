// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/shapes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "allocator/rules/attribute_values.h"
#include "allocator/rules/constraints.h"
#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "allocator/rules/work_units.h"
#include "allocator/snapshot/same_device.h"
#include "base/check.h"
#include "base/hash.h"
#include "cel/api_device.h"
#include "cel/batch/batch_selector.h"
#include "cel/derived_attribute.h"
#include "cel/device_activation.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;

uint8_t TraitsOf(const v1::Device& device, bool is_sound) {
  unsigned traits = is_sound ? 0 : Shape::kUnsound;
  if (!device.taints.empty()) traits |= Shape::kTainted;
  if (!device.binding_conditions.empty()) traits |= Shape::kHasBindingConditions;
  if (!device.consumes_counters.empty()) traits |= Shape::kDrawsCounters;
  if (device.allow_multiple_allocations.value_or(false)) traits |= Shape::kShareable;
  for (const auto& [name, capacity] : device.capacity) {
    if (capacity.request_policy.has_value() || capacity.value.Sign() < 0)
      traits |= Shape::kMeasured;
  }
  return static_cast<uint8_t>(traits);
}

/// The number of single values (string, int, bool, version) that an attribute has.
int SingleForms(const v1::DeviceAttribute& attribute) {
  return static_cast<int>(attribute.string.has_value()) +
         static_cast<int>(attribute.int_.has_value()) +
         static_cast<int>(attribute.bool_.has_value()) +
         static_cast<int>(attribute.version.has_value());
}

std::string Keyed(char type, std::string_view text) {
  std::string key(1, type);
  return key.append(text);
}

/// The one value of an attribute, as text that begins with its type.
std::string SingleValue(const v1::DeviceAttribute& attribute) {
  if (attribute.string.has_value()) return Keyed('s', *attribute.string);
  if (attribute.int_.has_value()) return Keyed('i', std::to_string(*attribute.int_));
  if (attribute.bool_.has_value()) return *attribute.bool_ ? "bt" : "bf";
  return Keyed('v', attribute.version.value_or(""));
}

/// The shape as expressions see it.
cel::Device AsSeen(const Shape& shape, const Features& features) {
  cel::Device device = cel::DeviceOf(shape.slice->spec.driver, *shape.device);
  if (!rules::RulesOf(features).knows_shares) device.allow_multiple_allocations = false;
  return device;
}

void AppendExpressions(std::span<const v1::DeviceSelector> selectors, std::string& key) {
  for (const v1::DeviceSelector& selector : selectors) {
    key += selector.cel.has_value() ? 'c' : 'n';
    if (selector.cel.has_value()) key.append(selector.cel->expression);
    key += '\0';
  }
}

}  // namespace

/// Values by number, for all columns.
class Shapes::Values {
 public:
  uint32_t NumberOf(const std::string& value) {
    return numbers_.try_emplace(value, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

Shapes::Shapes(const Features& features, std::shared_ptr<cel::SelectorCache> selectors)
    : features_(features), selectors_(std::move(selectors)), values_(std::make_unique<Values>()) {}

Shapes::~Shapes() = default;

size_t Shapes::size() const {
  const MutexLock lock(mutex_);
  return size_;
}

std::vector<ShapeId> Shapes::Intern(const Frozen<v1::ResourceSlice>& slice) {
  const MutexLock lock(mutex_);
  std::vector<ShapeId> ids;
  ids.reserve(slice->spec.devices.size());
  for (const v1::Device& device : slice->spec.devices) ids.push_back(InternOne(slice, device));
  return ids;
}

ShapeId Shapes::InternOne(const Frozen<v1::ResourceSlice>& slice, const v1::Device& device) {
  const uint64_t hash = Hasher().Add(HashButName(device)).Add(slice->spec.driver).value();
  const auto [first, last] = index_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Shape& known = (*this)[at->second];
    if (known.slice->spec.driver == slice->spec.driver && SameButName(*known.device, device))
      return at->second;
  }
  const auto id = static_cast<ShapeId>(size_);
  const auto block = static_cast<size_t>(std::bit_width(id / kFirstBlock + 1) - 1);
  DRAY_CHECK(block < kBlocks);
  std::unique_ptr<Shape[]>& shapes = blocks_.at(block);  // NOLINT(modernize-avoid-c-arrays)
  if (shapes == nullptr)
    shapes = std::make_unique<Shape[]>(kFirstBlock << block);  // NOLINT(modernize-avoid-c-arrays)
  Shape& shape = shapes[id - FirstOf(block)];
  const bool is_sound = sound_.Has(cel::DeviceOf(slice->spec.driver, device));
  shape = {.slice = slice, .device = &device, .traits = TraitsOf(device, is_sound)};
  any_measured_ = any_measured_ || shape.Has(Shape::kMeasured) || shape.Has(Shape::kShareable);
  ++size_;
  index_.emplace(hash, id);
  return id;
}

/// Batches are merged so that each is at least twice as large as the next: O(log n) of them, and
/// every shape is read O(log n) times for each table.
void Shapes::CoverByBatches() {
  size_t first = batches_.empty() ? 0 : batches_.back().last;
  if (first == size_) return;
  while (!batches_.empty() && batches_.back().last - batches_.back().first < 2 * (size_ - first)) {
    first = batches_.back().first;
    batches_.pop_back();
  }
  batches_.push_back({.first = first, .last = size_});
}

/// One that has these parts; of several the one used last.
Frozen<cel::batch::DeviceTable> Shapes::TableOf(Batch& batch,
                                                const cel::batch::PartsRead& parts) const {
  const auto found = std::ranges::find_if(
      batch.tables.rbegin(), batch.tables.rend(), [&](const auto& t) { return t->Covers(parts); });
  if (found != batch.tables.rend()) {
    std::rotate(std::prev(found.base()), found.base(), batch.tables.end());
    return batch.tables.back();
  }
  if (batch.tables.size() == kTablesMax) batch.tables.erase(batch.tables.begin());
  cel::batch::DeviceTableBuilder builder(parts);
  const auto reads = [&](std::string_view name) {
    return std::ranges::any_of(parts.columns, [&](const cel::batch::ColumnKey& key) {
      return key.field == cel::batch::Field::kAttribute && name.ends_with(key.id);
    });
  };
  cel::Device seen;
  for (size_t i = batch.first; i < batch.last; ++i) {
    const Shape& shape = (*this)[static_cast<ShapeId>(i)];
    if (parts.all || shape.Has(Shape::kUnsound)) {
      builder.Add(AsSeen(shape, features_));
      continue;
    }
    cel::ReadDevice(shape.slice->spec.driver, *shape.device, reads, seen);
    if (!rules::RulesOf(features_).knows_shares) seen.allow_multiple_allocations = false;
    builder.AddSound(seen);
  }
  batch.tables.push_back(builder.Build());
  return batch.tables.back();
}

cel::batch::PartsRead Shapes::PartsOf(std::span<const v1::DeviceSelector> of_class,
                                      std::span<const v1::DeviceSelector> of_request) const {
  cel::batch::PartsRead parts{.all = false};
  for (const auto& selectors : {of_class, of_request}) {
    for (const v1::DeviceSelector& selector : selectors) {
      if (!selector.cel.has_value()) continue;
      const Result<cel::Selector> compiled = selectors_->Compile(selector.cel->expression);
      if (!compiled) continue;
      const cel::batch::BatchSelector batch(*compiled);
      if (batch.reads().all) return {};
      for (const cel::batch::ColumnKey& key : batch.reads().columns) {
        if (std::ranges::find(parts.columns, key) == parts.columns.end())
          parts.columns.push_back(key);
      }
    }
  }
  return parts;
}

/// Narrows the cells from `from` on that are still kYes.
void Shapes::And(std::string_view expression,
                 const cel::batch::PartsRead& parts,
                 size_t from,
                 SelectionRow& row,
                 Work& work) {
  const auto set_rest = [&](Match to) {
    for (size_t i = from; i < row.cells.size(); ++i) {
      if (row.cells[i] == Match::kYes) row.cells[i] = to;
    }
  };
  const Result<cel::Selector> selector = selectors_->Compile(expression);
  if (!selector) return set_rest(Match::kError);
  const cel::batch::BatchSelector batch_selector(*selector);
  cel::batch::Outcomes outcomes;
  for (Batch& batch : batches_) {
    if (batch.last <= from) continue;
    batch_selector.Evaluate(*TableOf(batch, parts), outcomes, work);
    for (size_t i = std::max(from, batch.first); i < batch.last; ++i) {
      if (row.cells[i] != Match::kYes) continue;
      const size_t lane = i - batch.first;
      if (outcomes.failed.Has(lane)) {
        row.cells[i] = Match::kError;
      } else if (!outcomes.matched.Has(lane)) {
        row.cells[i] = Match::kNo;
      }
    }
  }
}

Frozen<SelectionRow> Shapes::Row(std::span<const v1::DeviceSelector> of_class,
                                 std::span<const v1::DeviceSelector> of_request,
                                 Work& work) {
  std::string key;
  AppendExpressions(of_class, key);
  key += '\1';
  AppendExpressions(of_request, key);
  const MutexLock lock(mutex_);
  CachedRow& cached = rows_[key];
  cached.used = ++uses_;
  if (cached.row != nullptr && cached.row->cells.size() == size_) return cached.row;
  work.Charge(WorkOfItems(size_));
  CoverByBatches();
  const cel::batch::PartsRead parts = PartsOf(of_class, of_request);
  SelectionRow row = cached.row == nullptr ? SelectionRow() : *cached.row;
  const size_t from = row.cells.size();
  row.cells.resize(size_, Match::kYes);
  for (const auto& selectors : {of_class, of_request}) {
    for (const v1::DeviceSelector& selector : selectors) {
      if (selector.cel.has_value()) {
        And(selector.cel->expression, parts, from, row, work);
      } else {
        std::replace(row.cells.begin() + static_cast<std::ptrdiff_t>(from),
                     row.cells.end(),
                     Match::kYes,
                     Match::kError);
      }
    }
  }
  row.any_error = row.any_error || std::ranges::find(row.cells, Match::kError) != row.cells.end();
  auto result = std::make_shared<const SelectionRow>(std::move(row));
  if (!work.is_spent()) cached.row = result;
  if (rows_.size() > kRowsMax) {
    rows_.erase(
        std::ranges::min_element(rows_, {}, [](const auto& entry) { return entry.second.used; }));
  }
  return result;
}

namespace {

/// Alike in every way a policy or a result could tell.
bool SameRequest(const api::Maybe<v1::CapacityRequirements>& known,
                 const v1::CapacityRequirements* request) {
  if (request == nullptr || !known.has_value()) return request == nullptr && !known.has_value();
  return std::ranges::equal(known->requests, request->requests, [](const auto& a, const auto& b) {
    return a.first == b.first && SameRepresentation(a.second, b.second);
  });
}

}  // namespace

Frozen<AmountsColumn> Shapes::Amounts(const v1::CapacityRequirements* request, Work& work) {
  const MutexLock lock(mutex_);
  if (request == nullptr && !any_measured_) return nullptr;
  auto cached = std::ranges::find_if(
      amounts_, [&](const CachedAmounts& entry) { return SameRequest(entry.request, request); });
  if (cached == amounts_.end()) {
    if (amounts_.size() == kAmountsMax) amounts_.pop_front();
    CachedAmounts& added = amounts_.emplace_back();
    if (request != nullptr) added.request = *request;
    cached = amounts_.end() - 1;
  }
  if (cached->column != nullptr && cached->column->fits.size() == size_) return cached->column;
  auto column = cached->column == nullptr ? std::make_shared<AmountsColumn>()
                                          : std::make_shared<AmountsColumn>(*cached->column);
  const size_t asked = request == nullptr ? 0 : request->requests.size();
  for (size_t i = column->fits.size(); i < size_; ++i) {
    const Shape& shape = (*this)[static_cast<ShapeId>(i)];
    work.Charge(rules::kWorkPerAmount * (1 + asked + shape.device->capacity.size()));
    Result<std::optional<ConsumedCapacity>> amounts =
        rules::AmountsThatFit(*shape.device, request, features_);
    column->fits.push_back(!amounts               ? Match::kError
                           : amounts->has_value() ? Match::kYes
                                                  : Match::kNo);
    column->amounts.emplace_back();
    if (column->fits.back() == Match::kYes && shape.Has(Shape::kShareable))
      column->amounts.back() = **std::move(amounts);
  }
  cached->column = column;
  return column;
}

/// `find` says what one shape has: nothing, or the attribute in the form asked for.
template <class Find>
Frozen<AttributeColumn> Shapes::Extend(const std::string& key, Work& work, Find find) {
  CachedColumn& entry = columns_[key];
  entry.used = ++uses_;
  Frozen<AttributeColumn>& cached = entry.column;
  if (cached != nullptr && cached->set_of.size() == size_) return cached;
  AttributeColumn column = cached == nullptr ? AttributeColumn() : *cached;
  work.Charge(rules::kWorkPerValue * (column.values.size() + size_ - column.set_of.size()));
  if (column.values.empty()) column.values.resize(AttributeColumn::kFirstSet);
  std::map<std::vector<uint32_t>, uint32_t> numbers;
  for (size_t i = AttributeColumn::kFirstSet; i < column.values.size(); ++i)
    numbers.emplace(column.values[i], static_cast<uint32_t>(i));
  for (size_t i = column.set_of.size(); i < size_; ++i) {
    std::vector<uint32_t> values;
    uint32_t set = find((*this)[static_cast<ShapeId>(i)], values);
    if (!values.empty()) {
      work.Charge(rules::kWorkPerValue * values.size());
      std::ranges::sort(values);
      const auto [known, is_new] =
          numbers.try_emplace(values, static_cast<uint32_t>(column.values.size()));
      set = known->second;
      if (is_new) column.values.push_back(std::move(values));
    }
    column.set_of.push_back(set);
  }
  cached = std::make_shared<const AttributeColumn>(std::move(column));
  Frozen<AttributeColumn> result = cached;
  if (columns_.size() > kColumnsMax) {
    columns_.erase(
        std::ranges::min_element(columns_, {}, [](const auto& kept) { return kept.second.used; }));
  }
  return result;
}

namespace {

/// Fills `values` with the numbers of the attribute's values, or says why it has none.
template <class Numbers>
uint32_t ValuesIn(const v1::DeviceAttribute* attribute,
                  AttributeForm form,
                  Numbers& numbers,
                  std::vector<uint32_t>& values) {
  if (attribute == nullptr) return AttributeColumn::kAbsent;
  if (form == AttributeForm::kSingle) {
    if (SingleForms(*attribute) != 1) return AttributeColumn::kUnusable;
    values.push_back(numbers.NumberOf(SingleValue(*attribute)));
    return AttributeColumn::kFirstSet;
  }
  const std::optional<rules::AttributeValues> set = rules::ValuesOf(*attribute);
  if (!set.has_value()) return AttributeColumn::kAbsent;
  constexpr std::string_view kTypes = "ibsv";
  for (const std::string& text : set->values)
    values.push_back(numbers.NumberOf(Keyed(kTypes[static_cast<size_t>(set->type)], text)));
  return AttributeColumn::kFirstSet;
}

}  // namespace

Frozen<AttributeColumn> Shapes::Column(const std::string& attribute,
                                       AttributeForm form,
                                       Work& work) {
  const MutexLock lock(mutex_);
  Values& numbers = *values_;
  return Extend((form == AttributeForm::kSets ? "sets:" : "single:") + attribute,
                work,
                [&](const Shape& shape, std::vector<uint32_t>& values) {
                  const rules::DeviceEntry entry{.slice = shape.slice.get(),
                                                 .device = shape.device};
                  return ValuesIn(rules::FindAttribute(entry, attribute), form, numbers, values);
                });
}

Frozen<AttributeColumn> Shapes::DerivedColumn(const std::string& expression,
                                              AttributeForm form,
                                              Work& work) {
  const MutexLock lock(mutex_);
  const std::string key =
      (form == AttributeForm::kSets ? "derived sets:" : "derived:") + expression;
  if (const auto known = columns_.find(key);
      known != columns_.end() && known->second.column->set_of.size() == size_) {
    known->second.used = ++uses_;
    return known->second.column;
  }
  work.Charge(rules::kWorkPerByteCompiled * expression.size());
  const cel::Environment environment{.purpose = cel::Purpose::kDerivedAttribute,
                                     .consumable_capacity = features_.consumable_capacity,
                                     .list_type_attributes = features_.list_type_attributes,
                                     .time_zones = selectors_->environment().time_zones};
  const Result<cel::DerivedAttribute> compiled =
      cel::DerivedAttribute::Compile(expression, environment);
  Values& numbers = *values_;
  Frozen<AttributeColumn> column =
      Extend(key, work, [&](const Shape& shape, std::vector<uint32_t>& values) {
        if (!compiled || work.is_spent()) return AttributeColumn::kError;
        work.Charge(rules::kWorkPerView);
        const cel::DeviceActivation view(AsSeen(shape, features_));
        const cel::DerivedValue value = compiled->Evaluate(view, work);
        if (value.error() != nullptr) return AttributeColumn::kError;
        return ValuesIn(value.attribute(), form, numbers, values);
      });
  if (work.is_spent()) columns_.erase(key);
  return column;
}

}  // namespace dray::allocator::snapshot
