// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/file_names.h"

#include <utility>

#include "base/result.h"
#include "manifests/documents.h"
#include "manifests/files.h"

namespace dray::cli::inline command_line {
namespace {

void AddNames(const std::string& text, std::vector<FileName>& names) {
  for (const manifests::Document& document :
       manifests::DocumentsIn(text, manifests::WithLines::kNo)) {
    if (document.failure.has_value() || document.json == "null") continue;
    const auto objects = manifests::ObjectsIn(document.json);
    if (!objects) continue;
    for (const manifests::ObjectText& object : *objects) {
      manifests::WrittenName written = manifests::NameIn(object.json);
      names.push_back({.kind = object.type.kind,
                       .namespace_ = std::move(written.namespace_),
                       .name = std::move(written.name)});
    }
  }
}

}  // namespace

std::vector<FileName> NamesInFiles(Disk& disk, std::span<const std::string> paths) {
  std::vector<FileName> names;
  size_t bytes = 0;
  for (const std::string& path : paths) {
    if (path == "-" || disk.Look(path, path) == Disk::Entry::kOther) continue;
    const auto files = manifests::ManifestFiles(disk, std::span(&path, 1));
    if (!files) continue;
    for (const std::string& file : *files) {
      const Result<std::string> text = manifests::ReadManifestFile(disk, file);
      if (!text) continue;
      bytes += text->size();
      if (bytes > kCompletedBytesMax) return names;
      AddNames(*text, names);
    }
  }
  return names;
}

}  // namespace dray::cli::inline command_line
