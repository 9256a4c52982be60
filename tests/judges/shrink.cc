// SPDX-License-Identifier: Apache-2.0
// Leaves out parts one at a time, from the back, and keeps each change after which the problem is
// still bad. Repeats until no part can be left out.
#include "tests/judges/shrink.h"

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using IsBad = std::function<bool(const Problem&)>;

class Shrinker {
 public:
  Shrinker(Problem problem, const IsBad& is_bad) : problem_(std::move(problem)), is_bad_(is_bad) {}

  Problem Run() {
    do {
      changed_ = false;
      Round();
    } while (changed_);
    return std::move(problem_);
  }

 private:
  void Round() {
    DropFrom([](Problem& problem) -> auto& { return problem.nodes; });
    DropFrom([](Problem& problem) -> auto& { return problem.claims; });
    DropFrom([](Problem& problem) -> auto& { return problem.slices; });
    for (size_t i = problem_.slices.size(); i-- > 0;) DropOfPool(i);
    DropFrom([](Problem& problem) -> auto& { return problem.classes; });
    DropFrom([](Problem& problem) -> auto& { return problem.allocated.devices; });
    DropFrom([](Problem& problem) -> auto& { return problem.allocated.shares; });
    DropFrom([](Problem& problem) -> auto& { return problem.allocated.capacity; });
    for (size_t i = 0; i < problem_.claims.size(); ++i) ShrinkClaim(i);
    for (size_t i = 0; i < problem_.slices.size(); ++i) ShrinkSlice(i);
    for (size_t i = 0; i < problem_.classes.size(); ++i) {
      DropFrom([&](Problem& p) -> auto& { return Edit(p.classes[i]).spec.selectors; });
      DropFrom([&](Problem& p) -> auto& { return Edit(p.classes[i]).spec.config; });
    }
  }

  /// Leaves out a slice and keeps its pool complete.
  void DropOfPool(size_t index) {
    Problem without = problem_;
    const Frozen<v1::ResourceSlice> dropped = without.slices[index];
    without.slices.erase(without.slices.begin() + static_cast<std::ptrdiff_t>(index));
    for (Frozen<v1::ResourceSlice>& slice : without.slices) {
      const bool same_pool = slice->spec.driver == dropped->spec.driver &&
                             slice->spec.pool.name == dropped->spec.pool.name;
      if (same_pool) --Edit(slice).spec.pool.resource_slice_count;
    }
    Keep(std::move(without));
  }

  void ShrinkClaim(size_t index) {
    const auto claim = [index](Problem& problem) -> v1::DeviceClaim& {
      return Edit(problem.claims[index]).spec.devices;
    };
    DropFrom([&](Problem& problem) -> auto& { return claim(problem).requests; });
    DropFrom([&](Problem& problem) -> auto& { return claim(problem).constraints; });
    DropFrom([&](Problem& problem) -> auto& { return claim(problem).config; });
    for (size_t i = 0; i < problem_.claims[index]->spec.devices.requests.size(); ++i) {
      const auto request = [&](Problem& p) -> v1::DeviceRequest& { return claim(p).requests[i]; };
      DropFrom([&](Problem& problem) -> auto& { return request(problem).first_available; });
      if (!problem_.claims[index]->spec.devices.requests[i].exactly.has_value()) continue;
      DropFrom([&](Problem& problem) -> auto& { return request(problem).exactly->selectors; });
      DropFrom([&](Problem& problem) -> auto& { return request(problem).exactly->tolerations; });
    }
  }

  void ShrinkSlice(size_t index) {
    const auto spec = [index](Problem& problem) -> v1::ResourceSliceSpec& {
      return Edit(problem.slices[index]).spec;
    };
    DropFrom([&](Problem& problem) -> auto& { return spec(problem).devices; });
    DropFrom([&](Problem& problem) -> auto& { return spec(problem).shared_counters; });
    for (size_t i = 0; i < problem_.slices[index]->spec.devices.size(); ++i) {
      const auto device = [&](Problem& p) -> v1::Device& { return spec(p).devices[i]; };
      DropFrom([&](Problem& problem) -> auto& { return device(problem).taints; });
      DropFrom([&](Problem& problem) -> auto& { return device(problem).attributes; });
      DropFrom([&](Problem& problem) -> auto& { return device(problem).capacity; });
      DropFrom([&](Problem& problem) -> auto& { return device(problem).consumes_counters; });
      DropFrom([&](Problem& problem) -> auto& { return device(problem).binding_conditions; });
    }
  }

  /// A copy of the object that is not shared.
  template <class T>
  static T& Edit(Frozen<T>& object) {
    auto copy = std::make_shared<T>(*object);
    T& editable = *copy;
    object = std::move(copy);
    return editable;
  }

  /// Tries to leave out each item of the container that `find` returns for a problem.
  template <class Find>
  void DropFrom(const Find& find) {
    Problem probe = problem_;
    for (size_t i = find(probe).size(); i-- > 0;) {
      Problem without = problem_;
      auto& items = find(without);
      if constexpr (requires { items.erase(items.begin()); }) {
        items.erase(std::next(items.begin(), static_cast<std::ptrdiff_t>(i)));
      } else {
        auto rest = items.items();
        rest.erase(std::next(rest.begin(), static_cast<std::ptrdiff_t>(i)));
        items = std::move(rest);
      }
      Keep(std::move(without));
    }
  }

  void Keep(Problem smaller) {
    if (!is_bad_(smaller)) return;
    problem_ = std::move(smaller);
    changed_ = true;
  }

  Problem problem_;
  const IsBad& is_bad_;
  bool changed_ = false;
};

}  // namespace

Problem Shrink(Problem problem, const std::function<bool(const Problem&)>& is_bad) {
  return Shrinker(std::move(problem), is_bad).Run();
}

}  // namespace dray::judges
