#include "skinpose/skinning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/mesh_compare.h"
#include "support/posing.h"
#include "support/skin_rig.h"

namespace skinpose::test {
namespace {

constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

/// Every claim holds for the reference (double) and the CPU (float).
template <typename Real>
class Skinning : public testing::Test {
   protected:
    /// A few roundings of numbers of size 1.
    static constexpr double kTolerance = std::is_same_v<Real, double> ? 4e-15 : 2e-6;

    static Vec3 position(const SkinRig& rig) {
        return skin<Real>(rig.job()).positions.at(0).template cast<double>();
    }
    static Vec3 normal(const SkinRig& rig) {
        return skin<Real>(rig.job()).normals.at(0).template cast<double>();
    }
};

using Reals = testing::Types<float, double>;
class Names {
   public:
    template <typename Real>
    static std::string GetName(int) {
        return std::is_same_v<Real, double> ? "Reference" : "Cpu";
    }
};
TYPED_TEST_SUITE(Skinning, Reals, Names);

Vec3f unit(float x, float y, float z) {
    const float length = std::sqrt(x * x + y * y + z * z);
    return Vec3f(x / length, y / length, z / length);
}

Mat4 shear_matrix() {
    Mat4 m = Mat4::Identity();
    m(0, 1) = 0.5;
    return m;
}

TYPED_TEST(Skinning, LinearBlendIsTheWeightedSumOfTheJointsPlaces) {
    // (1, 0, 0) under I and under a quarter turn about z moved by (0, 0, 4): a quarter of (1, 0, 0)
    // and three of (0, 1, 4).
    const Mat4 turned = compose_trs(Vec3(0, 0, 4), turn(Vec3(0, 0, 1), 90), Vec3::Ones());
    const SkinRig rig = one_vertex(Vec3f(1, 0, 0), {Mat4::Identity(), turned}, {.25, .75});
    EXPECT_TRUE(point_close(this->position(rig), Vec3(.25, .75, 3), this->kTolerance));
}

TYPED_TEST(Skinning, UnweightedVertexKeepsItsPlaceAndIsCounted) {
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(1, 2, 3), {translation_matrix(100, 0, 0)}, {0});
        rig.normals = {Vec3f(0.6F, 0, 0.8F)};  // unit up to rounding: kept bit for bit
        rig.method = method;
        const auto result = skin<TypeParam>(rig.job());
        EXPECT_EQ(result.positions[0].template cast<float>(), Vec3f(1, 2, 3));
        EXPECT_EQ(result.normals[0].template cast<float>(), Vec3f(0.6F, 0, 0.8F));
        EXPECT_EQ(result.report.unweighted_vertices, 1u);
        EXPECT_EQ(result.mirrored[0], 0);
    }
}

TYPED_TEST(Skinning, NormalOfAnUnweightedVertexLeavesAtUnitLength) {
    SkinRig rig = one_vertex(Vec3f(1, 2, 3), {translation_matrix(100, 0, 0)}, {0});
    rig.normals = {Vec3f(3, 0, 4)};  // length 5
    const Vec3 normal = skin<TypeParam>(rig.job()).normals[0].template cast<double>();
    EXPECT_TRUE(point_close(normal, Vec3(0.6, 0, 0.8), 1e-7));
}

TYPED_TEST(Skinning, UnweightedVertexIsMovedByTheUnweightedMatrixAlone) {
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(1, 2, 3), {translation_matrix(100, 0, 0)}, {0});
        rig.normals = {Vec3f(1, 0, 0)};
        rig.method = method;
        rig.unweighted = compose_trs(Vec3(0, 0, 1), turn(Vec3(0, 0, 1), 90), Vec3(2, 1, 1));
        EXPECT_TRUE(point_close(this->position(rig), Vec3(-2, 2, 4), this->kTolerance));
        EXPECT_TRUE(point_close(this->normal(rig), Vec3(0, 1, 0), this->kTolerance));
    }
}

TYPED_TEST(Skinning, ARigidPrimitiveIsPosedByTheUnweightedMatrix) {
    SkinRig rig;
    rig.positions = {Vec3f(1, 0, 0), Vec3f(0, 1, 0)};
    rig.normals = {Vec3f(0, 0, 1), Vec3f(1, 0, 0)};
    rig.unweighted = scale_matrix(2, 3, -4);
    const auto result = skin<TypeParam>(rig.job());
    EXPECT_EQ(result.report.unweighted_vertices, 2u);
    EXPECT_EQ(result.positions[1].template cast<float>(), Vec3f(0, 3, 0));
    EXPECT_EQ(result.normals[0].template cast<float>(), Vec3f(0, 0, -1));
    EXPECT_EQ(result.mirrored[0], 1);
}

TYPED_TEST(Skinning, TheIdentityPaletteReturnsTheMeshBitForBit) {
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(0.1F, -0.7F, 1e-20F), std::vector<Mat4>(4, Mat4::Identity()),
                                 {.5, .25, .125, .125});
        rig.method = method;
        const Vec3f out = skin<TypeParam>(rig.job()).positions[0].template cast<float>();
        EXPECT_EQ(std::memcmp(out.data(), rig.positions[0].data(), sizeof(Vec3f)), 0);
    }
}

TYPED_TEST(Skinning, OneInfluenceOfWeightOneIsTheJointsMatrixUnderBothMethods) {
    Mat4 both = shear_matrix();
    both(2, 0) = -0.75;
    const Mat4 inner[] = {Mat4::Identity(),
                          shear_matrix(),
                          scale_matrix(1, 2, 3),
                          scale_matrix(-1, 1, 1),
                          scale_matrix(1, 1, -1),
                          scale_matrix(-1, -2, -3),
                          multiply(both, scale_matrix(.5, -2, 1))};
    for (const Mat4& affine : inner)
        for (const double degrees : {0.0, 90.0, 130.0, 180.0, 270.0}) {
            Mat4 m = multiply(rotation_matrix(Vec3(0.6, 0, 0.8), degrees), affine);
            m(0, 3) = 1;
            m(1, 3) = -2;
            SkinRig rig = one_vertex(Vec3f(0.5F, 0.25F, -1), {m}, {1});
            rig.normals = {unit(1, 2, -2)};
            const Vec3 expected = transform_point(m, Vec3(0.5, 0.25, -1));
            const Vec3 linear_normal = this->normal(rig);
            EXPECT_TRUE(point_close(this->position(rig), expected, 2 * this->kTolerance));
            const bool mirrors = skin<TypeParam>(rig.job()).mirrored[0] != 0;
            EXPECT_EQ(mirrors, determinant3(m) < 0);
            rig.method = SkinMethod::DualQuaternion;
            EXPECT_TRUE(point_close(this->position(rig), expected, 4 * this->kTolerance));
            EXPECT_TRUE(point_close(this->normal(rig), linear_normal, 4 * this->kTolerance));
            EXPECT_EQ(skin<TypeParam>(rig.job()).mirrored[0] != 0, mirrors);
            EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 0u);
        }
}

TYPED_TEST(Skinning, PureTranslationsBlendAlikeUnderBothMethods) {
    SkinRig rig = one_vertex(
        Vec3f(1, 2, 3), {translation_matrix(4, 0, 0), translation_matrix(0, 8, 0)}, {.75, .25});
    EXPECT_TRUE(point_close(this->position(rig), Vec3(4, 4, 3), this->kTolerance));
    rig.method = SkinMethod::DualQuaternion;
    EXPECT_TRUE(point_close(this->position(rig), Vec3(4, 4, 3), 2 * this->kTolerance));
}

TYPED_TEST(Skinning, TwoTurnsAcrossTheBackMeetAtTheBack) {
    // +170 and -170 degrees about z are 20 degrees apart, across 180. As quaternions their dot is
    // cos^2 85 - sin^2 85 < 0: one must be flipped, else the blend is no turn at all.
    SkinRig rig = one_vertex(
        Vec3f(1, 0, 0), {rotation_matrix(Vec3(0, 0, 1), 170), rotation_matrix(Vec3(0, 0, 1), -170)},
        {.5, .5});
    EXPECT_TRUE(
        point_close(this->position(rig), Vec3(-std::cos(radians(10)), 0, 0), this->kTolerance));
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 0u);
    rig.method = SkinMethod::DualQuaternion;
    EXPECT_TRUE(point_close(this->position(rig), Vec3(-1, 0, 0), this->kTolerance));
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 1u);
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.ambiguous_flips, 0u);
}

TYPED_TEST(Skinning, AnUnusedSlotFlipsNothing) {
    SkinRig rig = one_vertex(
        Vec3f(1, 0, 0), {rotation_matrix(Vec3(0, 0, 1), 170), rotation_matrix(Vec3(0, 0, 1), -170)},
        {1, 0});
    rig.method = SkinMethod::DualQuaternion;
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 0u);
}

TYPED_TEST(Skinning, AHalfTurnApartIsCountedAsACoinToss) {
    SkinRig rig = one_vertex(Vec3f(1, 0, 0),
                             {Mat4::Identity(), rotation_matrix(Vec3(0, 0, 1), 180)}, {.5, .5});
    rig.method = SkinMethod::DualQuaternion;
    const auto result = skin<TypeParam>(rig.job());
    EXPECT_EQ(result.report.ambiguous_flips, 1u);
    // Either way the middle of a half turn is a quarter turn: radius 1, at +-90 degrees.
    EXPECT_NEAR(std::fabs(static_cast<double>(result.positions[0][1])), 1.0, this->kTolerance);
    // A degree off is none.
    rig.set_palette({Mat4::Identity(), rotation_matrix(Vec3(0, 0, 1), 179)});
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.ambiguous_flips, 0u);
}

TYPED_TEST(Skinning, TheHeaviestInfluenceIsThePivot) {
    // Turns of 0, 120 and 240 (w >= 0: -120) degrees about z. Seen from the first (pivot), neither
    // of the others is flipped (dot = cos 60). Seen from the second, the third is (dot of +-60 half
    // angles = cos 120). Weights .5, .25, .25 leave the blend at 0; were the second the pivot, the
    // third would count with the other sign: tan(half) = (.25 + .25) sin 60 / .5 = 40.9 degrees.
    const auto at_degrees = [](double d) { return rotation_matrix(Vec3(0, 0, 1), d); };
    SkinRig rig = one_vertex(Vec3f(1, 0, 0), {at_degrees(0), at_degrees(120), at_degrees(240)},
                             {.5, .25, .25});
    rig.method = SkinMethod::DualQuaternion;
    EXPECT_TRUE(point_close(this->position(rig), Vec3(1, 0, 0), this->kTolerance));
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 0u);
    rig.set_palette({at_degrees(120), at_degrees(0), at_degrees(240)});
    // Now 120 is the pivot: 240 is flipped to cos 120, -sin 120 ... summed with weights .5, .25,
    // .25: real parts (sin, cos of half): .5 (s60, c60) + .25 (0, 1) + .25 (s60, -c60) = (.75 s60,
    // .375).
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.antipodal_flips, 1u);
    const double half = std::atan2(.75 * std::sin(radians(60)), .25 + .25 - .125);
    EXPECT_TRUE(point_close(this->position(rig), Vec3(std::cos(2 * half), std::sin(2 * half), 0),
                            this->kTolerance));
}

TYPED_TEST(Skinning, TheResidualIsBlendedLinearlyUnderTheBlendedRotation) {
    // Half I, half a quarter turn about z of a threefold stretch along y: S = diag(1, 2, 1), R = 45
    // degrees. (0, 1, 0) goes to R (0, 2, 0); linear blend takes it to the mean of (0, 1) and (-3,
    // 0).
    const Mat4 m = multiply(rotation_matrix(Vec3(0, 0, 1), 90), scale_matrix(1, 3, 1));
    SkinRig rig = one_vertex(Vec3f(0, 1, 0), {Mat4::Identity(), m}, {.5, .5});
    rig.normals = {unit(1, 1, 0)};
    EXPECT_TRUE(point_close(this->position(rig), Vec3(-1.5, .5, 0), this->kTolerance));
    rig.method = SkinMethod::DualQuaternion;
    const double r = std::sqrt(2);
    EXPECT_TRUE(point_close(this->position(rig), Vec3(-r, r, 0), this->kTolerance));
    // Normal: R S^-T (1, 1, 0) = R (1, 1/2, 0), at atan(1/2) + 45 degrees.
    const double angle = std::atan(0.5) + radians(45);
    EXPECT_TRUE(point_close(this->normal(rig), Vec3(std::cos(angle), std::sin(angle), 0),
                            this->kTolerance));
}

TYPED_TEST(Skinning, ADeformingJointElsewhereChangesNoOtherVertex) {
    // The residuals are skipped where all joints are rigid: a short cut, so it must not show.
    const Mat4 a = rotation_matrix(Vec3(0.6, 0, 0.8), 50);
    const Mat4 b = compose_trs(Vec3(1, 2, 3), turn(Vec3(0, 1, 0), 70), Vec3::Ones());
    SkinRig rig = one_vertex(Vec3f(0.3F, 0.7F, -1), {a, b, Mat4::Identity()}, {.625, .375});
    rig.normals = {unit(1, -1, 3)};
    rig.method = SkinMethod::DualQuaternion;
    const Vec3 position = this->position(rig), normal = this->normal(rig);
    rig.set_palette({a, b, scale_matrix(1, 5, 1)});
    EXPECT_TRUE(point_close(this->position(rig), position, 2 * this->kTolerance));
    EXPECT_TRUE(point_close(this->normal(rig), normal, 2 * this->kTolerance));
}

TYPED_TEST(Skinning, NormalsFollowTheInverseTransposeOfTheBlend) {
    // Half I, half diag(3, 1, 1): diag(2, 1, 1). Normal (1, 1, 0) goes to (1/2, 1, 0) by the
    // inverse transpose of the blend; the plain matrix gives (2, 1, 0), blended inverses (2/3, 1,
    // 0).
    SkinRig rig = one_vertex(Vec3f(0, 0, 0), {Mat4::Identity(), scale_matrix(3, 1, 1)}, {.5, .5});
    rig.normals = {unit(1, 1, 0)};
    EXPECT_TRUE(point_close(this->normal(rig), Vec3(.4472135955, .8944271910, 0), 1e-6));
    rig.fast_normals = true;
    EXPECT_TRUE(point_close(this->normal(rig), Vec3(.8944271910, .4472135955, 0), 1e-6));
}

TYPED_TEST(Skinning, AMirrorTurnsNormalsWithTheSurface) {
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(1, 0, 0), {scale_matrix(-1, 1, 1)}, {1});
        rig.normals = {unit(3, 4, 0)};
        rig.tangents = {Vec4f(0, 0, 1, 1)};
        rig.method = method;
        const auto result = skin<TypeParam>(rig.job());
        EXPECT_TRUE(point_close(this->normal(rig), Vec3(-.6, .8, 0), 2e-7));
        EXPECT_EQ(result.mirrored[0], 1);
        EXPECT_EQ(result.tangents[0][3], -1);
        EXPECT_NEAR(static_cast<double>(result.tangents[0][2]), 1.0, this->kTolerance);
    }
}

TYPED_TEST(Skinning, AFlatMatrixIsCountedAndStillGivesANormal) {
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(1, 2, 3), {scale_matrix(1, 1, 0)}, {1});
        rig.method = method;
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 0u);  // no normals
        rig.normals = {Vec3f(0, 0, 1)};  // cofactors of diag(1, 1, 0) are diag(0, 0, 1)
        EXPECT_EQ(this->normal(rig), Vec3(0, 0, 1));
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 1u);
        rig.normals = {Vec3f(1, 0, 0)};  // cofactors give nothing, the plain matrix (1, 0, 0)
        EXPECT_EQ(this->normal(rig), Vec3(1, 0, 0));
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 1u);
        rig.fast_normals = true;
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 0u);
    }
}

TYPED_TEST(Skinning, AZeroMatrixLeavesTheNormalAsItWas) {
    for (const SkinMethod method : kBoth)
        for (const bool fast : {false, true}) {
            SkinRig rig = one_vertex(Vec3f(1, 2, 3), {scale_matrix(0, 0, 0)}, {1});
            rig.normals = {Vec3f(0, 1, 0)};
            rig.tangents = {Vec4f(1, 0, 0, 1)};
            rig.method = method;
            rig.fast_normals = fast;
            const auto result = skin<TypeParam>(rig.job());
            EXPECT_EQ(result.positions[0].template cast<float>(), Vec3f(0, 0, 0));
            EXPECT_TRUE(all_finite(result.normals[0]));
            EXPECT_TRUE(all_finite(result.tangents[0]));
            // The plain matrix, asked for as such, leaves nothing of it.
            const Vec3f expected = fast ? Vec3f(0, 0, 0) : Vec3f(0, 1, 0);
            EXPECT_EQ(result.normals[0].template cast<float>(), expected);
            EXPECT_EQ(result.report.singular_normal_matrices, fast ? 0u : 1u);
        }
}

TYPED_TEST(Skinning, SingularityIsRelativeToTheSizeOfTheMatrix) {
    // A uniform scale of 1e-4 has determinant 1e-12 and is as regular as any.
    for (const double size : {1e-4, 1e-2, 1.0, 1e4}) {
        SkinRig rig = one_vertex(Vec3f(1, 0, 0), {scale_matrix(size, size, size)}, {1});
        rig.normals = {unit(3, 4, 0)};
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 0u) << size;
        EXPECT_TRUE(point_close(this->normal(rig), Vec3(.6, .8, 0), 2e-7)) << size;
        rig.set_palette({scale_matrix(size, size, 0)});
        EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 1u) << size;
    }
}

TYPED_TEST(Skinning, StretchedAxesAloneAreNotSingular) {
    // diag(1, 1, 1e-5) has orthogonal columns: relative determinant 1, normals well defined.
    SkinRig rig = one_vertex(Vec3f(1, 0, 0), {scale_matrix(1, 1, 1e-5)}, {1});
    rig.normals = {unit(0, 1, 1)};
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.singular_normal_matrices, 0u);
    EXPECT_TRUE(point_close(this->normal(rig), Vec3(0, 1e-5, 1), 1e-6));
}

TYPED_TEST(Skinning, NormalsAreOfUnitLengthWhereverTheyHaveADirection) {
    SkinRig rig = one_vertex(Vec3f(1, 0, 0), {scale_matrix(10, 20, 30)}, {1});
    rig.normals = {Vec3f(0.1F, 0.2F, 5)};
    const Vec3 n = this->normal(rig);
    EXPECT_NEAR(length3(n), 1.0, this->kTolerance);
    rig.normals = {Vec3f(0, 0, 0)};
    EXPECT_EQ(this->normal(rig), Vec3(0, 0, 0));
}

TYPED_TEST(Skinning, TangentsStaySquareToTheNormal) {
    // x += y / 2 under fast normals: normal (1, 0, 0) stays, tangent (0, 1, 0) goes to (1/2, 1, 0),
    // of which the part along the normal is taken out.
    SkinRig rig = one_vertex(Vec3f(0, 0, 0), {shear_matrix()}, {1});
    rig.normals = {Vec3f(1, 0, 0)};
    rig.tangents = {Vec4f(0, 1, 0, -1)};
    rig.fast_normals = true;
    const auto result = skin<TypeParam>(rig.job());
    EXPECT_NEAR(static_cast<double>(result.tangents[0][0]), 0, this->kTolerance);
    EXPECT_NEAR(static_cast<double>(result.tangents[0][1]), 1, this->kTolerance);
    EXPECT_EQ(result.tangents[0][3], -1);
    // Exact: normal (1, -1/2, 0) / |.|, tangent (1/2, 1, 0) / |.|.
    rig.fast_normals = false;
    const auto exact = skin<TypeParam>(rig.job());
    EXPECT_NEAR(static_cast<double>(exact.tangents[0][0]), std::sqrt(.2), this->kTolerance);
    EXPECT_NEAR(static_cast<double>(exact.tangents[0][1]), std::sqrt(.8), this->kTolerance);
}

TYPED_TEST(Skinning, WeightsThatSumToHalfAreTakenAsTheyAreByLinearBlend) {
    const SkinRig rig = one_vertex(Vec3f(2, 0, 0), {Mat4::Identity()}, {.5});
    EXPECT_EQ(this->position(rig), Vec3(1, 0, 0));
}

TYPED_TEST(Skinning, AVanishingDualQuaternionBecomesTheIdentity) {
    // A weight of 1e-7 alone (not renormalised): squared length 1e-14.
    SkinRig rig = one_vertex(Vec3f(1, 2, 3), {rotation_matrix(Vec3(0, 0, 1), 90)}, {1e-7F});
    rig.method = SkinMethod::DualQuaternion;
    EXPECT_TRUE(point_close(this->position(rig), Vec3(1, 2, 3), 1e-5));
}

TYPED_TEST(Skinning, ManyInfluencesAreAllUsed) {
    // Twelve joints at x = 0..11, weights 1/16 but for the first, 5/16: (1 + ... + 11) / 16.
    std::vector<Mat4> joints;
    std::vector<float> weights;
    for (int j = 0; j < 12; ++j) {
        joints.push_back(translation_matrix(j, 0, 0));
        weights.push_back(j == 0 ? .3125F : .0625F);
    }
    for (const SkinMethod method : kBoth) {
        SkinRig rig = one_vertex(Vec3f(0, 0, 0), joints, weights);
        rig.method = method;
        EXPECT_TRUE(point_close(this->position(rig), Vec3(66.0 / 16, 0, 0), 4 * this->kTolerance));
    }
}

TYPED_TEST(Skinning, CountsAreSumsOverTheVertices) {
    SkinRig rig;
    rig.positions.assign(5, Vec3f(1, 0, 0));
    rig.normals.assign(5, Vec3f(0, 0, 1));
    rig.width = 1;
    rig.joints = {0, 1, 1, 0, 1};
    rig.weights = {1, 1, 0, 0, 1};
    rig.set_palette({Mat4::Identity(), scale_matrix(1, 1, 0)});
    const SkinningReport report = skin<TypeParam>(rig.job()).report;
    EXPECT_EQ(report.unweighted_vertices, 2u);
    EXPECT_EQ(report.singular_normal_matrices, 2u);
    SkinningReport twice = report;
    twice += report;
    EXPECT_EQ(twice.unweighted_vertices, 4u);
    EXPECT_EQ(twice.singular_normal_matrices, 4u);
}

TYPED_TEST(Skinning, NothingToSkinIsNoFault) {
    SkinRig rig;
    rig.set_palette({Mat4::Identity()});
    rig.width = 4;
    EXPECT_EQ(skin<TypeParam>(rig.job()).report.unweighted_vertices, 0u);
}

}  // namespace
}  // namespace skinpose::test
