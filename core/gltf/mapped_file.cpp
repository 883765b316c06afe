#include "gltf/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "skinpose/error.h"

namespace skinpose::gltf {

namespace {

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

MappedFile::MappedFile(const std::string& path, const std::string& file, const std::string& place) {
    const auto fail = [&](const std::string& fact) {
        if (file.empty()) throw Error(ErrorCode::Input, path, "", fact);
        throw Error(ErrorCode::Input, file, place, "buffer file " + printable(path) + ": " + fact);
    };
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    const Descriptor d{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (d.fd < 0) fail(std::string("cannot be opened (") + std::strerror(errno) + ")");
    struct stat status {};
    if (::fstat(d.fd, &status) != 0)
        fail(std::string("cannot be read (") + std::strerror(errno) + ")");
    if (!S_ISREG(status.st_mode)) fail("is not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return;
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, d.fd, 0);
    if (mapped == MAP_FAILED) fail(std::string("cannot be mapped (") + std::strerror(errno) + ")");
    bytes_ = {static_cast<const std::byte*>(mapped), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

}  // namespace skinpose::gltf
