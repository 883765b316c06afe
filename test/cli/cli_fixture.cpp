#include "cli/cli_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace skinpose::test {
namespace {

namespace fs = std::filesystem;

struct Pipe {
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t end) {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
    std::array<int, 2> ends{-1, -1};
};

/// In the child, between fork and exec: only async-signal-safe calls.
void become_binary(const RunSetting& setting, const char* folder, const Pipe& out, const Pipe& err,
                   char* const* argv) {
    if (::chdir(folder) != 0) ::_exit(120);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(err.ends[1], STDERR_FILENO);
    if (setting.close_stdout) {
        ::close(STDOUT_FILENO);
    } else if (!setting.stdout_path.empty()) {
        const int target = ::open(setting.stdout_path.c_str(), O_WRONLY | O_CLOEXEC);
        if (target < 0) ::_exit(121);
        ::dup2(target, STDOUT_FILENO);
    } else {
        ::dup2(out.ends[1], STDOUT_FILENO);
    }
    if (setting.file_size_limit > 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{setting.file_size_limit, setting.file_size_limit};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::execv(SKINPOSE_BINARY, argv);
    ::_exit(122);
}

/// Reads both pipes to their ends; kills the child once the time is over.
void collect(Pipe& out, Pipe& err, pid_t child, unsigned timeout_s, RunResult& result) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
    std::array<pollfd, 2> waiting{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
    std::array<std::string*, 2> texts{&result.out, &result.err};
    bool killed = false;
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        ::poll(waiting.data(), waiting.size(), 100);
        if (!killed && std::chrono::steady_clock::now() > end) {
            ::kill(child, SIGKILL);
            killed = true;
        }
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            std::array<char, 65536> bytes{};
            const ssize_t count = ::read(waiting[i].fd, bytes.data(), bytes.size());
            if (count > 0)
                texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
            else if (count == 0 || errno != EINTR)
                waiting[i].fd = -1;
        }
    }
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string decode_base64(const std::string& text) {
    static constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0, held = 0;
    for (const char c : text) {
        const std::size_t digit = kAlphabet.find(c);
        if (digit == std::string_view::npos) break;
        bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<char>(bits >> held & 0xFFU));
    }
    return bytes;
}

void CliTest::SetUp() {
    std::string pattern = (fs::temp_directory_path() / "skinpose cli XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
}

void CliTest::TearDown() { fs::remove_all(folder_); }

RunResult CliTest::run(const std::vector<std::string>& arguments, const RunSetting& setting) const {
    std::vector<std::string> words{SKINPOSE_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    Pipe out, err;
    const std::string folder = folder_.string();
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) become_binary(setting, folder.c_str(), out, err, argv.data());
    out.close_end(1);
    err.close_end(1);

    RunResult result;
    collect(out, err, child, setting.timeout_s, result);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

RunResult CliTest::run_ok(const std::vector<std::string>& arguments) const {
    const RunResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err << "signal " << result.signal;
    return result;
}

std::string CliTest::run_fails(const std::vector<std::string>& arguments, int exit_code,
                               const RunSetting& setting) const {
    const std::vector<std::string> before = names();
    const RunResult result = run(arguments, setting);
    EXPECT_EQ(result.exit_code, exit_code) << result.err << "signal " << result.signal;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
    EXPECT_TRUE(result.err.ends_with("\n"));
    EXPECT_EQ(names(), before) << "something was left behind";
    return result.err;
}

std::vector<std::string> CliTest::names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
        result.push_back(entry.path().lexically_relative(folder_).string());
    std::sort(result.begin(), result.end());
    return result;
}

bool CliTest::exists(const std::string& name) const { return fs::exists(folder_ / name); }

std::string CliTest::read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    EXPECT_TRUE(in.good()) << "no file " << name;
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

nlohmann::json CliTest::read_json(const std::string& name) const {
    return nlohmann::json::parse(read(name));
}

void CliTest::write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
}

void CliTest::write_json(const std::string& name, const nlohmann::json& document) const {
    write(name, document.dump());
}

std::string CliTest::tube() { return SKINPOSE_DATA_DIR "/tube.gltf"; }

nlohmann::json CliTest::tube_json() {
    return nlohmann::json::parse(std::ifstream(tube(), std::ios::binary));
}

}  // namespace skinpose::test
