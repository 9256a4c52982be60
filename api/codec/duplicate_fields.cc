// SPDX-License-Identifier: Apache-2.0
#include "api/codec/duplicate_fields.h"

#include <deque>
#include <set>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_place.h"
#include "api/codec/json_reader.h"
#include "api/text/go_quote.h"

namespace dray::api::inline codec {
namespace {

class Finder {
 public:
  Finder(std::string_view json, size_t depth_max) : reader_(json), depth_max_(depth_max) {}

  std::vector<std::string> Find() {
    do {
      if (!Enter()) reader_.Skip();
      while (!open_.empty() && !Advance()) open_.pop_back();
    } while (!open_.empty() && !too_deep_ && !reader_.failed());
    if (too_deep_ || reader_.failed()) return {};
    return std::move(found_);
  }

 private:
  // An object or list that is being read, and where in it the reader stands.
  struct Open {
    bool is_object;
    bool is_first = true;
    JsonPlace place;
    std::set<std::string_view> seen;
  };

  // Whether an object or list begins here. The next Advance() reads its contents.
  bool Enter() {
    const JsonKind kind = reader_.Peek();
    if (kind != JsonKind::kObject && kind != JsonKind::kArray) return false;
    too_deep_ = open_.size() == depth_max_;
    const JsonPlace* const outer = open_.empty() ? nullptr : &open_.back().place;
    const bool is_object = kind == JsonKind::kObject;
    if (is_object) {
      reader_.EnterObject();
    } else {
      reader_.EnterArray();
    }
    open_.push_back({.is_object = is_object, .place = {.outer = outer, .name = {}}, .seen = {}});
    return true;
  }

  // Goes on to the next member or element; false where there is none.
  bool Advance() {
    Open& open = open_.back();
    if (!open.is_object) {
      if (!open.is_first) ++open.place.index;
      open.is_first = false;
      return reader_.NextElement();
    }
    if (!reader_.NextKey(open.place.name)) return false;
    const bool is_new = open.seen.insert(open.place.name).second;
    if (!is_new && found_.size() < kDecodeIssuesMax) {
      found_.push_back(fmt::format("duplicate field {}", GoQuote(PathOf(&open.place))));
    }
    return true;
  }

  JsonReader reader_;
  size_t depth_max_;
  bool too_deep_ = false;
  std::deque<Open> open_;  // places point to places further out
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> DuplicateFields(std::string_view json, size_t depth_max) {
  return Finder(json, depth_max).Find();
}

}  // namespace dray::api::inline codec
