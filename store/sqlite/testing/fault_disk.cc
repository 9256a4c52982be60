// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/testing/fault_disk.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"
#include "base/mutex.h"
#include "base/simulated_world.h"
#include "store/sqlite/testing/fault_file.h"

namespace dray::store::sqlite::testing {

class FaultDisk::State {
 public:
  State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { sqlite3_vfs_unregister(&vfs_); }

  const std::string& name() const { return name_; }

  void SetPlan(Plan plan) {
    const MutexLock lock(mutex_);
    plan_ = std::move(plan);
  }
  uint64_t calls() const {
    const MutexLock lock(mutex_);
    return calls_;
  }
  void SetRoom(int64_t bytes) {
    const MutexLock lock(mutex_);
    room_ = bytes;
  }
  void CutPower(Unsynced unsynced, uint64_t seed);
  std::string Contents(const std::string& file) const {
    const MutexLock lock(mutex_);
    const auto found = files_.find(file);
    return found == files_.end() ? "" : found->second->contents();
  }
  void Damage(const std::string& file, uint64_t offset, std::string_view bytes) {
    const MutexLock lock(mutex_);
    FaultFile& damaged = *files_.at(file);
    damaged.Write(offset, bytes);
    damaged.Sync();
  }

  int Open(const std::string& name, int flags, std::shared_ptr<FaultFile>& file);
  int Delete(const std::string& name, bool durable);
  bool Exists(const std::string& name) const {
    const MutexLock lock(mutex_);
    return files_.contains(name);
  }
  int Read(const FaultFile& file, void* to, size_t size, size_t offset) const;
  int Write(FaultFile& file, const std::string& name, std::string_view bytes, size_t offset);
  int Truncate(FaultFile& file, const std::string& name, size_t size);
  int Sync(FaultFile& file, const std::string& name);

  /// The lock of the state, for functions that are no calls of the disk: locks and shared memory.
  Mutex& mutex() const { return mutex_; }

 private:
  Fault Ask(Call call, const std::string& name);

  sqlite3_vfs vfs_{};
  std::string name_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<FaultFile>> files_ DRAY_GUARDED_BY(mutex_);
  /// Files that were deleted, without a sync of their folder since.
  std::map<std::string, std::shared_ptr<FaultFile>> ghosts_ DRAY_GUARDED_BY(mutex_);
  Plan plan_ DRAY_GUARDED_BY(mutex_);
  uint64_t calls_ DRAY_GUARDED_BY(mutex_) = 0;
  int64_t room_ DRAY_GUARDED_BY(mutex_) = INT64_MAX;
  bool dead_ DRAY_GUARDED_BY(mutex_) = false;
};

namespace {

/// An open file of SQLite, which allocates the memory. Close frees `file` and `name`.
struct OpenFile {
  sqlite3_file base;
  void* state;
  std::shared_ptr<FaultFile>* file;
  std::string* name;
};

}  // namespace

/// The functions SQLite calls.
struct FaultCalls {
  using State = FaultDisk::State;

  static OpenFile& Of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
  static State& StateOf(sqlite3_file* file) { return *static_cast<State*>(Of(file).state); }
  static State& StateOf(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }
  static sqlite3_vfs* System() { return sqlite3_vfs_find(nullptr); }

  static int Close(sqlite3_file* file) {
    OpenFile& open = Of(file);
    {
      const MutexLock lock(StateOf(file).mutex());
      (*open.file)->Unlock(&open, SQLITE_LOCK_NONE);
    }
    std::default_delete<std::shared_ptr<FaultFile>>()(open.file);
    std::default_delete<std::string>()(open.name);
    return SQLITE_OK;
  }
  static int Read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    return StateOf(file).Read(
        **Of(file).file, to, static_cast<size_t>(size), static_cast<size_t>(offset));
  }
  static int Write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    return StateOf(file).Write(**Of(file).file,
                               *Of(file).name,
                               {static_cast<const char*>(from), static_cast<size_t>(size)},
                               static_cast<size_t>(offset));
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    return StateOf(file).Truncate(**Of(file).file, *Of(file).name, static_cast<size_t>(size));
  }
  static int Sync(sqlite3_file* file, int /*flags*/) {
    return StateOf(file).Sync(**Of(file).file, *Of(file).name);
  }
  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    const MutexLock lock(StateOf(file).mutex());
    *size = static_cast<sqlite3_int64>((*Of(file).file)->contents().size());
    return SQLITE_OK;
  }
  static int Lock(sqlite3_file* file, int level) {
    const MutexLock lock(StateOf(file).mutex());
    return (*Of(file).file)->Lock(file, level) ? SQLITE_OK : SQLITE_BUSY;
  }
  static int Unlock(sqlite3_file* file, int level) {
    const MutexLock lock(StateOf(file).mutex());
    (*Of(file).file)->Unlock(file, level);
    return SQLITE_OK;
  }
  static int CheckReserved(sqlite3_file* file, int* reserved) {
    const MutexLock lock(StateOf(file).mutex());
    *reserved = (*Of(file).file)->has_reserved() ? 1 : 0;
    return SQLITE_OK;
  }
  static int Control(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) {
    return SQLITE_NOTFOUND;
  }
  static int SectorSize(sqlite3_file* /*file*/) { return FaultFile::kSectorBytes; }
  static int Characteristics(sqlite3_file* /*file*/) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static int ShmMap(sqlite3_file* file, int region, int size, int extend, volatile void** at) {
    const MutexLock lock(StateOf(file).mutex());
    (*Of(file).file)->AttachShared(file);
    *at = (*Of(file).file)
              ->SharedRegion(static_cast<size_t>(region), static_cast<size_t>(size), extend != 0);
    return SQLITE_OK;
  }
  static int ShmLock(sqlite3_file* file, int first, int count, int flags) {
    const MutexLock lock(StateOf(file).mutex());
    FaultFile& locked = **Of(file).file;
    const auto from = static_cast<size_t>(first);
    const auto size = static_cast<size_t>(count);
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      locked.UnlockShared(file, from, size);
      return SQLITE_OK;
    }
    const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    return locked.LockShared(file, from, size, exclusive) ? SQLITE_OK : SQLITE_BUSY;
  }
  static void ShmBarrier(sqlite3_file* /*file*/) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  static int ShmUnmap(sqlite3_file* file, int /*remove*/) {
    const MutexLock lock(StateOf(file).mutex());
    (*Of(file).file)->DetachShared(file);
    return SQLITE_OK;
  }

  static int Open(
      sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out);
  static int Delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    return StateOf(vfs).Delete(name, sync_folder != 0);
  }
  static int Access(sqlite3_vfs* vfs, const char* name, int /*flags*/, int* result) {
    *result = StateOf(vfs).Exists(name) ? 1 : 0;
    return SQLITE_OK;
  }
  static int FullPath(sqlite3_vfs* /*vfs*/, const char* name, int size, char* to) {
    const int written = std::snprintf(to, static_cast<size_t>(size), "%s", name);
    return written < size ? SQLITE_OK : SQLITE_CANTOPEN;
  }
  static int Randomness(sqlite3_vfs* /*vfs*/, int size, char* to) {
    return System()->xRandomness(System(), size, to);
  }
  static int Sleep(sqlite3_vfs* /*vfs*/, int micros) { return System()->xSleep(System(), micros); }
  static int Now(sqlite3_vfs* /*vfs*/, double* now) {
    return System()->xCurrentTime(System(), now);
  }
  static int LastError(sqlite3_vfs* /*vfs*/, int /*size*/, char* /*to*/) { return 0; }
};

namespace {

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = FaultCalls::Close,
    .xRead = FaultCalls::Read,
    .xWrite = FaultCalls::Write,
    .xTruncate = FaultCalls::Truncate,
    .xSync = FaultCalls::Sync,
    .xFileSize = FaultCalls::FileSize,
    .xLock = FaultCalls::Lock,
    .xUnlock = FaultCalls::Unlock,
    .xCheckReservedLock = FaultCalls::CheckReserved,
    .xFileControl = FaultCalls::Control,
    .xSectorSize = FaultCalls::SectorSize,
    .xDeviceCharacteristics = FaultCalls::Characteristics,
    .xShmMap = FaultCalls::ShmMap,
    .xShmLock = FaultCalls::ShmLock,
    .xShmBarrier = FaultCalls::ShmBarrier,
    .xShmUnmap = FaultCalls::ShmUnmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

}  // namespace

int FaultCalls::Open(
    sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  OpenFile& open = Of(file);
  open.base.pMethods = nullptr;
  DRAY_CHECK(name != nullptr);  // temporary files: the store has none (temp_store=MEMORY)
  std::shared_ptr<FaultFile> opened;
  const int code = StateOf(vfs).Open(name, flags, opened);
  if (code != SQLITE_OK) return code;
  open.base.pMethods = &kMethods;
  open.state = vfs->pAppData;
  open.file = std::make_unique<std::shared_ptr<FaultFile>>(std::move(opened)).release();
  open.name = std::make_unique<std::string>(name).release();
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

FaultDisk::State::State() : name_(fmt::format("dray-fault-{}", static_cast<void*>(this))) {
  constexpr int kPathBytesMax = 512;
  vfs_ = {.iVersion = 1,
          .szOsFile = sizeof(OpenFile),
          .mxPathname = kPathBytesMax,
          .zName = name_.c_str(),
          .pAppData = this,
          .xOpen = FaultCalls::Open,
          .xDelete = FaultCalls::Delete,
          .xAccess = FaultCalls::Access,
          .xFullPathname = FaultCalls::FullPath,
          .xRandomness = FaultCalls::Randomness,
          .xSleep = FaultCalls::Sleep,
          .xCurrentTime = FaultCalls::Now,
          .xGetLastError = FaultCalls::LastError};
  DRAY_CHECK(sqlite3_vfs_register(&vfs_, /*makeDflt=*/0) == SQLITE_OK);
}

FaultDisk::Fault FaultDisk::State::Ask(Call call, const std::string& name) {
  Plan plan;
  uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = calls_++;
    if (dead_) return Fault::kPowerCut;
    plan = plan_;
  }
  return plan ? plan(number, call, name) : Fault::kNone;
}

int FaultDisk::State::Open(const std::string& name, int flags, std::shared_ptr<FaultFile>& file) {
  const MutexLock lock(mutex_);
  if (dead_) return SQLITE_IOERR;
  const auto found = files_.find(name);
  if (found == files_.end()) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    file = files_.emplace(name, std::make_shared<FaultFile>()).first->second;
  } else {
    file = found->second;
  }
  return SQLITE_OK;
}

int FaultDisk::State::Delete(const std::string& name, bool durable) {
  const Fault fault = Ask(Call::kDelete, name);
  const MutexLock lock(mutex_);
  if (fault == Fault::kPowerCut || fault == Fault::kTornPowerCut) dead_ = true;
  if (fault != Fault::kNone) return SQLITE_IOERR_DELETE;
  const auto found = files_.find(name);
  if (found == files_.end()) return SQLITE_IOERR_DELETE_NOENT;
  if (!durable && found->second->is_durable()) ghosts_.insert_or_assign(name, found->second);
  files_.erase(found);
  return SQLITE_OK;
}

int FaultDisk::State::Read(const FaultFile& file, void* to, size_t size, size_t offset) const {
  const MutexLock lock(mutex_);
  if (dead_) return SQLITE_IOERR_READ;
  const std::string& contents = file.contents();
  const std::string_view found =
      offset < contents.size() ? std::string_view(contents).substr(offset, size) : "";
  std::memset(to, 0, size);
  if (!found.empty()) std::memcpy(to, found.data(), found.size());
  return found.size() == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int FaultDisk::State::Write(FaultFile& file,
                            const std::string& name,
                            std::string_view bytes,
                            size_t offset) {
  const Fault fault = Ask(Call::kWrite, name);
  const MutexLock lock(mutex_);
  const bool torn =
      fault == Fault::kTornError || fault == Fault::kTornNoSpace || fault == Fault::kTornPowerCut;
  if (torn) file.Write(offset, bytes.substr(0, bytes.size() / 2));
  if (fault == Fault::kPowerCut || fault == Fault::kTornPowerCut) dead_ = true;
  if (fault == Fault::kNoSpace || fault == Fault::kTornNoSpace) return SQLITE_FULL;
  if (fault != Fault::kNone) return SQLITE_IOERR_WRITE;
  const size_t end = offset + bytes.size();
  const size_t before = file.contents().size();
  const auto growth = static_cast<int64_t>(end > before ? end - before : 0);
  if (growth > room_) return SQLITE_FULL;
  room_ -= growth;
  file.Write(offset, bytes);
  return SQLITE_OK;
}

int FaultDisk::State::Truncate(FaultFile& file, const std::string& name, size_t size) {
  const Fault fault = Ask(Call::kTruncate, name);
  const MutexLock lock(mutex_);
  if (fault == Fault::kPowerCut || fault == Fault::kTornPowerCut) dead_ = true;
  if (fault != Fault::kNone && fault != Fault::kNoSpace && fault != Fault::kTornNoSpace) {
    return SQLITE_IOERR_TRUNCATE;
  }
  file.Truncate(size);
  return SQLITE_OK;
}

int FaultDisk::State::Sync(FaultFile& file, const std::string& name) {
  const Fault fault = Ask(Call::kSync, name);
  const MutexLock lock(mutex_);
  if (fault == Fault::kPowerCut || fault == Fault::kTornPowerCut) {
    dead_ = true;
    return SQLITE_IOERR_FSYNC;
  }
  if (fault == Fault::kError || fault == Fault::kTornError) {
    file.LoseUnsynced();
    return SQLITE_IOERR_FSYNC;
  }
  file.Sync();
  ghosts_.erase(name);  // SQLite syncs the folder with a new file
  return SQLITE_OK;
}

void FaultDisk::State::CutPower(Unsynced unsynced, uint64_t seed) {
  const MutexLock lock(mutex_);
  SeededRandom random(seed);
  const auto keep = [&] {
    if (unsynced != Unsynced::kSomeOfThem) return unsynced == Unsynced::kKept;
    return random.Next() % 2 == 0;
  };
  for (auto at = files_.begin(); at != files_.end();) {
    DRAY_CHECK(at->second.use_count() == 1);  // fails if the file is still open
    if (!at->second->is_durable() && !keep()) {
      at = files_.erase(at);
      continue;
    }
    at->second->Restart(keep);
    ++at;
  }
  for (auto& [name, ghost] : ghosts_) {
    if (files_.contains(name) || keep()) continue;  // the deletion was kept
    ghost->Restart(keep);
    files_.emplace(name, ghost);
  }
  ghosts_.clear();
  dead_ = false;
  plan_ = nullptr;
}

FaultDisk::FaultDisk() : state_(std::make_shared<State>()) {}
FaultDisk::~FaultDisk() = default;

const std::string& FaultDisk::vfs() const {
  return state_->name();
}

void FaultDisk::SetPlan(Plan plan) {
  state_->SetPlan(std::move(plan));
}

uint64_t FaultDisk::calls() const {
  return state_->calls();
}

void FaultDisk::SetRoom(int64_t bytes) {
  state_->SetRoom(bytes);
}

void FaultDisk::CutPower(Unsynced unsynced, uint64_t seed) {
  state_->CutPower(unsynced, seed);
}

std::string FaultDisk::Contents(const std::string& file) const {
  return state_->Contents(file);
}

void FaultDisk::Damage(const std::string& file, uint64_t offset, std::string_view bytes) {
  state_->Damage(file, offset, bytes);
}

}  // namespace dray::store::sqlite::testing
