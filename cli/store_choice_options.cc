// SPDX-License-Identifier: Apache-2.0
#include "cli/store_choice_options.h"

#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>

namespace dray::cli {

void AddStoreChoice(CLI::App& command, control_plane::StoreChoice& choice) {
  command
      .add_option("--data-dir",
                  choice.data_folder,
                  "folder of the store, certificates and kubeconfig (default: ~/.dray)")
      ->type_name("FOLDER");
  AddEtcdChoice(command, choice);
}

void AddEtcdChoice(CLI::App& command, control_plane::StoreChoice& choice) {
  command
      .add_option("--etcd-servers",
                  choice.etcd_servers,
                  "keep objects in etcd: URLs of its members, comma-separated")
      ->delimiter(',')
      ->type_name("URLS");
  command.add_option("--etcd-cafile", choice.etcd_ca_file, "who signed etcd's certificate (PEM)")
      ->type_name("FILE");
  command.add_option("--etcd-certfile", choice.etcd_certificate_file, "our certificate for etcd")
      ->type_name("FILE");
  command.add_option("--etcd-keyfile", choice.etcd_key_file, "the key of that certificate")
      ->type_name("FILE");
}

void UseDefaultFolder(control_plane::StoreChoice& choice) {
  if (!choice.data_folder.empty()) return;
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): no thread yet
  choice.data_folder = std::string(home == nullptr ? "." : home) + "/.dray";
}

}  // namespace dray::cli
