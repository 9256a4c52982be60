// SPDX-License-Identifier: Apache-2.0
// dray version: prints the version and how the program was built.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "cli/command_line/build_facts.h"
#include "cli/command_line/commands.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline command_line {
namespace {

constexpr const char* kKubernetes = "1.37";
constexpr const char* kAllocatorProfile = "v0.37.2";

std::string FactsAsJson(const BuildFacts& facts) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("version", facts.version);
      if (!facts.commit.empty()) {
        json.Member("commit", facts.commit);
        json.Member("modified", facts.is_modified);
      }
      json.Member("kubernetes", kKubernetes);
      json.Member("allocatorProfile", kAllocatorProfile);
      json.Member("platform", facts.platform);
      json.Member("compiler", facts.compiler);
      json.Member("buildType", facts.build_type);
      json.Member("linked", facts.linked);
      json.Member("libraries").Object([&] {
        for (const Library& library : facts.libraries) json.Member(library.name, library.version);
      });
    });
  });
}

void PrintVersion(OutputFormat format, const Output& output) {
  if (format == OutputFormat::kText) {
    fmt::print(output.out, "{}\n", VersionLine());
  } else {
    output.Document(format, FactsAsJson(FactsOfBuild()));
  }
}

}  // namespace

void AddVersion(Command& program) {
  const auto format = std::make_shared<std::string>("text");
  Command& command = program.Add("version", "print the version");
  command
      .Text("-o, --output",
            *format,
            "text, or json or yaml: with commit, compiler and versions of libraries")
      .OneOf({"text", "json", "yaml"})
      .ShowsDefault();
  command.Notes("Example:\n  dray version -o json");
  command.Does([format](World&, const Output& output) {
    PrintVersion(FormatOf(*format), output);
    return kExitYes;
  });
}

std::string VersionLine() {
  return fmt::format("dray {} (Kubernetes API {}, allocator profile {})",
                     FactsOfBuild().version,
                     kKubernetes,
                     kAllocatorProfile);
}

}  // namespace dray::cli::inline command_line
