// SPDX-License-Identifier: Apache-2.0
// For programs with gRPC in a module, which is beside the program after a build, or where a package
// installs it.
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/result.h"
#include "store/etcd/rpc/connection.h"

namespace dray::store::etcd::rpc {

Result<MakeClient*> FindGrpc() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const fs::path beside = folder / "dray-etcd.so";
  const fs::path installed = folder.parent_path() / "lib/dray/dray-etcd.so";
  for (const fs::path& place : {beside, installed}) {
    if (fs::exists(place, unknown)) return LoadModule(place.string());
  }
  return Fail(StatusReason::kNotFound,
              fmt::format("for etcd, this program needs {}, which is a part of the package",
                          installed.string()));
}

}  // namespace dray::store::etcd::rpc
