// SPDX-License-Identifier: Apache-2.0
// The order in which the scheduler tries ready pods: a namespace whose attempts take long does not
// delay other namespaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace dray::scheduler::inline queue {

/// Pods by priority. Within one priority, pods of the namespace that has used the fewest turns come
/// first; within one number of turns, the pod with the lowest ticket. A turn is kTurnWork of work,
/// so namespaces that use little are served in the order of their tickets. This is start-time fair
/// queueing: a namespace without pods starts with as many turns as the namespace of the pod popped
/// last, so it neither pays for the past of others nor saves turns up.
class FairOrder {
 public:
  /// A millisecond, in units of Work.
  static constexpr uint64_t kTurnWork = 1'000'000;

  /// `owner` is the pod's namespace. The ticket is unique.
  void Add(int32_t priority, uint64_t ticket, std::string_view owner, const std::string& pod);
  /// The arguments are those of Add.
  void Remove(int32_t priority, uint64_t ticket, std::string_view owner);
  /// Removes the first pod and returns its name. The order is not empty.
  std::string Pop();
  /// Charges work to the owner.
  void Charge(std::string_view owner, uint64_t work);

  bool empty() const { return order_.empty(); }
  size_t size() const { return size_; }

 private:
  using Rank = std::pair<int64_t, uint64_t>;  // -priority, ticket
  struct Owner {
    uint64_t used = 0;  // work
    std::map<Rank, std::string> pods;
  };
  using Owners = std::map<std::string, Owner, std::less<>>;
  using Place = std::tuple<int64_t, uint64_t, uint64_t, std::string_view>;

  static Place PlaceOf(const Owners::value_type& owner);
  /// Calls `edit` while the owner is out of order_, and puts it back if it has pods.
  template <class Edit>
  void Change(Owners::value_type& owner, const Edit& edit);
  void ForgetIdle();

  Owners owners_;
  std::set<Place> order_;  // owners with pods; names are keys of owners_
  uint64_t floor_ = 0;     // `used` of the owner popped last
  size_t size_ = 0;
  size_t swept_size_ = 0;  // the size of owners_ after the last ForgetIdle
};

}  // namespace dray::scheduler::inline queue
