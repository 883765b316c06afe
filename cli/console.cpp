#include "console.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "skinpose/error.h"

namespace skinpose::cli {

void print_result(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        throw Error(ErrorCode::Output, "standard output", "",
                    std::string("cannot be written (") + std::strerror(errno) + ")");
}

void print_lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace skinpose::cli
