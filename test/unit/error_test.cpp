#include "skinpose/error.h"

#include <gtest/gtest.h>

namespace skinpose {
namespace {

TEST(Error, LineIsFilePlaceFactAdvice) {
    const Error error(ErrorCode::Input, "rig.glb", "/skins/0", "3 joints (at most 2)", "use fewer");
    EXPECT_STREQ(error.what(), "rig.glb: /skins/0: 3 joints (at most 2): use fewer");
    EXPECT_EQ(error.code(), ErrorCode::Input);
    EXPECT_EQ(error.file(), "rig.glb");
    EXPECT_EQ(error.place(), "/skins/0");
    EXPECT_EQ(error.fact(), "3 joints (at most 2)");
}

TEST(Error, EmptyPartsAreLeftOut) {
    EXPECT_STREQ(Error(ErrorCode::Usage, "", "", "no clip").what(), "no clip");
    EXPECT_STREQ(Error(ErrorCode::Input, "a.glb", "", "short", "").what(), "a.glb: short");
    EXPECT_STREQ(Error(ErrorCode::Input, "", "/x", "bad", "fix it").what(), "/x: bad: fix it");
}

TEST(Error, CodesAreTheExitCodes) {
    EXPECT_EQ(static_cast<int>(ErrorCode::Usage), 2);
    EXPECT_EQ(static_cast<int>(ErrorCode::Input), 3);
    EXPECT_EQ(static_cast<int>(ErrorCode::Output), 4);
    EXPECT_EQ(static_cast<int>(ErrorCode::NoGpu), 5);
    EXPECT_EQ(static_cast<int>(ErrorCode::Bug), 70);
}

TEST(Error, NoPartForgesALineOrDrivesATerminal) {
    const Error error(ErrorCode::Input, "a\nok", "/b\rc", "name \x1b[2J", "\x07\xE2\x80\xAE");
    EXPECT_STREQ(error.what(), "a\\x0aok: /b\\x0dc: name \\x1b[2J: \\x07\\u{202e}");
    EXPECT_EQ(error.file(), "a\nok") << "the parts themselves stay as they were given";
}

TEST(Error, LongPathIsShownWhole) {
    const std::string path(3000, 'p');
    EXPECT_EQ(Error(ErrorCode::Output, path, "", "full").what(), path + ": full");
}

TEST(Printable, OrdinaryTextStays) {
    const std::string text = "Ärm links \"Ω\" \U0001F9B4 a\\b ~";
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlsAreEscaped) {
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\t\x1f\x7f"), "\\x09\\x1f\\x7f");
    EXPECT_EQ(printable("\xC2\x85\xC2\x9B"), "\\u{0085}\\u{009b}") << "C1: next line, CSI";
}

TEST(Printable, SeparatorsAndBidirectionalMarksAreEscaped) {
    EXPECT_EQ(printable("\u2028\u2029"), "\\u{2028}\\u{2029}");
    EXPECT_EQ(printable("\u202A\u202E\u2066\u2069\u200F\u061C"),
              "\\u{202a}\\u{202e}\\u{2066}\\u{2069}\\u{200f}\\u{061c}");
    EXPECT_EQ(printable("\uFEFF\U000E0041"), "\\u{feff}\\u{e0041}");
}

TEST(Printable, BrokenUtf8IsEscapedByteByByte) {
    EXPECT_EQ(printable("\xFF"), "\\xff");
    EXPECT_EQ(printable("\xE2\x82"), "\\xe2\\x82") << "cut off";
    EXPECT_EQ(printable("\xC0\x8A"), "\\xc0\\x8a") << "overlong newline";
    EXPECT_EQ(printable("\xE0\x80\x8A"), "\\xe0\\x80\\x8a") << "overlong newline";
    EXPECT_EQ(printable("\xF0\x80\x80\x8A"), "\\xf0\\x80\\x80\\x8a") << "overlong newline";
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
    EXPECT_EQ(printable("\xC3"
                        "A"),
              "\\xc3"
              "A")
        << "the byte after a broken one is not lost";
}

TEST(Printable, EndsOfTheRangesAreWhole) {
    for (const char* text :
         {"\u00A0", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\U00010000", "\U0010FFFD"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, LimitCutsNeitherCodePointNorEscape) {
    EXPECT_EQ(printable("abcdef", 6), "abcdef");
    EXPECT_EQ(printable("abcdef", 5), "abcde...");
    EXPECT_EQ(printable("abc\u00E4", 4), "abc...");
    EXPECT_EQ(printable("abc\u00E4", 5), "abc\u00E4");
    EXPECT_EQ(printable("abc\n", 6), "abc...");
    EXPECT_EQ(printable("abc\n", 7), "abc\\x0a");
    EXPECT_EQ(printable(std::string(300, 'x')), std::string(200, 'x') + "...");
}

}  // namespace
}  // namespace skinpose
