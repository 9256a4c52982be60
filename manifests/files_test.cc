// SPDX-License-Identifier: Apache-2.0
// Which entries of a folder are read if another user has filled it.
#include "manifests/files.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/world.h"

namespace dray::manifests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FilledFolder : public ::testing::Test {
 protected:
  FilledFolder() {
    std::filesystem::create_directories(root_ + "/in/deep");
    std::filesystem::create_directory(root_ + "/out");
    for (const char* name : {"/in/a.yaml", "/in/deep/b.json", "/out/c.yaml", "/in/no.txt"})
      std::ofstream(root_ + name) << "{}";
  }
  ~FilledFolder() override { std::filesystem::remove_all(root_); }

  std::string in(const std::string& name) const { return root_ + "/in/" + name; }

  Result<std::vector<std::string>> Found(const std::string& path) {
    skipped_.clear();
    return ManifestFiles(RealWorld().disk, std::vector{path}, [&](const std::string& line) {
      skipped_.push_back(line);
    });
  }

  const std::string root_ = ::testing::TempDir() + "dray-files-" + NewUuid(RealWorld().random);
  std::vector<std::string> skipped_;
};

TEST_F(FilledFolder, PipesSocketsAndDevicesAreSkipped) {
  ASSERT_EQ(mkfifo(in("pipe.yaml").c_str(), 0600), 0);
  const Descriptor sock(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = in("s.yml");
  ASSERT_LT(name.size(), sizeof(address.sun_path));
  name.copy(static_cast<char*>(address.sun_path), name.size());
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what the call wants
  ASSERT_EQ(bind(sock.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT(Found(in("")).value(), ElementsAre(in("a.yaml"), in("deep/b.json")));
  EXPECT_THAT(skipped_,
              ElementsAre(in("pipe.yaml") + ": skipped: it is a device, a pipe or a socket",
                          in("s.yml") + ": skipped: it is a device, a pipe or a socket"));
  EXPECT_THAT(Found(in("pipe.yaml")).value(), ElementsAre(in("pipe.yaml"))) << "named itself";
}

TEST_F(FilledFolder, LinksThatStayInsideAreFollowedAndOthersSkipped) {
  std::filesystem::create_symlink("a.yaml", in("same.yaml"));
  std::filesystem::create_directory_symlink("deep", in("link"));
  EXPECT_THAT(Found(root_ + "/in").value(),
              ElementsAre(in("a.yaml"), in("deep/b.json"), in("link/b.json"), in("same.yaml")));
  EXPECT_THAT(skipped_, IsEmpty());

  std::filesystem::create_symlink("../../out/c.yaml", in("deep/out.yaml"));
  std::filesystem::create_symlink("/dev/zero", in("endless.yaml"));
  std::filesystem::create_directory_symlink(root_ + "/out", in("outside"));
  EXPECT_THAT(Found(root_ + "/in").value(),
              ElementsAre(in("a.yaml"), in("deep/b.json"), in("link/b.json"), in("same.yaml")));
  const std::string why = ": skipped: it is a link out of the folder";
  EXPECT_THAT(skipped_,
              ElementsAre(in("deep/out.yaml") + why,
                          in("endless.yaml") + why,
                          in("link/out.yaml") + why,
                          in("outside") + why));
}

TEST_F(FilledFolder, AFolderThatIsALinkItselfIsRead) {
  std::filesystem::create_directory_symlink("in", root_ + "/link");
  EXPECT_THAT(Found(root_ + "/link").value(),
              ElementsAre(root_ + "/link/a.yaml", root_ + "/link/deep/b.json"));
  EXPECT_THAT(skipped_, IsEmpty());
}

}  // namespace
}  // namespace dray::manifests
