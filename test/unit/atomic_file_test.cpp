#include "skinpose/atomic_file.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>
#include <vector>

#include "skinpose/error.h"

namespace skinpose {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

/// The line of the Error(Output) that `act` throws; empty where it throws nothing.
std::string output_error(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Output);
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Each test has an empty folder of its own.
class AtomicFileTest : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "skinpose-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string in(const std::string& name) const {
        return (folder_ / name).string();
    }

    [[nodiscard]] Names names() const {
        Names out;
        for (const auto& entry : fs::directory_iterator(folder_))
            out.push_back(entry.path().filename().string());
        std::sort(out.begin(), out.end());
        return out;
    }

    void write(const std::string& path, const std::string& text) {
        AtomicFile file(path);
        file.stream() << text;
        file.finish();
        file.commit();
    }

    /// Runs `act` in a process of its own, which then dies without any destructor.
    static int in_child(const std::function<int()>& act) {
        const pid_t child = ::fork();
        if (child == 0) {
            int code = 99;
            try {
                code = act();
            } catch (...) {
            }
            ::_exit(code);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    fs::path folder_;
};

TEST_F(AtomicFileTest, HasItsNameOnlyOnceCommitted) {
    AtomicFile file(in("a.obj"));
    file.stream() << "v 0 0 0\n";
    EXPECT_FALSE(fs::exists(in("a.obj")));
    file.finish();
    EXPECT_FALSE(fs::exists(in("a.obj")));
    file.commit();
    EXPECT_EQ(content(in("a.obj")), "v 0 0 0\n");
    EXPECT_EQ(names(), Names{"a.obj"});
    EXPECT_EQ(file.path(), in("a.obj"));
}

TEST_F(AtomicFileTest, UncommittedLeavesNothing) {
    put(in("old"), "old");
    {
        AtomicFile open(in("a")), finished(in("old"));
        open.stream() << "half";
        finished.stream() << "new";
        finished.finish();
        EXPECT_EQ(names().size(), 3U) << "two temporaries beside the old file";
    }
    EXPECT_EQ(names(), Names{"old"});
    EXPECT_EQ(content(in("old")), "old");
}

TEST_F(AtomicFileTest, ReplacesAnExistingFileWhole) {
    put(in("a"), "something long that was there");
    write(in("a"), "new");
    EXPECT_EQ(content(in("a")), "new");
}

TEST_F(AtomicFileTest, CommitFinishesFirst) {
    AtomicFile file(in("a"));
    file.stream() << "text";
    file.commit();
    EXPECT_EQ(content(in("a")), "text");
}

TEST_F(AtomicFileTest, DurableWritesTheSame) {
    AtomicFile file(in("a"));
    file.stream() << "text";
    file.finish(true);
    file.commit(true);
    EXPECT_EQ(content(in("a")), "text");
}

TEST_F(AtomicFileTest, TakesNothingOnceFinished) {
    AtomicFile file(in("a"));
    file.stream() << "text";
    file.finish();
    file.stream() << "more" << std::flush;
    EXPECT_FALSE(file.stream().good());
    file.commit();
    EXPECT_EQ(content(in("a")), "text");
}

TEST_F(AtomicFileTest, PiecesOfEverySizePassInOrder) {
    std::string whole;
    AtomicFile file(in("a"));
    for (std::size_t size : {1UL, 1000UL, 262143UL, 1UL, 262144UL, 3UL, 262145UL, 1000000UL, 0UL}) {
        std::string piece(size, '\0');
        for (std::size_t i = 0; i < size; ++i)
            piece[i] = static_cast<char>((whole.size() + i) % 251);
        whole += piece;
        file.stream().write(piece.data(), static_cast<std::streamsize>(size));
    }
    for (int i = 0; i < 600000; ++i) {
        whole += static_cast<char>(i % 256);
        file.stream().put(static_cast<char>(i % 256));
    }
    file.commit();
    EXPECT_TRUE(content(in("a")) == whole);
}

TEST_F(AtomicFileTest, ModeIsWhatTheUmaskLeaves) {
    const mode_t before = ::umask(027);
    write(in("a"), "x");
    ::umask(0);
    write(in("b"), "x");
    ::umask(before);
    EXPECT_EQ(fs::status(in("a")).permissions(), fs::perms(0640));
    EXPECT_EQ(fs::status(in("b")).permissions(), fs::perms(0666));
}

TEST_F(AtomicFileTest, LongestNameWorksAndALongerOneIsRefusedAtOnce) {
    const std::string longest(255, 'n');
    write(in(longest), "x");
    EXPECT_EQ(names(), Names{longest});
    const std::string line = output_error([&] { AtomicFile file(in(longest + "n")); });
    EXPECT_TRUE(holds(line, "File name too long")) << line;
}

TEST_F(AtomicFileTest, MovedFileIsStillCommitted) {
    AtomicFile first(in("a"));
    first.stream() << "a";
    AtomicFile second(std::move(first));
    second.stream() << "b";
    AtomicFile third(in("never"));
    third = std::move(second);
    third.commit();
    EXPECT_EQ(names(), Names{"a"});
    EXPECT_EQ(content(in("a")), "ab");
}

TEST_F(AtomicFileTest, RelativeNameSurvivesAChangeOfFolder) {
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    AtomicFile file("a");
    fs::current_path(before);
    file.commit();
    EXPECT_EQ(names(), Names{"a"});
}

TEST_F(AtomicFileTest, TemporaryIsNamedAsPromised) {
    const AtomicFile first(in("a")), second(in("a"));
    const Names temporaries = names();
    ASSERT_EQ(temporaries.size(), 2U);
    const std::string hash = temporaries[0].substr(10, 16);
    EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << hash;
    EXPECT_EQ(temporaries, (Names{".skinpose-" + hash + "-0.tmp", ".skinpose-" + hash + "-1.tmp"}));
}

TEST_F(AtomicFileTest, MissingFolderIsRefused) {
    const std::string path = in("none/a.obj");
    const std::string line = output_error([&] { AtomicFile file(path); });
    EXPECT_EQ(line,
              path + ": cannot open the folder " + in("none") +
                  " (No such file or directory): create the folder first, or write elsewhere");
}

TEST_F(AtomicFileTest, FileInPlaceOfAFolderIsRefused) {
    put(in("file"), "x");
    const std::string line = output_error([&] { AtomicFile file(in("file/a.obj")); });
    EXPECT_TRUE(holds(line, "Not a directory")) << line;
}

TEST_F(AtomicFileTest, FolderIsRefusedAsATarget) {
    fs::create_directory(in("sub"));
    for (const std::string& path : {in("sub"), in("sub/"), in("sub/."), std::string("/")}) {
        const std::string line = output_error([&] { AtomicFile file(path); });
        EXPECT_EQ(line, path + ": is a folder: name a file in it");
    }
    EXPECT_TRUE(holds(output_error([&] { AtomicFile file(in("new/")); }), "folder"));
    EXPECT_TRUE(holds(output_error([&] { AtomicFile file(""); }), "empty name"));
    EXPECT_TRUE(holds(output_error([&] { AtomicFile file(std::string("a\0b", 3)); }), "zero byte"));
    EXPECT_EQ(names(), Names{"sub"});
}

TEST_F(AtomicFileTest, DevicesAndPipesAreRefusedAndStay) {
    const std::string device = output_error([&] { AtomicFile file("/dev/full"); });
    EXPECT_EQ(device,
              "/dev/full: is a device, not a regular file, so it cannot be replaced as a whole: "
              "name a regular file");
    ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(holds(output_error([&] { AtomicFile file(in("pipe")); }), "is a pipe"));
    fs::create_symlink("/dev/full", in("link"));
    EXPECT_TRUE(holds(output_error([&] { AtomicFile file(in("link")); }), "is a device"));
    EXPECT_EQ(names(), (Names{"link", "pipe"}));
}

TEST_F(AtomicFileTest, LinkIsFollowedToItsFile) {
    fs::create_directory(in("real"));
    put(in("real/file"), "old");
    fs::create_symlink("real/file", in("link"));
    fs::create_symlink(in("link"), in("outer"));
    {
        AtomicFile file(in("outer"));
        file.stream() << "new";
        EXPECT_EQ(std::distance(fs::directory_iterator(in("real")), {}), 2)
            << "the temporary lies beside the real file";
        file.commit();
    }
    EXPECT_TRUE(fs::is_symlink(in("link")));
    EXPECT_TRUE(fs::is_symlink(in("outer")));
    EXPECT_FALSE(fs::is_symlink(in("real/file")));
    EXPECT_EQ(content(in("real/file")), "new");
    EXPECT_EQ(names(), (Names{"link", "outer", "real"}));
}

TEST_F(AtomicFileTest, LinkToNothingMakesItsFile) {
    fs::create_directory(in("real"));
    fs::create_symlink("real/file", in("link"));
    write(in("link"), "new");
    EXPECT_TRUE(fs::is_symlink(in("link")));
    EXPECT_EQ(content(in("real/file")), "new");
}

TEST_F(AtomicFileTest, LinkInACircleIsRefused) {
    fs::create_symlink("b", in("a"));
    fs::create_symlink("a", in("b"));
    const std::string line = output_error([&] { AtomicFile file(in("a")); });
    EXPECT_TRUE(holds(line, "Too many levels of symbolic links")) << line;
}

TEST_F(AtomicFileTest, WhatAKilledRunLeftIsRemoved) {
    ASSERT_EQ(in_child([&] {
                  new AtomicFile(in("a"));
                  new AtomicFile(in("b"));
                  return 0;
              }),
              0);
    ASSERT_EQ(names().size(), 2U) << "the child left two temporaries";
    write(in("a"), "x");
    EXPECT_EQ(names().size(), 2U) << "that of b is another file's";
    write(in("b"), "x");
    EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(AtomicFileTest, HeldTemporariesOfTheSameNameStay) {
    AtomicFile open(in("a"));
    open.stream() << "first";
    AtomicFile finished(in("a"));
    finished.stream() << "second";
    finished.finish();
    ASSERT_EQ(in_child([&] {
                  AtomicFile third(in("a"));
                  third.commit();
                  return 0;
              }),
              0);
    EXPECT_EQ(names().size(), 3U) << "the child's a, and two temporaries";
    open.commit();
    EXPECT_EQ(content(in("a")), "first");
    finished.commit();
    EXPECT_EQ(content(in("a")), "second");
    EXPECT_EQ(names(), Names{"a"});
}

TEST_F(AtomicFileTest, WhatIsLeftBehindAHeldOneIsRemovedToo) {
    AtomicFile held(in("a"));
    ASSERT_EQ(in_child([&] {
                  new AtomicFile(in("a"));
                  return 0;
              }),
              0);
    ASSERT_EQ(names().size(), 2U);
    held.commit();
    EXPECT_EQ(names().size(), 2U) << "N is 1, while 0 is free";
    write(in("a"), "x");
    EXPECT_EQ(names(), Names{"a"});
}

TEST_F(AtomicFileTest, OnlyAFileIsTakenForATemporary) {
    std::string prefix;
    {
        const AtomicFile file(in("a"));
        prefix = names()[0].substr(0, 27);
    }
    put(in("target"), "linked");
    fs::create_symlink("target", in(prefix + "0.tmp"));
    fs::create_directory(in(prefix + "1.tmp"));
    ASSERT_EQ(::mkfifo(in(prefix + "2.tmp").c_str(), 0600), 0);
    put(in(prefix + "3.tmp"), "stale");
    put(in(prefix + "x.tmp"), "another's");
    write(in("a"), "x");
    EXPECT_EQ(names(), (Names{prefix + "0.tmp", prefix + "1.tmp", prefix + "2.tmp",
                              prefix + "x.tmp", "a", "target"}));
    EXPECT_EQ(content(in("target")), "linked");
    EXPECT_EQ(content(in("a")), "x");
}

TEST_F(AtomicFileTest, ManyRunsAtOnceLeaveOneWholeFile) {
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                for (int k = 0; k < 100; ++k) {
                    AtomicFile file(in("a"));
                    file.stream() << std::string(1000, static_cast<char>('a' + i));
                    file.commit();
                }
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    const std::string text = content(in("a"));
    EXPECT_EQ(text.size(), 1000U);
    EXPECT_EQ(text, std::string(1000, text[0]));
    EXPECT_EQ(names(), Names{"a"});
}

/// Writes 100 kB where only less fits. 0: refused with `reason`, the folder as it was.
int write_too_much(const std::string& path, const std::string& reason, bool in_pieces) {
    try {
        AtomicFile file(path);
        const std::string text(100000, 'x');
        if (in_pieces)
            for (const char c : text) file.stream().put(c);
        else
            for (int i = 0; i < 10; ++i) file.stream() << text;
        file.finish();
    } catch (const Error& error) {
        const std::string line = error.what();
        const bool told = error.code() == ErrorCode::Output &&
                          line.starts_with(path + ": cannot be written (" + reason + "): ");
        return told ? 0 : 3;
    }
    return 2;
}

TEST_F(AtomicFileTest, ShortWriteIsRefusedAndLeavesNothing) {
    for (const bool in_pieces : {false, true}) {
        EXPECT_EQ(in_child([&] {
                      std::signal(SIGXFSZ, SIG_IGN);
                      const rlimit limit{50000, 50000};
                      ::setrlimit(RLIMIT_FSIZE, &limit);
                      return write_too_much(in("a"), "File too large", in_pieces);
                  }),
                  0);
        EXPECT_EQ(names(), Names());
    }
}

TEST_F(AtomicFileTest, FullDiskIsNamedAsSuch) {
    constexpr int kNoMount = 77;
    const int code = in_child([&] {
        if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return kNoMount;
        if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kNoMount;
        if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) return kNoMount;
        const int result = write_too_much(in("a"), "No space left on device", false);
        return result == 0 && !names().empty() ? 4 : result;
    });
    if (code == kNoMount) GTEST_SKIP() << "this system lets the test mount no small disk";
    EXPECT_EQ(code, 0);
}

TEST_F(AtomicFileTest, WriteProtectionIsRespected) {
    put(in("a"), "keep");
    fs::permissions(in("a"), fs::perms(0444));
    fs::permissions(folder_, fs::perms(0777));
    const auto refused = [&](const std::string& path, const std::string& fact) {
        // The superuser may write everything, so the child becomes somebody else.
        return in_child([&] {
            if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;
            const std::string line = output_error([&] { AtomicFile file(path); });
            return holds(line, fact) && holds(line, "(Permission denied)") ? 0 : 1;
        });
    };
    EXPECT_EQ(refused(in("a"), "exists and cannot be written"), 0);
    fs::permissions(folder_, fs::perms(0555));
    EXPECT_EQ(refused(in("b"), "cannot create a file in"), 0);
    fs::permissions(folder_, fs::perms(0755));
    EXPECT_EQ(content(in("a")), "keep");
}

TEST_F(AtomicFileTest, FailedStreamIsNeverCommitted) {
    AtomicFile file(in("a"));
    file.stream() << "half";
    file.stream().setstate(std::ios::failbit);
    EXPECT_THROW(file.finish(), Error);
    EXPECT_THROW(file.commit(), Error);
    EXPECT_FALSE(fs::exists(in("a")));
}

TEST_F(AtomicFileTest, FolderMadeInTheMeantimeIsNotReplaced) {
    AtomicFile file(in("a"));
    fs::create_directory(in("a"));
    const std::string line = output_error([&] { file.commit(); });
    EXPECT_TRUE(holds(line, "cannot take its final name (Is a directory)")) << line;
}

TEST_F(AtomicFileTest, SameFileIsTheSameInode) {
    put(in("a"), "x");
    put(in("b"), "x");
    fs::create_symlink("a", in("link"));
    fs::create_hard_link(in("a"), in("hard"));
    EXPECT_TRUE(same_file(in("a"), in("a")));
    EXPECT_TRUE(same_file(in("a"), in("./a")));
    EXPECT_TRUE(same_file(in("a"), in("link")));
    EXPECT_TRUE(same_file(in("hard"), in("link")));
    EXPECT_FALSE(same_file(in("a"), in("b")));
    EXPECT_FALSE(same_file(in("none"), in("none"))) << "what does not exist is no file";
    EXPECT_FALSE(same_file(in("a"), in("none")));
}

}  // namespace
}  // namespace skinpose
