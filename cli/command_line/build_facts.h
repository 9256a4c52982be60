// SPDX-License-Identifier: Apache-2.0
// What this program was built from, and with what: cmake/build_facts.cmake writes it down.
#pragma once

#include <span>
#include <string_view>

namespace dray::cli::inline command_line {

/// A library that the program contains or loads.
struct Library {
  std::string_view name, version;
};

struct BuildFacts {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // empty: built from a copy without history
  bool is_modified;             // the sources were not those of the commit
  std::string_view compiler;    // "clang 19.1.7"
  std::string_view platform;    // "linux/x86_64"
  std::string_view build_type;  // "Release"
  std::string_view linked;      // "shared" or "static"
  std::span<const Library> libraries;
};

BuildFacts FactsOfBuild();

}  // namespace dray::cli::inline command_line
