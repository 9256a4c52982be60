// SPDX-License-Identifier: Apache-2.0
// Files of vectors, compressed or not; those that are JSON arrays, one object a case; and the
// members of cases. tests/data/vectors/README.md names the origin of ours.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "base/world.h"

namespace dray::vectors {

/// The contents of a file of vectors, decompressed if its name ends in .gz. Errors: kBadRequest
/// not in gzip's form, or larger than the limit; errors of the disk.
Result<std::string> ReadVectors(Disk& disk, const std::string& path);

/// Errors: kBadRequest  not in gzip's form, or larger than any of ours when decompressed.
Result<std::string> Gunzip(std::string_view bytes);

/// The files of a folder with that ending, or that ending and .gz, in the order of their names.
Result<std::vector<std::string>> VectorFilesIn(Disk& disk,
                                               const std::string& folder,
                                               std::string_view ending);

/// Why cases are left out, by name.
using Reasons = std::map<std::string, std::string, std::less<>>;

/// Reads a file with "name: why" in each line; # begins a comment. Empty if `file` is empty.
/// Errors: kBadRequest  another line; errors of the disk.
Result<Reasons> ReadReasons(Disk& disk, const std::string& file);

/// Calls `visit` for every case of every file, in order; skips elements that are no objects.
/// Errors: kBadRequest  a file is not a JSON array; errors of the disk.
Result<> ForEachCase(Disk& disk,
                     const std::vector<std::string>& files,
                     const std::function<void(const boost::json::object&)>& visit);

/// The text member `name`, or empty; the list `name`, or an empty one.
std::string_view TextOf(const boost::json::object& object, std::string_view name);
const boost::json::array& ListOf(const boost::json::object& object, std::string_view name);

}  // namespace dray::vectors
