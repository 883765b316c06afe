#include <gtest/gtest.h>

#include "skinpose/write_mesh.h"

namespace skinpose {
namespace {

std::string token(const std::string& name) { return safe_token(name, "fallback"); }
std::string component(const std::string& name) { return safe_file_component(name, "fallback"); }

TEST(SafeToken, OrdinaryNamesStay) {
    for (const char* name : {"Arm.L", "mixamorig:Hips", "Ärm", "骨", "\U0001F9B4", "a/b", "x-1_2"})
        EXPECT_EQ(token(name), name);
}

TEST(SafeToken, NameStaysOneTokenOnOneLine) {
    EXPECT_EQ(token("a\nf 1 1 1"), "a_f_1_1_1");
    EXPECT_EQ(token("a\r\nb\tc d"), "a__b_c_d");
    EXPECT_EQ(token("red # not a comment"), "red___not_a_comment");
    EXPECT_EQ(token("joined\\"), "joined_") << "a backslash at the end would join two lines";
    EXPECT_EQ(token("\x1b[2J"), "_[2J");
    EXPECT_EQ(token(std::string("a\0b", 3)), "a_b");
    EXPECT_EQ(token("\x7F"), "_");
}

TEST(SafeToken, UnicodeBlanksAndBreaksAreReplaced) {
    for (const char* blank : {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2003", "\u200A", "\u2028",
                              "\u2029", "\u202F", "\u205F", "\u3000"})
        EXPECT_EQ(token(std::string("a") + blank + "b"), "a_b");
}

TEST(SafeToken, MarksThatAreNotSeenAreReplaced) {
    for (const char* mark : {"\u00AD", "\u061C", "\u200B", "\u200F", "\u202E", "\u2066", "\uFEFF",
                             "\uFFF9", "\uFDD0", "\uFFFE", "\uFFFF", "\U0001FFFF", "\U000E0001"})
        EXPECT_EQ(token(std::string("a") + mark + "b"), "a_b");
    EXPECT_EQ(token("\uFFFC\uFFFD\uFDCF\uFDF0"), "\uFFFC\uFFFD\uFDCF\uFDF0");
}

TEST(SafeToken, EveryBrokenByteIsReplaced) {
    EXPECT_EQ(token("a\xFF\xFE"), "a__");
    EXPECT_EQ(token("a\xE2\x82"), "a__");
    EXPECT_EQ(token("\xED\xA0\x80"), "___");
    EXPECT_EQ(token("\xC0\xAE"), "__");
}

TEST(SafeToken, EmptyBecomesTheFallback) {
    EXPECT_EQ(token(""), "fallback");
    EXPECT_EQ(token(" "), "_");
}

TEST(SafeFileComponent, CannotLeaveItsFolder) {
    EXPECT_EQ(component(".."), "__");
    EXPECT_EQ(component("."), "_");
    EXPECT_EQ(component("../../etc/passwd"), "___.._etc_passwd");
    EXPECT_EQ(component("/tmp/x"), "_tmp_x");
    EXPECT_EQ(component("..\\x"), "___x");
    EXPECT_EQ(component("C:x"), "C_x");
}

TEST(SafeFileComponent, IsNeitherAnOptionNorHidden) {
    EXPECT_EQ(component("-rf"), "_rf");
    EXPECT_EQ(component("--help"), "__help");
    EXPECT_EQ(component(".bashrc"), "_bashrc");
    EXPECT_EQ(component(".-.x"), "___x");
    EXPECT_EQ(component("a-b.c"), "a-b.c");
}

TEST(SafeFileComponent, WhatAnySystemForbidsIsReplaced) {
    EXPECT_EQ(component("a:b*c?d\"e<f>g|h"), "a_b_c_d_e_f_g_h");
    EXPECT_EQ(component("a\nf 1 1 1"), "a_f_1_1_1");
    EXPECT_EQ(component("end."), "end_");
    EXPECT_EQ(component("end..."), "end___");
    EXPECT_EQ(component("end "), "end_");
    EXPECT_EQ(component("Ärm 骨"), "Ärm_骨");
}

TEST(SafeFileComponent, DosDevicesGetAnUnderscore) {
    for (const char* name : {"CON", "con", "Prn", "AUX", "nul", "COM1", "com0", "LPT9", "COM¹",
                             "lpt³", "CON.txt", "nul.tar.gz", "CONIN$", "conout$"})
        EXPECT_EQ(component(name), std::string("_") + name);
    for (const char* name : {"CONE", "COM", "COM10", "LPTX", "ICON", "x.CON", "CON_"})
        EXPECT_EQ(component(name), name);
}

TEST(SafeFileComponent, AtMost100BytesCutAtACodePoint) {
    EXPECT_EQ(component(std::string(100, 'x')), std::string(100, 'x'));
    EXPECT_EQ(component(std::string(101, 'x')), std::string(100, 'x'));
    EXPECT_EQ(component(std::string(98, 'x') + "\u00E4y"), std::string(98, 'x') + "\u00E4");
    EXPECT_EQ(component(std::string(99, 'x') + "\u00E4y"), std::string(99, 'x'));
    EXPECT_EQ(component(std::string(97, 'x') + "\U0001F9B4"), std::string(97, 'x'));
    EXPECT_EQ(component("con." + std::string(200, 'x')), "_con." + std::string(95, 'x'));
    EXPECT_EQ(component(std::string(99, 'x') + ".y"), std::string(99, 'x') + "_");
}

TEST(SafeFileComponent, EmptyBecomesTheFallback) { EXPECT_EQ(component(""), "fallback"); }

}  // namespace
}  // namespace skinpose
