// SPDX-License-Identifier: Apache-2.0
// World: clock, random numbers and small files as arguments. Code that needs the time, random
// numbers or a file gets (a part of) a World from its caller, so a test can control them. Functions
// that make decisions take values instead of a World.
//
// A program has one RealWorld(), passed down from main. Tests use a SimulatedWorld
// (base/simulated_world.h), whose clock the test moves and whose random numbers come from a seed.
//
// Not included, because they need more than this: sockets, which belong to net/, and the files and
// connections of the stores, each behind an interface of its own (store/).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wall_time.h"

namespace dray {

/// Nanoseconds since an arbitrary start; never goes back.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
};

class Random {
 public:
  virtual ~Random() = default;
  /// Uniform over all 64-bit values. Safe from any thread.
  virtual uint64_t Next() = 0;
};

/// A file being written, which only its owner may read; removed again unless Finish was called.
class NewFile {
 public:
  virtual ~NewFile() = default;
  /// Errors: kInternalError  the disk is full, or failed.
  virtual Result<> Append(std::string_view bytes) = 0;
  /// Syncs file and folder, so that both survive a power cut. Call it once, last. Errors: as of
  /// Append.
  virtual Result<> Finish() = 0;
};

/// A file that grows at its end, such as a log; only its owner may read it.
class GrowingFile {
 public:
  virtual ~GrowingFile() = default;
  /// The bytes survive the end of the process, but not a power cut. Errors: as of NewFile::Append.
  virtual Result<> Append(std::string_view bytes) = 0;
  virtual uint64_t size() const = 0;
};

/// Files: small ones as a whole (certificates, kubeconfigs, manifests), and long ones in pieces.
class Disk {
 public:
  virtual ~Disk() = default;
  enum class Privacy : uint8_t { kEverybody, kOwnerOnly };

  /// Limit of Read. It also ends reading from endless sources (a device, an open pipe).
  static constexpr uint64_t kReadBytesMax = uint64_t{512} << 20U;
  /// Errors: kNotFound  no such file. kForbidden  may not be read. kInternalError  anything else.
  ///         kRequestEntityTooLarge  it has more than kReadBytesMax.
  virtual Result<std::string> Read(const std::string& path) = 0;
  /// Replaces the file in one step (write aside, rename): readers see the old or the new one.
  virtual Result<> Write(const std::string& path, std::string_view bytes, Privacy privacy) = 0;
  /// Creates a file, to be written piece by piece, of any length. Errors: kAlreadyExists  it
  /// exists. kNotFound, kForbidden, kInternalError  the system's text.
  virtual Result<std::unique_ptr<NewFile>> MakeFile(const std::string& path) = 0;
  /// Opens a file for appending, or creates it; removes the rights of group and others to it.
  /// Errors: kNotFound  no such folder. kForbidden, kInternalError  the system's text.
  virtual Result<std::unique_ptr<GrowingFile>> OpenGrowing(const std::string& path) = 0;
  /// Gives a file another name, in the same folder. Open files are not affected. Errors: kNotFound,
  /// kForbidden, kInternalError  the system's text.
  virtual Result<> Rename(const std::string& from, const std::string& to) = 0;
  /// Errors: as of Rename.
  virtual Result<> Remove(const std::string& path) = 0;
  virtual Result<> MakeFolder(const std::string& path) = 0;
  /// Names of the entries of a folder, sorted.
  virtual Result<std::vector<std::string>> List(const std::string& path) = 0;
  virtual bool IsFolder(const std::string& path) = 0;

  enum class Entry : uint8_t {
    kFile,  // a file, or nothing; reading it reports the difference
    kFolder,
    kOther,    // a device, a pipe or a socket; reading may block, or never end
    kOutside,  // a link to a target outside the folder
  };
  /// The kind of `path`, which is in the folder `folder`; follows links.
  virtual Entry Look(const std::string& path, const std::string& /*folder*/) {
    return IsFolder(path) ? Entry::kFolder : Entry::kFile;
  }
};

/// References, not owners. The owner of the parts must outlive all users of the World.
struct World {
  Clock& clock;
  Random& random;
  Disk& disk;
};

/// The machine's own clock, entropy and files; for main() and benchmarks.
World& RealWorld();

/// A random (version 4) UUID in its text form, RFC 9562.
std::string NewUuid(Random& random);

}  // namespace dray
