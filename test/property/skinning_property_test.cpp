#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "skinpose/skinning.h"
#include "support/mesh_compare.h"
#include "support/posing.h"
#include "support/random.h"
#include "support/skin_rig.h"

namespace skinpose::test {
namespace {

constexpr double kUnit = 0x1p-24;  // half an ulp of 1 in float: the error of one rounding
constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

enum class Kind { Rigid, Affine, Degenerate };

Vec3 direction(Random& random) {
    for (;;) {
        const Vec3 v(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
        const double length = length3(v);
        if (length > 0.1 && length <= 1) return Vec3(v / length);
    }
}

Mat4 random_matrix(Random& random, Kind kind, double reach) {
    Mat4 m = rotation_matrix(direction(random), random.uniform(0, 360));
    if (kind != Kind::Rigid) {
        Mat4 inner = Mat4::Identity();
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) inner(r, c) += random.uniform(-0.5, 0.5);
        if (kind == Kind::Degenerate)  // a lost column, all but lost columns, or nothing at all
            for (int c = 0; c < 3; ++c)
                if (random.below(2) == 0)
                    for (int r = 0; r < 3; ++r) inner(r, c) *= random.below(2) == 0 ? 0.0 : 1e-8;
        m = multiply(m, inner);
    }
    for (int r = 0; r < 3; ++r) m(r, 3) = random.uniform(-reach, reach);
    return m;
}

/// Up to `width` influences a vertex, heaviest first, summing to 1 within rounding.
SkinRig random_rig(Random& random, Kind kind, std::size_t vertices, std::size_t joints,
                   std::size_t width, double reach) {
    SkinRig rig;
    rig.width = width;
    for (std::size_t v = 0; v < vertices; ++v) {
        rig.positions.push_back(
            Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))
                .cast<float>());
        const Vec3 n = direction(random), other = direction(random);
        Vec3 t = cross3(n, other);
        t /= std::max(length3(t), 1e-3);
        rig.normals.push_back(n.cast<float>());
        rig.tangents.emplace_back(static_cast<float>(t[0]), static_cast<float>(t[1]),
                                  static_cast<float>(t[2]), random.below(2) == 0 ? 1.0F : -1.0F);
        const std::size_t used = std::min<std::size_t>(random.below(width + 1), joints);
        std::vector<double> weights;
        double sum = 0;
        for (std::size_t i = 0; i < used; ++i) {
            weights.push_back(random.uniform(0.01, 1));
            sum += weights.back();
        }
        std::sort(weights.rbegin(), weights.rend());
        const std::size_t first = random.below(joints);
        for (std::size_t i = 0; i < width; ++i) {
            rig.joints.push_back(static_cast<std::uint16_t>(i < used ? (first + i) % joints : 0));
            rig.weights.push_back(i < used ? static_cast<float>(weights[i] / sum) : 0.0F);
        }
    }
    std::vector<Mat4> palette;
    for (std::size_t j = 0; j < joints; ++j) palette.push_back(random_matrix(random, kind, reach));
    rig.set_palette(palette);
    return rig;
}

struct Slots {
    std::size_t count = 0;
    std::vector<std::size_t> joints{};
    std::vector<double> weights{};
};

Slots slots_of(const SkinRig& rig, std::size_t vertex) {
    Slots slots;
    for (std::size_t i = vertex * rig.width; i < (vertex + 1) * rig.width; ++i)
        if (rig.weights[i] > 0) {
            ++slots.count;
            slots.joints.push_back(rig.joints[i]);
            slots.weights.push_back(static_cast<double>(rig.weights[i]));
        }
    return slots;
}

TEST(SkinningProperty, TheReferenceIsTheFormulaInMorePrecision) {
    Random random(1);
    for (int round = 0; round < 20; ++round) {
        const SkinRig rig = random_rig(random, Kind::Affine, 100, 9, 1 + random.below(8), 10);
        const auto reference = skin<double>(rig.job());
        std::vector<Vec3> expected;
        for (std::size_t v = 0; v < rig.positions.size(); ++v) {
            const Slots slots = slots_of(rig, v);
            std::array<long double, 3> sum{};
            if (slots.count == 0)
                for (std::size_t r = 0; r < 3; ++r)
                    sum[r] = static_cast<long double>(rig.positions[v][static_cast<int>(r)]);
            for (std::size_t i = 0; i < slots.count; ++i)
                for (std::size_t r = 0; r < 3; ++r) {
                    const Mat4& m = rig.palette.exact[slots.joints[i]];
                    const int row = static_cast<int>(r);
                    long double place = static_cast<long double>(m(row, 3));
                    for (int c = 0; c < 3; ++c)
                        place += static_cast<long double>(m(row, c)) *
                                 static_cast<long double>(rig.positions[v][c]);
                    sum[r] += static_cast<long double>(slots.weights[i]) * place;
                }
            expected.emplace_back(static_cast<double>(sum[0]), static_cast<double>(sum[1]),
                                  static_cast<double>(sum[2]));
        }
        ASSERT_TRUE(points_close(reference.positions, expected, 1e-14)) << random.seed();
    }
}

/// A coordinate is a sum over four columns of (a sum over k influences of w * M) * p. Rounding M to
/// float costs one unit, each product one, each of the k - 1 and 3 additions one: no term goes
/// through more than k + 7, so |error| <= (k + 7) u sum |w| |M| |p|, u = 2^-24, to first order.
TEST(SkinningProperty, LinearBlendInFloatIsWithinItsRoundingBound) {
    Random random(2);
    double tightest = 0;
    for (int round = 0; round < 200; ++round) {
        const double reach = std::pow(10.0, random.uniform(-2, 5));
        const SkinRig rig = random_rig(random, Kind::Affine, 64, 9, 1 + random.below(12), reach);
        const auto reference = skin<double>(rig.job());
        const auto cpu = skin<float>(rig.job());
        for (std::size_t v = 0; v < rig.positions.size(); ++v) {
            const Slots slots = slots_of(rig, v);
            for (int r = 0; r < 3; ++r) {
                double size = slots.count == 0 ? std::fabs(reference.positions[v][r]) : 0;
                for (std::size_t i = 0; i < slots.count; ++i) {
                    const Mat4& m = rig.palette.exact[slots.joints[i]];
                    double place = std::fabs(m(r, 3));
                    for (int c = 0; c < 3; ++c)
                        place += std::fabs(m(r, c)) *
                                 std::fabs(static_cast<double>(rig.positions[v][c]));
                    size += slots.weights[i] * place;
                }
                const double bound = static_cast<double>(slots.count + 7) * kUnit * size * 1.0001;
                const double error =
                    std::fabs(static_cast<double>(cpu.positions[v][r]) - reference.positions[v][r]);
                if (bound > 0) tightest = std::max(tightest, error / bound);
                ASSERT_LE(error, bound) << "vertex " << v << ", seed " << random.seed();
            }
        }
    }
    std::printf("worst error is %.3f of its bound\n", tightest);
    EXPECT_GT(tightest, 0.01);  // else the bound, or the test, says nothing
}

/// Let b be the blended real part, n = |b|. Blending rounds each term k + 2 times at most, so the
/// unit quaternion is off by e <= (k + 3) u / n (weights sum to 1) and the dual part by e D / (2 n)
/// with D = sum w |t|. Turning a point moves it by at most 4 e |Sp| for an error e of the
/// quaternion, and the arithmetic of the turn costs 12 roundings. The translation 2 d r* takes an
/// error of the quaternion, of the dual part, of the norm, and of the re-orthogonalisation, each e
/// D / n at most: 5 e D / n, and 16 roundings of its own.
TEST(SkinningProperty, DualQuaternionsInFloatAreWithinTheirRoundingBound) {
    Random random(3);
    double tightest = 0;
    std::size_t judged = 0;
    for (int round = 0; round < 200; ++round) {
        const Kind kind = round % 2 == 0 ? Kind::Rigid : Kind::Affine;
        const double reach = std::pow(10.0, random.uniform(-2, 4));
        SkinRig rig = random_rig(random, kind, 64, 9, 1 + random.below(8), reach);
        rig.method = SkinMethod::DualQuaternion;
        const auto reference = skin<double>(rig.job());
        const auto cpu = skin<float>(rig.job());
        for (std::size_t v = 0; v < rig.positions.size(); ++v) {
            const Slots slots = slots_of(rig, v);
            if (slots.count == 0) continue;
            const auto& pivot = rig.dual.exact[slots.joints[0]].real;
            std::array<double, 4> blend{};
            double placed = 0, moved = 0, least_dot = 1;
            for (std::size_t i = 0; i < slots.count; ++i) {
                const DualQuaternion<double>& q = rig.dual.exact[slots.joints[i]];
                const double dot = dot4(q.real, pivot);
                least_dot = std::min(least_dot, std::fabs(dot));
                double s = 0, t = 0;
                for (std::size_t c = 0; c < 4; ++c) {
                    blend[c] += (dot < 0 ? -1 : 1) * slots.weights[i] * q.real[c];
                    t += 4 * q.dual[c] * q.dual[c];
                }
                for (const double x : q.residual) s += x * x;
                placed += slots.weights[i] * std::sqrt(s) *
                          length3(Vec3(rig.positions[v].cast<double>()));
                moved += slots.weights[i] * std::sqrt(t);
            }
            const double n = std::sqrt(dot4(blend, blend));
            if (least_dot < 1e-5 || n < 1e-2)
                continue;  // float may toss the other side of the coin
            ++judged;
            const double k = static_cast<double>(slots.count);
            const double e = (k + 3) * kUnit / n;
            const double bound =
                (4 * e + 12 * kUnit + (k + 2) * kUnit) * placed + (5 * e + 16 * kUnit) * moved / n;
            const double error =
                length3(Vec3(cpu.positions[v].cast<double>() - reference.positions[v]));
            tightest = std::max(tightest, error / bound);
            ASSERT_LE(error, bound) << "vertex " << v << ", seed " << random.seed();
        }
    }
    std::printf("worst error is %.3f of its bound, %zu vertices\n", tightest, judged);
    EXPECT_GT(judged, 5000u);
    EXPECT_GT(tightest, 0.01);
}

TEST(SkinningProperty, NormalsInFloatPointWhereTheReferencesDo) {
    // The cofactors lose digits as the columns become dependent: judged where the determinant of
    // the unit columns is at least 0.1, and there a loss of 10 leaves well over 1e-5 of 2^-24 * (k
    // + 20).
    Random random(4);
    std::size_t judged = 0;
    for (int round = 0; round < 50; ++round) {
        const SkinRig rig = random_rig(random, Kind::Affine, 64, 9, 4, 1);
        const auto reference = skin<double>(rig.job());
        const auto cpu = skin<float>(rig.job());
        for (std::size_t v = 0; v < rig.positions.size(); ++v) {
            Mat4 m = Mat4::Zero();
            const Slots slots = slots_of(rig, v);
            for (std::size_t i = 0; i < slots.count; ++i)
                m += slots.weights[i] * rig.palette.exact[slots.joints[i]];
            const double size =
                length3(column(m, 0)) * length3(column(m, 1)) * length3(column(m, 2));
            if (slots.count == 0 || std::fabs(determinant3(m)) < 0.1 * size) continue;
            // The smallest column may be the difference of large ones.
            if (size < 0.05) continue;
            ++judged;
            ASSERT_TRUE(point_close(cpu.normals[v], reference.normals[v], 1e-4))
                << "vertex " << v << ", seed " << random.seed();
            ASSERT_EQ(cpu.mirrored[v], reference.mirrored[v]);
            ASSERT_EQ(cpu.mirrored[v] != 0, determinant3(m) < 0);
        }
    }
    EXPECT_GT(judged, 500u);
}

TEST(SkinningProperty, NothingThatIsNotANumberEverLeaves) {
    Random random(5);
    for (int round = 0; round < 200; ++round)
        for (const SkinMethod method : kBoth)
            for (const bool fast : {false, true}) {
                SkinRig rig = random_rig(random, Kind::Degenerate, 32, 5, 4, 1);
                rig.method = method;
                rig.fast_normals = fast;
                const auto check = [&](const auto& result) {
                    for (std::size_t v = 0; v < rig.positions.size(); ++v) {
                        ASSERT_TRUE(all_finite(result.positions[v])) << random.seed();
                        ASSERT_TRUE(all_finite(result.normals[v])) << random.seed();
                        ASSERT_TRUE(all_finite(result.tangents[v])) << random.seed();
                        ASSERT_LE(result.mirrored[v], 1);
                        // The plain matrix, asked for as such, may leave nothing of a normal; the
                        // exact rule always ends in one.
                        const auto length = static_cast<double>(length3(result.normals[v]));
                        if (fast && length == 0) continue;
                        ASSERT_NEAR(length, 1, 1e-5) << random.seed();
                    }
                };
                check(skin<float>(rig.job()));
                check(skin<double>(rig.job()));
            }
}

TEST(SkinningProperty, AVertexDoesNotDependOnItsNeighbours) {
    // What threads and SIMD lanes rest on: any cut of a job gives the same bytes and counts.
    Random random(6);
    for (const SkinMethod method : kBoth) {
        SkinRig rig = random_rig(random, Kind::Affine, 257, 9, 4, 1);
        rig.method = method;
        const SkinJob whole = rig.job();
        const auto expected = skin<float>(whole);
        SkinningReport sum;
        for (std::size_t first = 0; first < rig.positions.size();) {
            const std::size_t count = std::min(1 + random.below(17), rig.positions.size() - first);
            SkinJob part = whole;
            part.positions = whole.positions.subspan(first, count);
            part.normals = whole.normals.subspan(first, count);
            part.tangents = whole.tangents.subspan(first, count);
            part.joints = whole.joints.subspan(first * rig.width, count * rig.width);
            part.weights = whole.weights.subspan(first * rig.width, count * rig.width);
            const auto piece = skin<float>(part);
            sum += piece.report;
            const std::span all(expected.positions), normals(expected.normals);
            ASSERT_TRUE(same_bits(piece.positions, all.subspan(first, count))) << random.seed();
            ASSERT_TRUE(same_bits(piece.normals, normals.subspan(first, count))) << random.seed();
            first += count;
        }
        EXPECT_EQ(sum.antipodal_flips, expected.report.antipodal_flips);
        EXPECT_EQ(sum.unweighted_vertices, expected.report.unweighted_vertices);
        EXPECT_GT(sum.unweighted_vertices, 0u);
    }
}

TEST(SkinningProperty, MovingEveryJointAlikeMovesTheMeshRigidly) {
    // Holds for both methods and any weights that sum to 1: the blend is equivariant under rigid
    // motions from the left.
    Random random(7);
    for (int round = 0; round < 20; ++round)
        for (const SkinMethod method : kBoth) {
            SkinRig rig = random_rig(random, Kind::Affine, 64, 9, 4, 1);
            rig.method = method;
            // Cofactors of a blend that is all but flat amplify rounding: positions only.
            rig.normals.clear();
            rig.tangents.clear();
            const auto before = skin<double>(rig.job());
            if (before.report.ambiguous_flips != 0) continue;
            const Mat4 motion = random_matrix(random, Kind::Rigid, 1);
            std::vector<Mat4> moved;
            for (const Mat4& m : rig.palette.exact) moved.push_back(multiply(motion, m));
            SkinRig after = rig;
            after.set_palette(moved);
            after.unweighted = motion;
            std::vector<Vec3> expected;
            for (const Vec3& p : before.positions) expected.push_back(transform_point(motion, p));
            // Float weights sum to 1 only to 1e-7, and that much of the translation is lost or won.
            ASSERT_TRUE(points_close(skin<double>(after.job()).positions, expected, 2e-6))
                << random.seed();
        }
}

TEST(SkinningProperty, LinearBlendStaysWithinTheBoxOfTheJointsPlaces) {
    Random random(8);
    const SkinRig rig = random_rig(random, Kind::Affine, 500, 9, 6, 3);
    const auto result = skin<double>(rig.job());
    for (std::size_t v = 0; v < rig.positions.size(); ++v) {
        const Slots slots = slots_of(rig, v);
        if (slots.count == 0) continue;
        Vec3 low = Vec3::Constant(1e9), high = Vec3::Constant(-1e9);
        for (const std::size_t joint : slots.joints) {
            const Vec3 p =
                transform_point(rig.palette.exact[joint], rig.positions[v].cast<double>());
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        for (int r = 0; r < 3; ++r) {
            ASSERT_GE(result.positions[v][r], low[r] - 2e-6) << random.seed();
            ASSERT_LE(result.positions[v][r], high[r] + 2e-6) << random.seed();
        }
    }
}

TEST(SkinningProperty, RigidJointsThatAgreeAreOneRigidMotionUnderBothMethods) {
    Random random(9);
    SkinRig rig = random_rig(random, Kind::Rigid, 200, 4, 4, 1);
    const Mat4 motion = random_matrix(random, Kind::Rigid, 2);
    rig.set_palette(std::vector<Mat4>(4, motion));
    rig.unweighted = motion;
    std::vector<Vec3> expected;
    for (const Vec3f& p : rig.positions)
        expected.push_back(transform_point(motion, p.cast<double>()));
    EXPECT_TRUE(points_close(skin<double>(rig.job()).positions, expected, 2e-6)) << random.seed();
    rig.method = SkinMethod::DualQuaternion;  // normalised: exact whatever the weights sum to
    EXPECT_TRUE(points_close(skin<double>(rig.job()).positions, expected, 1e-13)) << random.seed();
}

}  // namespace
}  // namespace skinpose::test
