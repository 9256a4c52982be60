// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/store_choice_options.h"

#include <cstdlib>
#include <string>

namespace dray::cli::inline stores {

void AddStoreChoice(Command& command, control_plane::StoreChoice& choice) {
  command.Text("--data-dir FOLDER",
               choice.data_folder,
               "folder of the store, certificates and kubeconfig (default: ~/.dray)");
  AddEtcdChoice(command, choice);
}

void AddEtcdChoice(Command& command, control_plane::StoreChoice& choice) {
  command.List("--etcd-servers URLS",
               choice.etcd_servers,
               "keep objects in etcd: URLs of its members, comma-separated");
  command.Text("--etcd-cafile FILE", choice.etcd_ca_file, "who signed etcd's certificate (PEM)");
  command.Text("--etcd-certfile FILE", choice.etcd_certificate_file, "our certificate for etcd");
  command.Text("--etcd-keyfile FILE", choice.etcd_key_file, "the key of that certificate");
}

void UseDefaultFolder(control_plane::StoreChoice& choice) {
  if (!choice.data_folder.empty()) return;
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): no thread yet
  choice.data_folder = std::string(home == nullptr ? "." : home) + "/.dray";
}

}  // namespace dray::cli::inline stores
