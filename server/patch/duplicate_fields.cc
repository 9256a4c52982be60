// SPDX-License-Identifier: Apache-2.0
#include "server/patch/duplicate_fields.h"

#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "server/patch/json_tree.h"

namespace dray::server::patch {
namespace {

class Finder {
 public:
  explicit Finder(std::string_view json) : reader_(json) {}

  std::vector<std::string> Find() {
    Value("", 0);
    if (reader_.failed() || too_deep_) return {};
    return std::move(found_);
  }

 private:
  void Value(const std::string& path, size_t depth) {
    if (depth > kDepthMax) too_deep_ = true;
    if (too_deep_ || reader_.failed()) return;
    const api::JsonKind kind = reader_.Peek();
    if (kind == api::JsonKind::kObject) {
      Object(path, depth);
    } else if (kind == api::JsonKind::kArray) {
      Array(path, depth);
    } else {
      reader_.Skip();
    }
  }

  void Object(const std::string& path, size_t depth) {
    std::set<std::string> seen;
    std::string key;
    reader_.EnterObject();
    while (!too_deep_ && reader_.NextKey(key)) {
      const std::string inner = path.empty() ? key : fmt::format("{}.{}", path, key);
      if (!seen.insert(key).second) found_.push_back(fmt::format("duplicate field \"{}\"", inner));
      Value(inner, depth + 1);
    }
  }

  void Array(const std::string& path, size_t depth) {
    reader_.EnterArray();
    for (size_t i = 0; !too_deep_ && reader_.NextElement(); ++i) {
      Value(fmt::format("{}[{}]", path, i), depth + 1);
    }
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
