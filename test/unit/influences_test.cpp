#include "skinpose/influences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace skinpose::test {
namespace {

InfluenceSet floats(std::vector<std::uint16_t> joints, std::vector<float> weights) {
    return {std::move(joints), std::move(weights), {}, 0};
}

InfluenceSet bytes(std::vector<std::uint16_t> joints, std::vector<std::uint16_t> integers,
                   std::uint16_t one = 255) {
    InfluenceSet set{std::move(joints), {}, std::move(integers), one};
    for (const std::uint16_t i : set.integers)
        set.weights.push_back(static_cast<float>(static_cast<double>(i) / one));
    return set;
}

VertexInfluences merge(std::size_t vertices, std::vector<InfluenceSet> sets) {
    return merge_influences(vertices, sets);
}

std::vector<float> weights_of(const InfluenceTable& table, std::size_t vertex) {
    const auto first = table.weights.begin() + static_cast<std::ptrdiff_t>(vertex * table.width);
    return {first, first + static_cast<std::ptrdiff_t>(table.width)};
}

std::vector<std::uint16_t> joints_of(const InfluenceTable& table, std::size_t vertex) {
    const auto first = table.joints.begin() + static_cast<std::ptrdiff_t>(vertex * table.width);
    return {first, first + static_cast<std::ptrdiff_t>(table.width)};
}

/// Eight joints 0..7, an eighth each.
VertexInfluences eight_eighths() {
    return merge(1, {floats({0, 1, 2, 3}, {.125, .125, .125, .125}),
                     floats({4, 5, 6, 7}, {.125, .125, .125, .125})});
}

TEST(Influences, AreSortedHeaviestFirstAndOnATieTheLowerJointFirst) {
    const VertexInfluences v = merge(1, {floats({9, 3, 7, 1}, {.25, .25, .125, .375})});
    EXPECT_EQ(joints_of(v.all, 0), (std::vector<std::uint16_t>{1, 3, 9, 7}));
    EXPECT_EQ(weights_of(v.all, 0), (std::vector<float>{.375, .25, .25, .125}));
}

TEST(Influences, TheSameJointTwiceIsAddedUpAndCounted) {
    const VertexInfluences v = merge(1, {floats({1, 2, 3, 3}, {.25, .25, .25, .25})});
    EXPECT_EQ(v.duplicate_joints, 1u);
    EXPECT_EQ(joints_of(v.all, 0)[0], 3);
    EXPECT_EQ(weights_of(v.all, 0)[0], .5F);
    EXPECT_EQ(v.weight_sums[0], 1.0);
}

TEST(Influences, TheSameJointInTwoSetsIsAddedUpToo) {
    const VertexInfluences v =
        merge(1, {floats({5, 0, 0, 0}, {.5, 0, 0, 0}), floats({5, 6, 0, 0}, {.25, .25, 0, 0})});
    EXPECT_EQ(v.duplicate_joints, 1u);
    EXPECT_EQ(v.sets, 2u);
    EXPECT_EQ(joints_of(v.all, 0)[0], 5);
    EXPECT_EQ(weights_of(v.all, 0)[0], .75F);
}

TEST(Influences, AnUnusedSlotIsNoDuplicate) {
    // The common way to fill up: joint 0 at weight 0 again and again, beside a real joint 0.
    const VertexInfluences v = merge(1, {floats({0, 0, 0, 0}, {1, 0, 0, 0})});
    EXPECT_EQ(v.duplicate_joints, 0u);
    EXPECT_EQ(weights_of(v.all, 0)[0], 1.0F);
}

TEST(Influences, UnusedSlotsComeLastAsJointZero) {
    const VertexInfluences v =
        merge(2, {floats({7, 8, 9, 6, 1, 2, 3, 4}, {0, 1, 0, 0, .25, .25, .25, .25})});
    ASSERT_EQ(v.all.width, 4u);
    EXPECT_EQ(joints_of(v.all, 0), (std::vector<std::uint16_t>{8, 0, 0, 0}));
    EXPECT_EQ(weights_of(v.all, 0), (std::vector<float>{1, 0, 0, 0}));
}

TEST(Influences, NormalisedIntegersAreSummedAsIntegers) {
    // 85 / 255 is no float: three of them rounded first do not make 1, 255 / 255 does.
    const VertexInfluences v = merge(1, {bytes({0, 1, 2, 0}, {85, 85, 85, 0})});
    EXPECT_EQ(v.weight_sums[0], 1.0);
    const VertexInfluences words = merge(1, {bytes({0, 1, 2, 3}, {1, 2, 3, 65529}, 65535)});
    EXPECT_EQ(words.weight_sums[0], 1.0);
}

TEST(Influences, SumsOfBytesShortByOneAreOffByOneOf255) {
    InfluenceReport report;
    cap_influences(merge(1, {bytes({0, 1, 2, 0}, {85, 85, 84, 0})}), {}, report);
    // |254 / 255 - 1|: one rounding of a number just below 1. Summed as floats it is off by 1e-8.
    EXPECT_NEAR(report.worst_weight_sum_error, 1.0 / 255, 0x1p-53);
    EXPECT_EQ(report.off_sum_vertices, (std::vector<std::uint32_t>{0}));
}

TEST(Cap, KeepsTheFourHeaviestAndCountsTheRest) {
    InfluenceReport report;
    const InfluenceTable table = cap_influences(eight_eighths(), {}, report);
    EXPECT_EQ(joints_of(table, 0), (std::vector<std::uint16_t>{0, 1, 2, 3}));
    EXPECT_EQ(weights_of(table, 0), (std::vector<float>{.25, .25, .25, .25}));
    EXPECT_EQ(report.discarded_influences, 4u);
    EXPECT_EQ(report.largest_discarded_weight, 0.125);
    EXPECT_EQ(report.capped_vertices, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(report.worst_weight_sum_error, 0.0);
}

TEST(Cap, RescalesWhereItBitEvenWithoutRenormalising) {
    InfluenceReport report;
    const InfluenceTable table =
        cap_influences(eight_eighths(), {.max_influences = 2, .renormalize = false}, report);
    ASSERT_EQ(table.width, 2u);
    EXPECT_EQ(weights_of(table, 0), (std::vector<float>{.5, .5}));
    EXPECT_EQ(report.discarded_influences, 6u);
}

TEST(Cap, OfAllKeepsEveryInfluence) {
    InfluenceReport report;
    const InfluenceTable table =
        cap_influences(eight_eighths(), {.max_influences = kAllInfluences}, report);
    EXPECT_EQ(table.width, 8u);
    EXPECT_EQ(weights_of(table, 0), std::vector<float>(8, .125F));
    EXPECT_EQ(report.discarded_influences, 0u);
    EXPECT_TRUE(report.capped_vertices.empty());
}

TEST(Cap, TheDiscardedWeightIsAsTheFileHasIt) {
    // Weights 4, 2, 1, 1 of sum 8 (off by 7): dropping two of weight 1, not of 1/8.
    InfluenceReport report;
    const InfluenceTable table = cap_influences(merge(1, {floats({0, 1, 2, 3}, {4, 2, 1, 1})}),
                                                {.max_influences = 2}, report);
    EXPECT_EQ(report.discarded_influences, 2u);
    EXPECT_EQ(report.largest_discarded_weight, 1.0);
    EXPECT_EQ(report.worst_weight_sum_error, 7.0);
    EXPECT_EQ(weights_of(table, 0),
              (std::vector<float>{static_cast<float>(4.0 / 6), static_cast<float>(2.0 / 6)}));
}

TEST(Cap, OnATieTheHigherJointGoes) {
    InfluenceReport report;
    const InfluenceTable table = cap_influences(
        merge(1, {floats({9, 4, 7, 2}, {.25, .25, .25, .25})}), {.max_influences = 3}, report);
    EXPECT_EQ(joints_of(table, 0), (std::vector<std::uint16_t>{2, 4, 7}));
}

TEST(Cap, DuplicatesAreMergedBeforeTheCapBites) {
    // Five slots, four joints: nothing to discard.
    InfluenceReport report;
    cap_influences(merge(1, {floats({0, 1, 2, 3}, {.25, .25, .25, .125}),
                             floats({3, 0, 0, 0}, {.125, 0, 0, 0})}),
                   {}, report);
    EXPECT_EQ(report.discarded_influences, 0u);
}

TEST(Cap, RenormalisesOnceToTheNearestFloats) {
    InfluenceReport report;
    const VertexInfluences v = merge(1, {floats({0, 1, 2, 0}, {.3F, .3F, .3F, 0})});
    const InfluenceTable table = cap_influences(v, {}, report);
    // Divided in double and rounded once: the float nearest to a third.
    EXPECT_EQ(weights_of(table, 0)[0], static_cast<float>(1.0 / 3));
    EXPECT_NEAR(report.worst_weight_sum_error, 0.1, 1e-7);
    EXPECT_EQ(report.off_sum_vertices, (std::vector<std::uint32_t>{0}));
}

TEST(Cap, WithoutRenormalisingTheFilesWeightsStay) {
    InfluenceReport report;
    const InfluenceTable table = cap_influences(merge(1, {floats({0, 1, 0, 0}, {.3F, .2F, 0, 0})}),
                                                {.renormalize = false}, report);
    EXPECT_EQ(weights_of(table, 0)[0], .3F);
    EXPECT_EQ(weights_of(table, 0)[1], .2F);
    EXPECT_NEAR(report.worst_weight_sum_error, 0.5, 1e-7);
}

TEST(Cap, AnExactSumIsLeftBitForBit) {
    InfluenceReport report;
    const std::vector<float> dyadic{0.8125F, 0.125F, 0.046875F, 0.015625F};
    const InfluenceTable table =
        cap_influences(merge(1, {floats({3, 2, 1, 0}, dyadic)}), {}, report);
    EXPECT_EQ(weights_of(table, 0), dyadic);
    EXPECT_TRUE(report.off_sum_vertices.empty());
}

TEST(Cap, BytesThatMakeOneAreNotTouchedByRenormalising) {
    // As floats 85/255 three times does not sum to exactly 1; by the integers it does, so the
    // weights are those of the file.
    InfluenceReport report;
    const VertexInfluences v = merge(1, {bytes({0, 1, 2, 0}, {85, 85, 85, 0})});
    const InfluenceTable table = cap_influences(v, {}, report);
    EXPECT_EQ(weights_of(table, 0)[0], static_cast<float>(85.0 / 255));
    EXPECT_EQ(report.worst_weight_sum_error, 0.0);
    EXPECT_TRUE(report.off_sum_vertices.empty());
}

TEST(Cap, AVertexWithoutWeightIsCountedAndNoSumError) {
    InfluenceReport report;
    const InfluenceTable table = cap_influences(
        merge(2, {floats({5, 6, 7, 8, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0})}), {}, report);
    EXPECT_EQ(report.unweighted_vertices, 1u);
    EXPECT_EQ(report.worst_weight_sum_error, 0.0);
    EXPECT_TRUE(report.off_sum_vertices.empty());
    for (const float w : weights_of(table, 0)) EXPECT_EQ(w, 0.0F);
    for (const std::uint16_t j : joints_of(table, 0)) EXPECT_EQ(j, 0);
}

TEST(Cap, TheSumErrorIsOverAllSetsNotTheKeptOnes) {
    // Eight eighths are right in full; that the four kept sum to 1/2 is the cap's doing.
    InfluenceReport report;
    cap_influences(eight_eighths(), {.max_influences = 4, .renormalize = false}, report);
    EXPECT_EQ(report.worst_weight_sum_error, 0.0);
}

TEST(Cap, LeavesOtherVerticesAlone) {
    InfluenceReport report;
    const VertexInfluences v = merge(3, {floats({0, 1, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0},
                                                {.5, .5, 0, 0, .25, .25, .25, .25, 1, 0, 0, 0})});
    const InfluenceTable table = cap_influences(v, {.max_influences = 2}, report);
    EXPECT_EQ(report.capped_vertices, (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(weights_of(table, 0), (std::vector<float>{.5, .5}));
    EXPECT_EQ(joints_of(table, 2)[0], 4);
    EXPECT_EQ(weights_of(table, 2)[0], 1.0F);
}

TEST(Cap, ATinyWeightBesideAHugeOneIsStillAnInfluence) {
    InfluenceReport report;
    cap_influences(merge(1, {floats({0, 1, 0, 0}, {1, 1e-30F, 0, 0})}), {.max_influences = 1},
                   report);
    EXPECT_EQ(report.discarded_influences, 1u);
    EXPECT_EQ(report.largest_discarded_weight, static_cast<double>(1e-30F));
}

TEST(Cap, WeightsNearTheEndOfFloatsStayFinite) {
    InfluenceReport report;
    const InfluenceTable table =
        cap_influences(merge(1, {floats({0, 1, 0, 0}, {3e38F, 3e38F, 0, 0})}), {}, report);
    EXPECT_EQ(weights_of(table, 0)[0], .5F);
    const InfluenceTable small =
        cap_influences(merge(1, {floats({0, 1, 0, 0}, {1e-44F, 1e-44F, 0, 0})}), {}, report);
    EXPECT_EQ(weights_of(small, 0)[0], .5F);
}

}  // namespace
}  // namespace skinpose::test
