// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/known_types.h"

#include <string>

namespace dray::custom::definitions {
namespace {

// Formats of texts without their dashes: "date-time" and "datetime" are one.
constexpr std::array<std::string_view, 26> kTextFormats = {
    "bsonobjectid", "byte",        "cidr",         "creditcard", "date",     "datetime", "duration",
    "email",        "hexcolor",    "hostname",     "ipv4",       "ipv6",     "isbn",     "isbn10",
    "isbn13",       "k8slongname", "k8sshortname", "mac",        "password", "rgbcolor", "ssn",
    "uri",          "uuid",        "uuid3",        "uuid4",      "uuid5"};

}  // namespace

bool IsKnownFormat(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::string plain(format);
  std::erase(plain, '-');
  return IsIn(kTextFormats, plain);
}

}  // namespace dray::custom::definitions
