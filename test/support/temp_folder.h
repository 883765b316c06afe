#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace skinpose::test {

/// A folder of one's own, removed with all that is in it.
class TempFolder {
   public:
    TempFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "skinpose-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    /// Full name of `file` inside.
    [[nodiscard]] std::string operator/(const std::string& file) const {
        return (path_ / file).string();
    }

   private:
    std::filesystem::path path_;
};

}  // namespace skinpose::test
