// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/result.h"
#include "store/etcd/rpc/connection.h"

namespace dray::store::etcd::rpc {

// Finds the function that module_entry.cc exports. Program and module are of one build, so they
// agree about every type.
Result<MakeClient*> LoadModule(const std::string& path) {
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): of this thread's last call
    return Fail(StatusReason::kNotFound, fmt::format("{} cannot be loaded: {}", path, dlerror()));
  }
  const auto* const version = static_cast<const char*>(dlsym(module, "dray_etcd_version"));
  if (version == nullptr || std::string_view(version) != DRAY_VERSION) {
    return Fail(StatusReason::kNotFound,
                fmt::format("{} is not the module of Dray {}", path, DRAY_VERSION));
  }
  return *static_cast<MakeClient* const*>(dlsym(module, "dray_etcd_make_client"));
}

}  // namespace dray::store::etcd::rpc
