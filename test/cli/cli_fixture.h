#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace skinpose::test {

/// How a run of the binary ended.
struct RunResult {
    int exit_code = -1;  ///< -1 where a signal ended it
    int signal = 0;
    std::string out, err;
};

/// Things about a run that are not arguments.
struct RunSetting {
    bool close_stdout = false;
    std::string stdout_path;          ///< opened for writing as stdout; empty: captured
    std::size_t file_size_limit = 0;  ///< RLIMIT_FSIZE in bytes, SIGXFSZ ignored; 0: none
    unsigned timeout_s = 60;          ///< the run is killed after this, and then has a signal
};

/// Lines of `text`, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// Bytes of plain base64 (RFC 4648, padded or not).
std::string decode_base64(const std::string& text);

/// Every test has its own empty folder with a blank in its name, which is the binary's current one.
class CliTest : public testing::Test {
   protected:
    void SetUp() override;
    void TearDown() override;

    [[nodiscard]] RunResult run(const std::vector<std::string>& arguments,
                                const RunSetting& setting = {}) const;
    /// `run` that must end with exit code 0; its stderr is in the failure message.
    RunResult run_ok(const std::vector<std::string>& arguments) const;
    /// `run` that must fail with `exit_code`, one line on stderr and nothing on stdout, and leave
    /// the folder's contents as they were. Returns the line.
    std::string run_fails(const std::vector<std::string>& arguments, int exit_code,
                          const RunSetting& setting = {}) const;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    /// Names of everything below the folder, hidden files too, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool exists(const std::string& name) const;
    [[nodiscard]] std::string read(const std::string& name) const;
    [[nodiscard]] nlohmann::json read_json(const std::string& name) const;
    void write(const std::string& name, const std::string& bytes) const;
    void write_json(const std::string& name, const nlohmann::json& document) const;

    /// The tube of the data folder: clips `bend` and `twist`.
    static std::string tube();
    static nlohmann::json tube_json();

   private:
    std::filesystem::path folder_;
};

}  // namespace skinpose::test
