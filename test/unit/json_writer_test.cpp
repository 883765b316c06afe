#include "skinpose/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "skinpose/error.h"

namespace skinpose {
namespace {

using nlohmann::json;

template <typename Value>
std::string text_of(const Value& value) {
    JsonWriter writer;
    writer.value(value);
    return writer.text();
}

template <typename Number>
std::string decimal(Number value) {
    std::string out;
    append_number(out, value);
    return out;
}

TEST(AppendNumber, IsTheShortestThatReadsBack) {
    EXPECT_EQ(decimal(0.1F), "0.1");
    EXPECT_EQ(decimal(0.1), "0.1");
    EXPECT_EQ(decimal(static_cast<double>(0.1F)), "0.10000000149011612");
    EXPECT_EQ(decimal(1.0F / 3.0F), "0.33333334");
    EXPECT_EQ(decimal(1.0 / 3.0), "0.3333333333333333");
    EXPECT_EQ(decimal(-0.0F), "-0");
    EXPECT_EQ(decimal(24.0), "24");
    EXPECT_EQ(decimal(std::uint64_t{18446744073709551615U}), "18446744073709551615");
    EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(AppendNumber, AppendsToWhatIsThere) {
    std::string out = "v ";
    append_number(out, 1.5F);
    append_number(out, std::uint64_t{7});
    EXPECT_EQ(out, "v 1.57");
}

TEST(AppendNumber, EveryKindOfFloatReadsBackBitForBit) {
    // A stride through all bit patterns: subnormals, both signs, all exponents.
    for (std::uint64_t bits = 0; bits < 0x100000000U; bits += 65521) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (!std::isfinite(value)) continue;
        const float back = std::strtof(decimal(value).c_str(), nullptr);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(back), static_cast<std::uint32_t>(bits));
    }
    for (const double value :
         {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
          std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min(), 1e23,
          -123456789.125})
        EXPECT_EQ(std::strtod(decimal(value).c_str(), nullptr), value);
}

TEST(JsonWriter, LaysOutTwoSpacesALevel) {
    JsonWriter writer;
    writer.begin_object();
    writer.key("vertices").value(std::uint64_t{24});
    writer.key("bounds").begin_inline_array().value(1.5).value(-2).value(0.25F).end_array();
    writer.key("parts").begin_array();
    writer.begin_object().key("closed").value(true).end_object();
    writer.value("x").null();
    writer.end_array();
    writer.key("none").begin_array().end_array();
    writer.key("nothing").begin_object().end_object();
    writer.end_object();
    EXPECT_EQ(writer.text(),
              "{\n"
              "  \"vertices\": 24,\n"
              "  \"bounds\": [1.5, -2, 0.25],\n"
              "  \"parts\": [\n"
              "    {\n"
              "      \"closed\": true\n"
              "    },\n"
              "    \"x\",\n"
              "    null\n"
              "  ],\n"
              "  \"none\": [],\n"
              "  \"nothing\": {}\n"
              "}\n");
    EXPECT_EQ(json::parse(writer.text()), json::parse(R"({"vertices":24,"bounds":[1.5,-2,0.25],
                             "parts":[{"closed":true},"x",null],"none":[],"nothing":{}})"));
}

TEST(JsonWriter, InlineArrayKeepsAllItHoldsOnOneLine) {
    JsonWriter writer;
    writer.begin_inline_array();
    writer.begin_array().value(1).value(2).end_array();
    writer.begin_object().key("a").value(3).key("b").value(4).end_object();
    writer.end_array();
    EXPECT_EQ(writer.text(), "[[1, 2], {\"a\": 3, \"b\": 4}]\n");
    EXPECT_EQ(json::parse(writer.text()), json::parse(R"([[1,2],{"a":3,"b":4}])"));
}

TEST(JsonWriter, IntegersOfEveryTypeKeepTheirSign) {
    EXPECT_EQ(text_of(-1), "-1\n");
    EXPECT_EQ(text_of(std::int8_t{-128}), "-128\n");
    EXPECT_EQ(text_of(std::uint8_t{200}), "200\n");
    EXPECT_EQ(text_of(std::int64_t{-9223372036854775807}), "-9223372036854775807\n");
    EXPECT_EQ(text_of(std::size_t{18446744073709551615U}), "18446744073709551615\n");
    EXPECT_EQ(json::parse(text_of(-70)).get<int>(), -70);
    EXPECT_EQ(json::parse(text_of(std::size_t{18446744073709551615U})).get<std::size_t>(),
              18446744073709551615U);
}

TEST(JsonWriter, NumbersReadBackBitForBit) {
    for (const double value : {0.0, -0.0, 0.1, 1e300, -4.9e-324, 1.0 / 3.0, 1e21, 123456789012.0}) {
        const double back = json::parse(text_of(value)).get<double>();
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << value;
    }
    for (const float value : {0.1F, -0.0F, 3.4e38F, 1e-45F}) {
        const float back = json::parse(text_of(value)).get<float>();
        EXPECT_EQ(std::bit_cast<std::uint32_t>(back), std::bit_cast<std::uint32_t>(value)) << value;
    }
    EXPECT_EQ(text_of(0.1F), "0.1\n") << "not the double next to it";
}

TEST(JsonWriter, WhatIsNotFiniteIsNull) {
    EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null\n");
    EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "null\n");
    EXPECT_EQ(text_of(-std::numeric_limits<float>::infinity()), "null\n");
}

TEST(JsonWriter, EveryByteStringIsValidAndReadsBack) {
    for (int c = 1; c < 128; ++c) {
        const std::string text = std::string("a") + static_cast<char>(c) + "b";
        EXPECT_EQ(json::parse(text_of(text)).get<std::string>(), text) << c;
    }
    const std::string zero("a\0b", 3);
    EXPECT_EQ(json::parse(text_of(zero)).get<std::string>(), zero);
    for (const char* text :
         {"", "Ärm 骨 \U0001F9B4", "\u2028\u202E\uFEFF\uFFFF\U000E0001\U0001FFFF", "\\u0041",
          "\"}], \"x\": [{\""})
        EXPECT_EQ(json::parse(text_of(text)).get<std::string>(), text);
}

TEST(JsonWriter, EachBrokenByteIsOneReplacementCharacter) {
    EXPECT_EQ(json::parse(text_of("a\xFF\xE2\x82z")).get<std::string>(), "a\uFFFD\uFFFD\uFFFDz");
    EXPECT_EQ(json::parse(text_of("\xED\xA0\x80")).get<std::string>(), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(json::parse(text_of("\xC0\x80")).get<std::string>(), "\uFFFD\uFFFD");
}

TEST(JsonWriter, NothingWrittenDrivesATerminal) {
    for (const char c : text_of("\x1b[2J\x7F\u009B\u202E\r\n")) {
        const auto byte = static_cast<unsigned char>(c);
        EXPECT_TRUE((byte >= 0x20 && byte < 0x7F) || c == '\n') << static_cast<int>(byte);
    }
}

TEST(JsonWriter, KeysAreEscapedToo) {
    JsonWriter writer;
    writer.begin_object().key("a\"\n").value(1).end_object();
    EXPECT_EQ(json::parse(writer.text()).at("a\"\n").get<int>(), 1);
}

template <typename Misuse>
void expect_bug(const Misuse& misuse) {
    JsonWriter writer;
    try {
        misuse(writer);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Bug);
    }
}

TEST(JsonWriter, RefusesWhatIsNoJson) {
    expect_bug([](JsonWriter& w) { w.begin_object().value(1); });
    expect_bug([](JsonWriter& w) { w.begin_array().key("a"); });
    expect_bug([](JsonWriter& w) { w.key("a"); });
    expect_bug([](JsonWriter& w) { w.begin_object().key("a").key("b"); });
    expect_bug([](JsonWriter& w) { w.begin_object().key("a").end_object(); });
    expect_bug([](JsonWriter& w) { w.begin_object().end_array(); });
    expect_bug([](JsonWriter& w) { w.begin_array().end_object(); });
    expect_bug([](JsonWriter& w) { w.end_object(); });
    expect_bug([](JsonWriter& w) { w.value(1).value(2); });
    expect_bug([](JsonWriter& w) { (void)w.begin_array().text(); });
    expect_bug([](JsonWriter& w) { (void)w.text(); });
}

}  // namespace
}  // namespace skinpose
