#pragma once

#include <iosfwd>
#include <memory>
#include <string>

namespace skinpose {

/// A file that exists either whole or not at all: written beside its final name under a temporary
/// one and renamed by `commit`. Destroyed uncommitted, it leaves nothing. Several may be written
/// first and committed together.
///
/// Temporaries are named `.skinpose-HASH-N.tmp`, HASH being that of the final name and N the first
/// number that is free, and held under a lock until they are renamed (two descriptors each).
/// Opening one removes those of the same final name (N below 4) whose lock nobody holds: what an
/// earlier, killed run left. Links are followed: the file that a link leads to is replaced, the
/// link stays.
class AtomicFile {
   public:
    /// Throws Error(Output) where the folder does not exist or cannot be written, or where `path`
    /// is a directory, another thing that is not a regular file, or a write-protected file.
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    [[nodiscard]] std::ostream& stream();
    [[nodiscard]] const std::string& path() const;

    /// Flushes everything to the temporary, whose stream takes nothing more; with `durable` its
    /// bytes are on disk when this returns. Throws Error(Output) on any short write (a full disk
    /// shows itself here).
    void finish(bool durable = false);

    /// Renames the temporary, finished first if need be, onto the final name; with `durable` the
    /// folder is synced too. Throws Error(Output).
    void commit(bool durable = false);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// True when both names lead to the same existing file (device and inode).
bool same_file(const std::string& a, const std::string& b);

}  // namespace skinpose
