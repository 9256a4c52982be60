// SPDX-License-Identifier: Apache-2.0
// Bytes written by upstream's types, as kube-apiserver stores them in etcd: a store of Dray reads
// them as the object of the JSON form, in the struct of its hub.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/conversion/conversion.h"
#include "api/defaults/defaults.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "server/storage/stored_object.h"
#include "store/record.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

/// The kind of an envelope, if objects of it are stored.
const api::KindInfo* StoredKind(std::string_view envelope) {
  const auto read = api::ReadProtobufEnvelope(envelope);
  if (!read.has_value()) return nullptr;
  const api::KindInfo* kind = api::Scheme().FindKind(read->meta.api_version, read->meta.kind);
  return kind == nullptr || !kind->served || kind->create_only ? nullptr : kind;
}

std::string HubJson(const api::KindInfo& kind, std::string_view json) {
  Result<api::Object> object = api::DecodeJson(kind, json, nullptr);
  if (!object.has_value()) return object.error().message;
  object->mutable_metadata().resource_version = "7";
  if (&kind != &kind.storage()) api::defaults::SetDefaults(*object, api::Time());
  return api::ToJson(api::conversion::ToHub(*object), {.stored = true});
}

std::string RecoveredJson(const api::KindInfo& kind, std::string_view envelope) {
  const Frozen<store::Record> record =
      store::MakeRecord({.key = "k",
                         .value = server::storage::ReadStored("k", envelope),
                         .created = Revision{5},
                         .modified = Revision{7}});
  const auto item = server::storage::ItemOf(server::storage::View::OfStorage(kind), *record);
  if (!item.has_value()) return item.error().message;
  if (!item->has_value()) return "of another generation";
  return api::ToJson((*item)->object, {.stored = true});
}

TEST(StoredVectors, UpstreamsStoredObjectsAreReadBack) {
  const std::string root = SharedFolder() + "/vectors/api";
  Disk& disk = RealWorld().disk;
  if (!disk.IsFolder(root)) GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  size_t read = 0;
  for (const std::string& release : *disk.List(root)) {
    const std::string folder = fmt::format("{}/{}", root, release);
    if (!disk.IsFolder(folder)) continue;
    for (const std::string& name : *disk.List(folder)) {
      if (!name.ends_with(".pb") || name.find(".after_roundtrip") != std::string::npos) continue;
      SCOPED_TRACE(fmt::format("{}/{}", release, name));
      const std::string envelope = *disk.Read(fmt::format("{}/{}", folder, name));
      const api::KindInfo* kind = StoredKind(envelope);
      if (kind == nullptr) continue;
      const std::string stem = name.substr(0, name.size() - 3);
      const std::string json = *disk.Read(fmt::format("{}/{}.json", folder, stem));
      EXPECT_EQ(RecoveredJson(*kind, envelope), HubJson(*kind, json));
      ++read;
    }
  }
  EXPECT_GT(read, 0U);
  fmt::print("{} stored objects read back\n", read);
}

}  // namespace
}  // namespace dray::vectors
