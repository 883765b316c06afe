#include "skinpose/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <locale>
#include <ostream>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "skinpose/error.h"

namespace skinpose {
namespace {

/// An open file descriptor, closed when it goes.
class Descriptor {
   public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

   private:
    int fd_;
};

/// Buffers what goes into a descriptor, and remembers the first error: a stream only knows "bad".
class DescriptorBuffer : public std::streambuf {
   public:
    explicit DescriptorBuffer(int fd) : fd_(fd), buffer_(kBufferBytes) { reset(); }

    /// errno of the first write that failed, 0 while all went well.
    [[nodiscard]] int error() const { return error_; }
    /// Nothing is taken any more.
    void close() {
        closed_ = true;
        setp(nullptr, nullptr);
    }

   protected:
    int sync() override {
        const bool ok = write_all(pbase(), static_cast<std::size_t>(pptr() - pbase()));
        if (!closed_) reset();
        return ok ? 0 : -1;
    }
    int_type overflow(int_type c) override {
        if (closed_ || sync() != 0) return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        if (closed_ || (size > epptr() - pptr() && sync() != 0)) return 0;
        if (size > epptr() - pptr())
            return write_all(text, static_cast<std::size_t>(size)) ? size : 0;
        std::copy_n(text, size, pptr());
        pbump(static_cast<int>(size));
        return size;
    }

   private:
    static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

    void reset() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

    bool write_all(const char* bytes, std::size_t size) {
        while (size > 0 && error_ == 0) {
            const ssize_t written = ::write(fd_, bytes, size);
            if (written < 0) {
                if (errno != EINTR) error_ = errno;
                continue;
            }
            bytes += written;
            size -= static_cast<std::size_t>(written);
        }
        return error_ == 0;
    }

    int fd_;
    int error_ = 0;
    bool closed_ = false;
    std::vector<char> buffer_;
};

std::string reason(int error) { return std::generic_category().message(error); }

const char* advice_for(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free some space, or write elsewhere";
        case EFBIG:
            return "raise the limit on file sizes (ulimit -f), or write elsewhere";
        case ENOENT:
            return "create the folder first, or write elsewhere";
        case ENOTDIR:
            return "name a folder that is one";
        case EACCES:
        case EPERM:
        case EROFS:
            return "make it writable, or write elsewhere";
        case ENAMETOOLONG:
            return "choose a shorter name";
        case EMFILE:
        case ENFILE:
            return "raise the limit on open files (ulimit -n)";
        case ELOOP:
            return "name the file itself";
        default:
            return "write elsewhere";
    }
}

[[noreturn]] void fail(const std::string& path, const std::string& fact, int error) {
    throw Error(ErrorCode::Output, path, {}, fmt::format("{} ({})", fact, reason(error)),
                advice_for(error));
}

const char* kind_of(mode_t mode) {
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "something else";
}

/// Where the bytes go: links followed to the file itself, which need not exist.
struct Target {
    std::string folder, name;
};

Target split(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {".", path};
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// The text of the link at `path`, empty where that is no link.
std::string read_link(const std::string& path) {
    std::vector<char> text(4096);
    const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
    return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

/// Throws where something other than a regular file, or one that is write-protected, has the name.
/// Renaming would replace the latter all the same, which is not what its owner meant.
void require_replaceable(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT) fail(path, "cannot be written", errno);
        return;
    }
    if (S_ISDIR(info.st_mode))
        throw Error(ErrorCode::Output, path, {}, "is a folder", "name a file in it");
    if (!S_ISREG(info.st_mode))
        throw Error(ErrorCode::Output, path, {},
                    fmt::format("is {}, not a regular file, so it cannot be replaced as a whole",
                                kind_of(info.st_mode)),
                    "name a regular file");
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
        fail(path, "exists and cannot be written", errno);
}

Target resolve(const std::string& path) {
    if (path.empty())
        throw Error(ErrorCode::Output, {}, {}, "the output has an empty name", "name a file");
    if (path.find('\0') != std::string::npos)
        throw Error(ErrorCode::Output, path, {}, "a file name cannot hold a zero byte",
                    "name a file");
    require_replaceable(path);
    constexpr int kMostLinks = 40;
    std::string at = path;
    for (int i = 0; i < kMostLinks; ++i) {
        const std::string link = read_link(at);
        if (link.empty()) {
            const Target target = split(at);
            if (target.name.empty())
                throw Error(ErrorCode::Output, path, {}, "a name that ends in / is a folder's",
                            "name a file");
            return target;
        }
        at = link.front() == '/' ? link : split(at).folder + "/" + link;
    }
    fail(path, "cannot be written", ELOOP);
}

std::string temporary_name(const std::string& target, int n) {
    std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
    for (const char c : target)
        hash = (hash ^ static_cast<unsigned char>(c)) * std::uint64_t{0x00000100000001B3U};
    return fmt::format(".skinpose-{:016x}-{}.tmp", hash, n);
}

/// The name still leads to the open file.
bool is_linked(int folder, const std::string& name, int fd) {
    struct stat by_name {
    }, by_fd{};
    return ::fstatat(folder, name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::fstat(fd, &by_fd) == 0 && by_name.st_dev == by_fd.st_dev &&
           by_name.st_ino == by_fd.st_ino;
}

/// Removes a temporary nobody holds. Where the file system has no locks, or the file cannot be
/// opened or removed, it stays: it is in nobody's way.
void remove_if_stale(int folder, const std::string& name) {
    const Descriptor file(
        ::openat(folder, name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !is_linked(folder, name, file.get())) return;
    ::unlinkat(folder, name.c_str(), 0);
}

}  // namespace

struct AtomicFile::State {
    State(std::string path_as_named, Target where, Descriptor in_folder)
        : path(std::move(path_as_named)), target(std::move(where)), folder(std::move(in_folder)) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (!temporary.empty()) ::unlinkat(folder.get(), temporary.c_str(), 0);
    }

    void create_temporary();
    [[noreturn]] void fail_writing(int error) const;

    std::string path;
    Target target;
    Descriptor folder;
    std::string temporary;  ///< empty: there is none (yet, or any more)
    Descriptor file;        ///< holds the lock until the file has its final name
    std::unique_ptr<DescriptorBuffer> buffer;
    std::unique_ptr<std::ostream> stream;
    bool finished = false;
};

void AtomicFile::State::create_temporary() {
    // Asking for a few names instead of listing the folder: a folder of many frames would be listed
    // once for each of them.
    constexpr int kProbedNames = 4, kMostNames = 100000;
    for (int n = 0; n < kProbedNames; ++n)
        remove_if_stale(folder.get(), temporary_name(target.name, n));
    for (int n = 0; n < kMostNames; ++n) {
        const std::string name = temporary_name(target.name, n);
        Descriptor fd(::openat(folder.get(), name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
        if (!fd) {
            if (errno == EEXIST) continue;
            fail(path, fmt::format("cannot create a file in {}", target.folder), errno);
        }
        // Fails where the file system has no locks; nobody then takes the file for a stale one.
        ::flock(fd.get(), LOCK_EX);
        // Between creation and lock another run may have taken it for one, and removed it.
        if (!is_linked(folder.get(), name, fd.get())) continue;
        temporary = name;
        file = std::move(fd);
        return;
    }
    fail(path, fmt::format("cannot create a file in {}", target.folder), EEXIST);
}

void AtomicFile::State::fail_writing(int error) const {
    if (error == 0)
        throw Error(ErrorCode::Bug, path, {}, "its stream failed without an error of the system");
    fail(path, "cannot be written", error);
}

AtomicFile::AtomicFile(std::string path) {
    Target target = resolve(path);
    Descriptor folder(::open(target.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) fail(path, fmt::format("cannot open the folder {}", target.folder), errno);
    state_ = std::make_unique<State>(std::move(path), std::move(target), std::move(folder));
    state_->create_temporary();
    state_->buffer = std::make_unique<DescriptorBuffer>(state_->file.get());
    state_->stream = std::make_unique<std::ostream>(state_->buffer.get());
    state_->stream->imbue(std::locale::classic());
}

AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

std::ostream& AtomicFile::stream() { return *state_->stream; }
const std::string& AtomicFile::path() const { return state_->path; }

void AtomicFile::finish(bool durable) {
    State& s = *state_;
    if (s.finished) return;
    s.stream->flush();
    if (!s.stream->good()) s.fail_writing(s.buffer->error());
    if (durable && ::fsync(s.file.get()) != 0) s.fail_writing(errno);
    // Network file systems report late errors when a descriptor is closed. Closing a copy asks for
    // them while the lock, which belongs to the open file, stays.
    const int copy = ::fcntl(s.file.get(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || ::close(copy) != 0) s.fail_writing(errno);
    s.buffer->close();
    s.finished = true;
}

void AtomicFile::commit(bool durable) {
    State& s = *state_;
    if (s.temporary.empty()) return;
    finish(durable);
    if (::renameat(s.folder.get(), s.temporary.c_str(), s.folder.get(), s.target.name.c_str()) != 0)
        fail(s.path, "cannot take its final name", errno);
    s.temporary.clear();
    s.file = Descriptor();
    if (!durable) return;
    const Descriptor folder(::openat(s.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems have no way to sync a folder and say EINVAL.
    if (!folder || (::fsync(folder.get()) != 0 && errno != EINVAL))
        fail(s.path, "was written, but its folder cannot be synced", errno);
}

bool same_file(const std::string& a, const std::string& b) {
    struct stat first {
    }, second{};
    return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace skinpose
