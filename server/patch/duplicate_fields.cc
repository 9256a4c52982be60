// SPDX-License-Identifier: Apache-2.0
#include "server/patch/duplicate_fields.h"

#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_place.h"
#include "api/codec/json_reader.h"
#include "api/text/go_quote.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {
namespace {

class Finder {
 public:
  explicit Finder(std::string_view json) : reader_(json) {}

  std::vector<std::string> Find() {
    Value(nullptr, 0);
    if (reader_.failed() || too_deep_) return {};
    return std::move(found_);
  }

 private:
  void Value(const api::JsonPlace* place, size_t depth) {
    if (depth > kDepthMax) too_deep_ = true;
    if (too_deep_ || reader_.failed()) return;
    const api::JsonKind kind = reader_.Peek();
    if (kind == api::JsonKind::kObject) {
      Object(place, depth);
    } else if (kind == api::JsonKind::kArray) {
      Array(place, depth);
    } else {
      reader_.Skip();
    }
  }

  void Object(const api::JsonPlace* outer, size_t depth) {
    std::set<std::string_view> seen;
    api::JsonPlace place{.outer = outer, .name = {}};
    reader_.EnterObject();
    while (!too_deep_ && reader_.NextKey(place.name)) {
      const bool is_new = seen.insert(place.name).second;
      if (!is_new && found_.size() < api::kDecodeIssuesMax) {
        found_.push_back(fmt::format("duplicate field {}", api::GoQuote(PathOf(&place))));
      }
      Value(&place, depth + 1);
    }
  }

  void Array(const api::JsonPlace* outer, size_t depth) {
    api::JsonPlace place{.outer = outer, .name = {}};
    reader_.EnterArray();
    for (; !too_deep_ && reader_.NextElement(); ++place.index) Value(&place, depth + 1);
  }

  api::JsonReader reader_;
  bool too_deep_ = false;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> DuplicateFields(std::string_view json) {
  return Finder(json).Find();
}

}  // namespace dray::server::patch
