#include "skinpose/mesh_measure.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace skinpose {
namespace {

/// The six sides of the cube of side 2 about `centre`, each with its own four vertices, seen
/// counter- clockwise from outside.
TriMesh split_cube(const Vec3f& centre = Vec3f(0, 0, 0)) {
    TriMesh mesh;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0F, 1.0F}) {
            const auto base = static_cast<std::uint32_t>(mesh.positions.size());
            constexpr std::array<std::array<float, 2>, 4> kCorners = {
                {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
            for (const auto& corner : kCorners) {
                Vec3f p = centre;
                p[axis] += side;
                p[(axis + 1) % 3] += corner[0] * side;
                p[(axis + 2) % 3] += corner[1];
                mesh.positions.push_back(p);
            }
            mesh.triangles.push_back({base, base + 1, base + 2});
            mesh.triangles.push_back({base, base + 2, base + 3});
        }
    }
    return mesh;
}

void append(TriMesh& mesh, const TriMesh& other) {
    const auto base = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
    for (const Triangle& t : other.triangles)
        mesh.triangles.push_back({base + t[0], base + t[1], base + t[2]});
}

TriMesh octahedron() {
    TriMesh mesh;
    mesh.positions = {Vec3f(1, 0, 0),  Vec3f(-1, 0, 0), Vec3f(0, 1, 0),
                      Vec3f(0, -1, 0), Vec3f(0, 0, 1),  Vec3f(0, 0, -1)};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    return mesh;
}

TEST(MeshMeasure, SeamIsClosedByPosition) {
    const MeshMeasure m = measure_mesh(split_cube());
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.logical_vertices, 8U);
    EXPECT_EQ(m.area, 24.0);
    EXPECT_EQ(m.signed_volume, 8.0);
    EXPECT_EQ(m.bounds_min, Vec3(-1, -1, -1));
    EXPECT_EQ(m.bounds_max, Vec3(1, 1, 1));
}

TEST(MeshMeasure, MirroredCubeHasNegativeVolume) {
    TriMesh mesh = split_cube();
    for (Vec3f& p : mesh.positions) p[0] = -p[0];
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.area, 24.0);
    EXPECT_EQ(m.signed_volume, -8.0);
}

TEST(MeshMeasure, OctahedronIsItsClosedForm) {
    const MeshMeasure m = measure_mesh(octahedron());
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.logical_vertices, 6U);
    EXPECT_NEAR(m.area, 4.0 * std::sqrt(3.0), 4e-15);
    EXPECT_NEAR(m.signed_volume, 4.0 / 3.0, 1e-15);
}

/// A torus of n rings of m points about the z axis. Its quads are plane, so that its volume is
/// n sin(2 pi / n) R times the area of an m-gon, and its area a sum of trapezoids. First and last
/// ring, and first and last point of a ring, are vertices of their own at the same place.
TEST(MeshMeasure, TorusIsItsClosedForm) {
    constexpr std::uint32_t n = 37, m = 23;
    constexpr long double kPi = std::numbers::pi_v<long double>, R = 3.0L, r = 1.25L;
    TriMesh mesh;
    for (std::uint32_t i = 0; i <= n; ++i) {
        for (std::uint32_t k = 0; k <= m; ++k) {
            const long double u = 2 * kPi * (i % n) / n, v = 2 * kPi * (k % m) / m;
            const long double rho = R + r * std::cos(v);
            mesh.exact_positions.emplace_back(static_cast<double>(rho * std::cos(u)),
                                              static_cast<double>(rho * std::sin(u)),
                                              static_cast<double>(r * std::sin(v)));
            mesh.positions.push_back(mesh.exact_positions.back().cast<float>());
        }
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t k = 0; k < m; ++k) {
            const std::uint32_t a = i * (m + 1) + k, b = a + m + 1;
            mesh.triangles.push_back({a, b, b + 1});
            mesh.triangles.push_back({a, b + 1, a + 1});
        }
    }
    const long double polygon = m / 2.0L * r * r * std::sin(2 * kPi / m);
    const long double volume = n * std::sin(2 * kPi / n) * R * polygon;
    long double area = 0;
    for (std::uint32_t k = 0; k < m; ++k) {
        const long double half_angle = kPi / n;
        const long double a = 2 * (R + r * std::cos(2 * kPi * k / m)) * std::sin(half_angle);
        const long double b = 2 * (R + r * std::cos(2 * kPi * (k + 1) / m)) * std::sin(half_angle);
        const long double slant = 2 * r * std::sin(kPi / m), shift = (a - b) / 2;
        area += n * (a + b) / 2 * std::sqrt(slant * slant - shift * shift);
    }

    const MeshMeasure measure = measure_mesh(mesh);
    EXPECT_TRUE(measure.closed);
    EXPECT_EQ(measure.logical_vertices, std::size_t{n * m});
    EXPECT_NEAR(measure.signed_volume, static_cast<double>(volume), 1e-13);
    EXPECT_NEAR(measure.area, static_cast<double>(area), 1e-13);
}

TEST(MeshMeasure, FarFromTheOriginTheVolumeDoesNotCancel) {
    const MeshMeasure m = measure_mesh(split_cube(Vec3f(1e6F, -1e6F, 1e6F)));
    EXPECT_TRUE(m.closed);
    EXPECT_NEAR(m.signed_volume, 8.0, 1e-9);
    EXPECT_NEAR(m.area, 24.0, 1e-9);
    EXPECT_EQ(m.bounds_min, Vec3(999999, -1000001, 999999));
    EXPECT_EQ(m.bounds_max, Vec3(1000001, -999999, 1000001));
}

TEST(MeshMeasure, VolumeAndAreaAreTheSameBitsWhereverTheMeshIs) {
    // Coordinates are multiples of 2^-20, so that moving by 2^20 is exact.
    TriMesh near;
    for (const Vec3f& p : octahedron().positions) {
        Vec3 q;
        const double x = p[0] + 0.3 * p[1], y = p[1] - 0.7 * p[2], z = p[2] + 0.1 * p[0];
        for (int i = 0; i < 3; ++i)
            q[i] = std::ldexp(
                std::round(std::ldexp(std::array{x, y, z}[static_cast<std::size_t>(i)], 20)), -20);
        near.exact_positions.push_back(q);
        near.positions.push_back(q.cast<float>());
    }
    near.triangles = octahedron().triangles;
    TriMesh far = near;
    for (Vec3& p : far.exact_positions)
        for (int i = 0; i < 3; ++i) p[i] += 1048576.0;
    const MeshMeasure here = measure_mesh(near), there = measure_mesh(far);
    EXPECT_GT(here.signed_volume, 1.0);
    EXPECT_EQ(here.signed_volume, there.signed_volume);
    EXPECT_EQ(here.area, there.area);
}

TEST(MeshMeasure, SmallTrianglesAreNotLostBesideALargeOne) {
    // Beside twice the area 2^54, whose neighbour is 4 away, a plain sum drops every 1.
    TriMesh mesh;
    const float large = std::ldexp(1.0F, 27);
    mesh.positions = {Vec3f(0, 0, 0), Vec3f(large, 0, 0), Vec3f(0, large, 0), Vec3f(1, 0, 0),
                      Vec3f(0, 1, 0)};
    mesh.triangles.push_back({0, 1, 2});
    for (int i = 0; i < 1000; ++i) mesh.triangles.push_back({0, 3, 4});
    EXPECT_EQ(measure_mesh(mesh).area, std::ldexp(1.0, 53) + 500.0);
}

TEST(MeshMeasure, MissingFaceIsNotClosed) {
    TriMesh mesh = split_cube();
    mesh.triangles.pop_back();
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_FALSE(m.closed);
    EXPECT_EQ(m.area, 22.0);
}

TEST(MeshMeasure, TurnedFaceIsNotClosed) {
    TriMesh mesh = split_cube();
    std::swap(mesh.triangles[5][1], mesh.triangles[5][2]);
    EXPECT_FALSE(measure_mesh(mesh).closed);
}

TEST(MeshMeasure, SurfaceCoveredTwiceIsNotClosed) {
    TriMesh mesh = octahedron();
    append(mesh, octahedron());
    EXPECT_FALSE(measure_mesh(mesh).closed);
}

TEST(MeshMeasure, TwoBodiesApartAreClosed) {
    TriMesh mesh = split_cube();
    append(mesh, split_cube(Vec3f(5, 0, 0)));
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.logical_vertices, 16U);
    EXPECT_EQ(m.signed_volume, 16.0);
}

TEST(MeshMeasure, TwoSidesOfOneTriangleAreClosed) {
    TriMesh mesh;
    mesh.positions = {Vec3f(0, 0, 0), Vec3f(1, 0, 0), Vec3f(0, 1, 0)};
    mesh.triangles = {{0, 1, 2}, {0, 2, 1}};
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.signed_volume, 0.0);
    EXPECT_EQ(m.area, 1.0);
}

TEST(MeshMeasure, NegativeZeroIsThePlaceOfZero) {
    TriMesh mesh;
    const TriMesh whole = octahedron();
    for (const Triangle& t : whole.triangles) {
        const auto base = static_cast<std::uint32_t>(mesh.positions.size());
        for (const std::uint32_t v : t) {
            Vec3f p = whole.positions[v];
            for (int i = 0; i < 3; ++i)
                if (p[i] == 0 && mesh.triangles.size() % 2 == 0) p[i] = -0.0F;
            mesh.positions.push_back(p);
        }
        mesh.triangles.push_back({base, base + 1, base + 2});
    }
    ASSERT_TRUE(std::signbit(mesh.positions[0][1]));
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.logical_vertices, 6U);
}

TEST(MeshMeasure, NeighbouringFloatsAreTwoPlaces) {
    TriMesh mesh = split_cube();
    mesh.positions[0][0] = std::nextafter(mesh.positions[0][0], 2.0F);
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_FALSE(m.closed);
    EXPECT_EQ(m.logical_vertices, 9U);
}

TEST(MeshMeasure, DegenerateTrianglesTakeNoPartInClosing) {
    TriMesh mesh = split_cube();
    mesh.triangles.push_back({0, 0, 1});
    mesh.triangles.push_back({0, 1, 1});
    mesh.triangles.push_back({2, 2, 2});
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_TRUE(m.closed);
    EXPECT_EQ(m.area, 24.0);
}

TEST(MeshMeasure, UnusedVerticesCountForTheBoundsOnly) {
    TriMesh mesh = split_cube();
    mesh.positions.emplace_back(0.0F, 0.0F, 9.0F);
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_EQ(m.logical_vertices, 8U);
    EXPECT_EQ(m.bounds_max, Vec3(1, 1, 9));
    EXPECT_EQ(m.signed_volume, 8.0);
}

TEST(MeshMeasure, ExactPositionsAreTheOnesMeasured) {
    TriMesh mesh = split_cube();
    for (const Vec3f& p : mesh.positions) mesh.exact_positions.push_back(p.cast<double>() * 3.0);
    const MeshMeasure m = measure_mesh(mesh);
    EXPECT_EQ(m.signed_volume, 8.0 * 27.0);
    EXPECT_EQ(m.area, 24.0 * 9.0);
    EXPECT_EQ(m.bounds_min, Vec3(-3, -3, -3));
}

TEST(MeshMeasure, NothingIsNotClosed) {
    const MeshMeasure empty = measure_mesh(TriMesh());
    EXPECT_FALSE(empty.closed);
    EXPECT_EQ(empty.logical_vertices, 0U);
    EXPECT_EQ(empty.area, 0.0);
    EXPECT_EQ(empty.bounds_min, Vec3(0, 0, 0));
    EXPECT_EQ(empty.bounds_max, Vec3(0, 0, 0));

    TriMesh degenerate;
    degenerate.positions = {Vec3f(1, 2, 3)};
    degenerate.triangles = {{0, 0, 0}};
    const MeshMeasure m = measure_mesh(degenerate);
    EXPECT_FALSE(m.closed);
    EXPECT_EQ(m.logical_vertices, 1U);
    EXPECT_EQ(m.bounds_min, Vec3(1, 2, 3));
}

TriMesh four_vertices(std::vector<Triangle> triangles) {
    TriMesh mesh;
    mesh.positions.assign(4, Vec3f(0, 0, 0));
    mesh.triangles = std::move(triangles);
    return mesh;
}

TEST(TopologyHash, IsFnv1aOfVertexCountAndIndices) {
    // Worked out apart from this code: FNV-1a 64 over the little-endian bytes.
    EXPECT_EQ(topology_hash(TriMesh()), 0xA8C7F832281A39C5U);
    const TriMesh mesh = four_vertices({{0, 1, 2}, {3, 0x01020304, 0x0A0B0C0D}});
    EXPECT_EQ(topology_hash(mesh), 0x27C8D1D70A7E4E51U);
}

TEST(TopologyHash, DoesNotSeeAFlippedFace) {
    EXPECT_EQ(topology_hash(four_vertices({{0, 1, 2}, {1, 2, 3}})),
              topology_hash(four_vertices({{0, 2, 1}, {1, 3, 2}})));
}

TEST(TopologyHash, SeesOrderIndicesAndVertexCount) {
    const std::uint64_t hash = topology_hash(four_vertices({{0, 1, 2}, {1, 2, 3}}));
    EXPECT_NE(hash, topology_hash(four_vertices({{1, 2, 3}, {0, 1, 2}})));
    EXPECT_NE(hash, topology_hash(four_vertices({{0, 1, 2}, {1, 2, 0}})));
    EXPECT_NE(hash, topology_hash(four_vertices({{1, 2, 0}, {1, 2, 3}})));
    TriMesh longer = four_vertices({{0, 1, 2}, {1, 2, 3}});
    longer.positions.emplace_back(0.0F, 0.0F, 0.0F);
    EXPECT_NE(hash, topology_hash(longer));
}

TEST(TopologyHash, DoesNotSeeThePose) {
    TriMesh mesh = four_vertices({{0, 1, 2}});
    const std::uint64_t hash = topology_hash(mesh);
    mesh.positions[1] = Vec3f(7, 8, 9);
    EXPECT_EQ(topology_hash(mesh), hash);
}

}  // namespace
}  // namespace skinpose
