// SPDX-License-Identifier: Apache-2.0
// How this program was built; cmake/build_facts.cmake generates the values.
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
  std::string_view commit;      // empty: built outside a git repository
  bool is_modified;             // the sources differed from the commit
  std::string_view compiler;    // "clang 19.1.7"
  std::string_view platform;    // "linux/x86_64"
  std::string_view build_type;  // "Release"
  std::string_view linked;      // "shared" or "static"
  std::span<const Library> libraries;
};

BuildFacts FactsOfBuild();

}  // namespace dray::cli::inline command_line
