#include "support/mesh_compare.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace skinpose::test {
namespace {

double distance(const Vec3& a, const Vec3& b) {
    const double d = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

struct Printed {
    const Vec3& p;
};

testing::AssertionResult& operator<<(testing::AssertionResult& out, const Printed& printed) {
    char text[128];
    std::snprintf(text, sizeof text, "(%.17g, %.17g, %.17g)", printed.p[0], printed.p[1],
                  printed.p[2]);
    out << text;
    return out;
}

}  // namespace

PointDifference compare_points(std::span<const Vec3> a, std::span<const Vec3> b) {
    PointDifference result;
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        const double d = distance(a[i], b[i]);
        sum += d * d;
        if (d > result.max) {
            result.max = d;
            result.worst = i;
        }
    }
    if (!a.empty()) result.rms = std::sqrt(sum / static_cast<double>(a.size()));
    return result;
}

std::vector<Vec3> widened(std::span<const Vec3f> points) {
    std::vector<Vec3> result;
    result.reserve(points.size());
    for (const Vec3f& p : points) result.push_back(p.cast<double>());
    return result;
}

testing::AssertionResult points_close(std::span<const Vec3> actual, std::span<const Vec3> expected,
                                      double tolerance) {
    if (actual.size() != expected.size())
        return testing::AssertionFailure()
               << actual.size() << " points instead of " << expected.size();
    if (actual.empty()) return testing::AssertionFailure() << "nothing to compare";
    const PointDifference difference = compare_points(actual, expected);
    if (difference.max <= tolerance) return testing::AssertionSuccess();
    testing::AssertionResult result = testing::AssertionFailure();
    result << "max " << difference.max << " (allowed " << tolerance << "), rms " << difference.rms
           << " over " << actual.size() << " points; worst is " << difference.worst << ": ";
    result << Printed{actual[difference.worst]} << " instead of ";
    result << Printed{expected[difference.worst]};
    return result;
}

testing::AssertionResult points_close(std::span<const Vec3f> actual, std::span<const Vec3> expected,
                                      double tolerance) {
    return points_close(widened(actual), expected, tolerance);
}

testing::AssertionResult points_close(std::span<const Vec3f> actual,
                                      std::span<const Vec3f> expected, double tolerance) {
    return points_close(widened(actual), widened(expected), tolerance);
}

testing::AssertionResult point_close(const Vec3& actual, const Vec3& expected, double tolerance) {
    return points_close(std::span(&actual, 1), std::span(&expected, 1), tolerance);
}

testing::AssertionResult point_close(const Vec3f& actual, const Vec3& expected, double tolerance) {
    return point_close(Vec3(actual.cast<double>()), expected, tolerance);
}

testing::AssertionResult same_bits(std::span<const Vec3f> actual, std::span<const Vec3f> expected) {
    if (actual.size() != expected.size())
        return testing::AssertionFailure()
               << actual.size() << " points instead of " << expected.size();
    if (actual.empty()) return testing::AssertionFailure() << "nothing to compare";
    for (std::size_t i = 0; i < actual.size(); ++i)
        if (std::memcmp(actual[i].data(), expected[i].data(), 3 * sizeof(float)) != 0) {
            const PointDifference all = compare_points(widened(actual), widened(expected));
            testing::AssertionResult result = testing::AssertionFailure();
            result << "bits differ first at " << i << ": ";
            result << Printed{Vec3(actual[i].cast<double>())} << " instead of ";
            result << Printed{Vec3(expected[i].cast<double>())};
            return result << "; max " << all.max << ", rms " << all.rms << ", worst vertex "
                          << all.worst;
        }
    return testing::AssertionSuccess();
}

double enclosed_volume(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    double six = 0.0;
    for (const Triangle& t : triangles)
        six += dot3(positions[t[0]], cross3(positions[t[1]], positions[t[2]]));
    return six / 6;
}

}  // namespace skinpose::test
