// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/root_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "allocator/rules/work_units.h"
#include "allocator/search/flow.h"

namespace dray::allocator::search {
namespace {

// In units of Work.
constexpr uint64_t kWorkPerTest = 8;

class RootBounds {
 public:
  RootBounds(NodeProblem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), prepared_(problem.prepared()) {}

  bool Refute() {
    // Each round may take the last partner from a device of another constraint.
    for (changed_ = options_.value_groups; changed_;) {
      changed_ = false;
      if (problem_.work().is_spent()) return false;
      if (!ShrinkToGroups()) return true;
    }
    if (options_.counting && !EnoughForEach(problem_)) return true;
    if (options_.distinct_values && !EnoughDistinctValues()) return true;
    if (options_.flow && !EnoughForTogether()) return true;
    return options_.capacity_bounds && !EnoughShares();
  }

 private:
  using Counts = std::unordered_map<uint32_t, int64_t>;  // devices by value

  const PreparedVariant& VariantAt(size_t v) const { return prepared_.variants()[v]; }

  /// The column by which the constraint reads a variant's devices; null: it does not cover them.
  const snapshot::AttributeColumn* ColumnOf(size_t v, size_t constraint) const {
    for (const PreparedVariant::Covering& covering : VariantAt(v).covering) {
      if (covering.constraint == constraint) return covering.column.get();
    }
    return nullptr;
  }

  /// The least a request needs, whichever alternative is taken.
  int64_t LeastNeed(const PreparedRequest& request) const {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t v = request.first_variant; v < request.last_variant; ++v)
      least = std::min(least, problem_.Needed(v));
    return least;
  }

  /// Whether the constraint covers the request's devices, whichever alternative is taken.
  bool CoversSurely(const PreparedRequest& request, size_t constraint) const {
    if (LeastNeed(request) <= 0) return false;
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      if (ColumnOf(v, constraint) == nullptr) return false;
    }
    return true;
  }

  std::span<const uint32_t> ValuesOf(const snapshot::AttributeColumn& column, size_t bit) const {
    return column.values[column.set_of[problem_.view().ShapeOf(bit)]];
  }

  Counts CountValues(size_t v, const snapshot::AttributeColumn& column) const {
    Counts counts;
    ForEachBit(problem_.Usable(v), [&](size_t bit) {
      problem_.work().Charge(rules::kWorkPerValue * (1 + ValuesOf(column, bit).size()));
      for (const uint32_t value : ValuesOf(column, bit)) ++counts[value];
    });
    return counts;
  }

  /// S-3. All devices under a matchAttribute share a value. A value is dead if some request that is
  /// surely under the constraint has too few devices with it; a device all of whose values are dead
  /// is in no solution. False when there is none at all.
  bool ShrinkToGroups() {
    for (size_t k = 0; k < prepared_.constraints().size(); ++k) {
      if (problem_.work().is_spent()) break;
      problem_.work().Charge(WorkOfItems(2 * prepared_.variants().size()));
      if (prepared_.constraints()[k].is_match && !ShrinkToGroupsOf(k)) return false;
    }
    return true;
  }

  bool ShrinkToGroupsOf(size_t constraint) {
    std::map<size_t, Counts> counts;  // by variant
    for (size_t v = 0; v < prepared_.variants().size(); ++v) {
      if (const snapshot::AttributeColumn* column = ColumnOf(v, constraint))
        counts.emplace(v, CountValues(v, *column));
    }
    std::optional<Counts> alive;  // nothing: no request is surely under the constraint
    for (const PreparedRequest& request : prepared_.requests()) {
      if (!CoversSurely(request, constraint)) continue;
      Counts enough;
      for (size_t v = request.first_variant; v < request.last_variant; ++v) {
        problem_.work().Charge(rules::kWorkPerValue * (1 + counts.at(v).size()));
        for (const auto& [value, count] : counts.at(v)) {
          if (count >= problem_.Needed(v) && (!alive || alive->contains(value))) enough[value] = 1;
        }
      }
      alive = std::move(enough);
      if (alive->empty()) return false;
    }
    if (options_.flow && alive.has_value() && !DropContested(constraint, *alive)) return false;
    for (const auto& [v, count] : counts) LeaveOutDead(v, constraint, count, alive);
    return true;
  }

  /// A value is dead as well if the requests under the constraint cannot all be served by its
  /// devices.
  bool DropContested(size_t constraint, Counts& alive) const {
    constexpr size_t kValuesMax = 64;  // a bound, not a rule: more would cost more than they save
    if (alive.size() > kValuesMax) return true;
    std::erase_if(alive, [&](const auto& entry) {
      if (problem_.work().is_spent()) return false;
      std::vector<Demand> demands;
      for (const PreparedRequest& request : prepared_.requests()) {
        if (!CoversSurely(request, constraint) || IsAdmin(request)) continue;
        Demand demand{.need = LeastNeed(request), .from = Words(problem_.words())};
        for (size_t v = request.first_variant; v < request.last_variant; ++v) {
          const snapshot::AttributeColumn& column = *ColumnOf(v, constraint);
          problem_.work().Charge(problem_.words());
          ForEachBit(problem_.Usable(v), [&](size_t bit) {
            problem_.work().Charge(kWorkPerTest);
            if (std::ranges::binary_search(ValuesOf(column, bit), entry.first))
              AddBit(demand.from, bit);
          });
        }
        demands.push_back(std::move(demand));
      }
      return !EnoughForAll(demands, Shareable(), problem_.work());
    });
    return !alive.empty();
  }

  void LeaveOutDead(size_t v,
                    size_t constraint,
                    const Counts& counts,
                    const std::optional<Counts>& alive) {
    if (problem_.Needed(v) <= 0 || VariantAt(v).wants_all()) return;
    const snapshot::AttributeColumn& column = *ColumnOf(v, constraint);
    ForEachBit(Words(problem_.Usable(v).begin(), problem_.Usable(v).end()), [&](size_t bit) {
      problem_.work().Charge(rules::kWorkPerValue * (1 + ValuesOf(column, bit).size()));
      const bool lives = std::ranges::any_of(ValuesOf(column, bit), [&](uint32_t value) {
        return (!alive.has_value() || alive->contains(value)) &&
               counts.at(value) >= problem_.Needed(v);
      });
      if (lives) return;
      DropBit(problem_.Usable(v), bit);
      changed_ = true;
    });
  }

  bool IsAdmin(const PreparedRequest& request) const {
    return VariantAt(request.first_variant).admin();
  }

  /// What is usable for a request, whichever alternative is taken.
  Words UnionOf(const PreparedRequest& request) const {
    Words all(problem_.words());
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      for (size_t w = 0; w < all.size(); ++w) all[w] |= problem_.Usable(v)[w];
    }
    return all;
  }

  /// S-2 for all at once: a solution is a flow from devices to requests. Requests with admin access
  /// do not count, because other requests may have their devices too.
  bool EnoughForTogether() const {
    std::vector<Demand> demands;
    for (const PreparedRequest& request : prepared_.requests()) {
      if (!IsAdmin(request)) demands.push_back({LeastNeed(request), UnionOf(request)});
    }
    return EnoughForAll(demands, Shareable(), problem_.work());
  }

  /// S-4: devices under a distinctAttribute have different values, so requests are served by values
  /// as they are by devices.
  bool EnoughDistinctValues() const {
    for (size_t k = 0; k < prepared_.constraints().size(); ++k) {
      const PreparedConstraint& constraint = prepared_.constraints()[k];
      if (constraint.is_match || constraint.form != snapshot::AttributeForm::kSingle) continue;
      std::unordered_map<uint32_t, size_t> numbers;
      std::vector<Demand> demands;
      for (const PreparedRequest& request : prepared_.requests()) {
        if (!CoversSurely(request, k)) continue;
        Demand demand{.need = LeastNeed(request), .from = {}};
        for (size_t v = request.first_variant; v < request.last_variant; ++v) {
          for (const auto& [value, count] : CountValues(v, *ColumnOf(v, k))) {
            const size_t number = numbers.try_emplace(value, numbers.size()).first->second;
            if (number / 64 >= demand.from.size()) demand.from.resize(number / 64 + 1);
            AddBit(demand.from, number);
          }
        }
        demands.push_back(std::move(demand));
      }
      for (Demand& demand : demands) demand.from.resize(numbers.size() / 64 + 1);
      if (!EnoughForAll(demands, {}, problem_.work())) return false;
    }
    return true;
  }

  Words Shareable() const {
    Words shareable;
    if (!problem_.any_shareable()) return shareable;
    problem_.work().Charge(64 * problem_.words());
    shareable.resize(problem_.words());
    for (size_t bit = 0; bit < problem_.words() * 64; ++bit) {
      if (problem_.IsShareable(bit)) AddBit(shareable, bit);
    }
    return shareable;
  }

  /// S-6: requests that can only have shares need as many as fit into the devices.
  bool EnoughShares() const {
    if (!problem_.any_shareable()) return true;
    const Words shareable = Shareable();
    std::vector<const PreparedRequest*> sharing;
    int64_t need = 0;
    Words devices(problem_.words());
    for (const PreparedRequest& request : prepared_.requests()) {
      const Words all = UnionOf(request);
      bool only_shares = LeastNeed(request) > 0;
      for (size_t w = 0; w < all.size(); ++w)
        only_shares = only_shares && (all[w] & ~shareable[w]) == 0;
      if (!only_shares) continue;
      sharing.push_back(&request);
      need += LeastNeed(request);
      for (size_t w = 0; w < all.size(); ++w) devices[w] |= all[w];
    }
    int64_t shares = 0;
    ForEachBit(devices, [&](size_t bit) { shares += SharesOf(bit, sharing); });
    return shares >= need;
  }

  /// At most so many of the requests can have a share of the device.
  int64_t SharesOf(size_t bit, std::span<const PreparedRequest* const> requests) const {
    int64_t users = 0;
    std::map<std::string, double> least;  // amount by capacity
    for (const PreparedRequest* request : requests) {
      bool uses = false;
      for (size_t v = request->first_variant; v < request->last_variant; ++v) {
        problem_.work().Charge(kWorkPerTest);
        if (!HasBit(problem_.Usable(v), bit)) continue;
        uses = true;
        problem_.work().Charge(rules::kWorkPerAmount * problem_.AmountsOf(v, bit).size());
        for (const auto& [name, amount] : problem_.AmountsOf(v, bit)) {
          const double value = amount.AsApproximateDouble();
          const auto [known, is_new] = least.try_emplace(name, value);
          if (!is_new) known->second = std::min(known->second, value);
        }
      }
      if (uses) ++users;
    }
    const ConsumedCapacity* const taken = problem_.CapacityTaken(bit);
    for (const auto& [name, capacity] : problem_.view().DeviceAt(bit).capacity) {
      const auto amount = least.find(name);
      if (amount == least.end() || amount->second <= 0) continue;
      double left = capacity.value.AsApproximateDouble();
      if (taken != nullptr && taken->contains(name))
        left -= taken->find(name)->second.AsApproximateDouble();
      // Rounded up generously: floating point must not lose a share that fits exactly.
      const double fits = std::floor(left / amount->second * (1 + 1e-6) + 1e-6);
      if (fits < static_cast<double>(users))
        users = std::max<int64_t>(0, static_cast<int64_t>(fits));
    }
    return users;
  }

  NodeProblem& problem_;
  const SearchOptions& options_;
  const PreparedClaims& prepared_;
  bool changed_ = false;
};

}  // namespace

bool EnoughForEach(const NodeProblem& problem) {
  return std::ranges::all_of(problem.prepared().requests(), [&](const PreparedRequest& request) {
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      if (static_cast<int64_t>(CountBits(problem.Usable(v))) >= problem.Needed(v)) return true;
    }
    return false;
  });
}

bool RefuteAtRoot(NodeProblem& problem, const SearchOptions& options) {
  return RootBounds(problem, options).Refute();
}

}  // namespace dray::allocator::search
