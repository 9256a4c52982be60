// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/case_files.h"

#include <boost/json.hpp>

namespace dray::vectors {

Result<> ForEachCase(Disk& disk,
                     const std::vector<std::string>& files,
                     const std::function<void(const boost::json::object&)>& visit) {
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, disk.Read(file));
    boost::system::error_code error;
    const boost::json::value cases = boost::json::parse(text, error);
    if (error || !cases.is_array()) {
      return Fail(StatusReason::kBadRequest, file + ": not an array of vectors");
    }
    for (const boost::json::value& one : cases.as_array()) {
      if (const auto* test = one.if_object()) visit(*test);
    }
  }
  return {};
}

std::string_view TextOf(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                : std::string_view();
}

const boost::json::array& ListOf(const boost::json::object& object, std::string_view name) {
  static const boost::json::array kNone;
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

}  // namespace dray::vectors
