// SPDX-License-Identifier: Apache-2.0
#include "control_plane/credentials.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/base64.h"
#include "base/try.h"

namespace dray::control_plane {
namespace {

/// Reads the pair DATA/pki/NAME.crt and NAME.key; absent: there is no such certificate.
Result<net::tls::Credentials> Read(Disk& disk, const std::string& path) {
  net::tls::Credentials found;
  DRAY_TRY(found.certificate_pem, disk.Read(path + ".crt"));
  DRAY_TRY(found.key_pem, disk.Read(path + ".key"));
  return found;
}

Result<> Write(Disk& disk, const std::string& path, const net::tls::Credentials& credentials) {
  DRAY_TRY_VOID(disk.Write(path + ".key", credentials.key_pem, Disk::Privacy::kOwnerOnly));
  return disk.Write(path + ".crt", credentials.certificate_pem, Disk::Privacy::kEverybody);
}

bool HasNames(const net::tls::CertificateInfo& info, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::find(info.names, name) != info.names.end();
  });
}

/// Whether the stored certificate `name` is from our authority, has our names, and stays valid for
/// a while.
Result<bool> IsGood(const net::tls::Credentials& found,
                    std::string_view name,
                    const net::tls::Credentials& ca,
                    const std::vector<std::string>& names,
                    WallTime now) {
  DRAY_TRY(const net::tls::CertificateInfo info, net::tls::ReadCertificate(found.certificate_pem));
  const bool is_ours = name == "ca" || net::tls::BelongsTo(found, ca);
  const bool names_us = name != "apiserver" || HasNames(info, names);
  return is_ours && names_us && info.not_after > now + std::chrono::days(30);
}

}  // namespace

Result<ServerCredentials> LoadOrMakeCredentials(World& world,
                                                const std::string& data_folder,
                                                const std::vector<std::string>& names) {
  const std::string pki = data_folder + "/pki";
  DRAY_TRY_VOID(world.disk.MakeFolder(pki));
  const WallTime now = world.clock.Now();
  ServerCredentials credentials;
  const auto load =
      [&](const std::string& name, net::tls::Credentials& into, auto make) -> Result<> {
    Result<net::tls::Credentials> found = Read(world.disk, pki + "/" + name);
    if (found) {
      DRAY_TRY(const bool is_good, IsGood(*found, name, credentials.ca, names, now));
      if (is_good) {
        into = *std::move(found);
        return {};
      }
    } else if (found.error().reason != StatusReason::kNotFound) {
      return std::move(found).failure();
    }
    DRAY_TRY(into, make());
    return Write(world.disk, pki + "/" + name, into);
  };
  DRAY_TRY_VOID(
      load("ca", credentials.ca, [&] { return net::tls::MakeCa(world.random, now, {}); }));
  DRAY_TRY_VOID(load("apiserver", credentials.serving, [&] {
    return net::tls::MakeServingCertificate(world.random, now, credentials.ca, {.names = names});
  }));
  DRAY_TRY_VOID(load("admin", credentials.admin, [&] {
    return net::tls::MakeClientCertificate(
        world.random,
        now,
        credentials.ca,
        {.common_name = "kubernetes-admin", .organizations = {"system:masters"}});
  }));
  return credentials;
}

Result<std::string> WriteKubeconfig(World& world,
                                    const std::string& data_folder,
                                    const std::string& server_url,
                                    const std::string& authorities,
                                    const net::tls::Credentials& admin) {
  const std::string text = fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: dray\n"
      "  cluster:\n"
      "    server: {}\n"
      "    certificate-authority-data: {}\n"
      "users:\n"
      "- name: admin\n"
      "  user:\n"
      "    client-certificate-data: {}\n"
      "    client-key-data: {}\n"
      "contexts:\n"
      "- name: dray\n"
      "  context:\n"
      "    cluster: dray\n"
      "    user: admin\n"
      "current-context: dray\n",
      server_url,
      EncodeBase64(authorities),
      EncodeBase64(admin.certificate_pem),
      EncodeBase64(admin.key_pem));
  std::string path = data_folder + "/kubeconfig";
  DRAY_TRY_VOID(world.disk.Write(path, text, Disk::Privacy::kOwnerOnly));
  return path;
}

Result<net::tls::TokenKey> LoadOrMakeTokenKey(World& world,
                                              const std::string& data_folder,
                                              const std::string& file) {
  const std::string pki = data_folder + "/pki";
  const std::string path = file.empty() ? pki + "/sa.key" : file;
  Result<std::string> pem = world.disk.Read(path);
  const bool is_missing = !pem.has_value() && pem.error().reason == StatusReason::kNotFound;
  if (file.empty() && is_missing) {
    DRAY_TRY_VOID(world.disk.MakeFolder(pki));
    DRAY_TRY(pem, net::tls::MakeKey());
    DRAY_TRY_VOID(world.disk.Write(path, *pem, Disk::Privacy::kOwnerOnly));
  }
  if (!pem.has_value()) return std::move(pem).failure();
  Result<net::tls::TokenKey> key = net::tls::TokenKey::FromPem(*pem);
  if (key.has_value()) return key;
  return Fail(key.error().reason, fmt::format("{}: {}", path, key.error().message));
}

}  // namespace dray::control_plane
