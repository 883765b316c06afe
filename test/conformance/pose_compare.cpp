#include "conformance/pose_compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

namespace skinpose::test {
namespace {

double length(const std::array<double, 3>& v) {
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

double bounding_diagonal(const std::vector<std::array<double, 3>>& points) {
    std::array<double, 3> low = points.front(), high = points.front();
    for (const auto& p : points) {
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    }
    const double diagonal = length({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    return diagonal > 0.0 ? diagonal : 1.0;
}

}  // namespace

std::string PositionDifference::text() const {
    std::ostringstream out;
    out << "max " << relative() << " rms " << rms / diagonal << " of the diagonal " << diagonal
        << ", worst vertex " << worst_vertex;
    return out.str();
}

PositionDifference position_difference(const TriMesh& mesh, const ReferencePose& reference) {
    PositionDifference result;
    result.diagonal = bounding_diagonal(reference.positions);
    double squares = 0.0;
    for (std::size_t i = 0; i < reference.positions.size(); ++i) {
        std::array<double, 3> apart{};
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const double ours = mesh.exact_positions.empty()
                                    ? static_cast<double>(mesh.positions[i][axis])
                                    : mesh.exact_positions[i][axis];
            apart[k] = ours - reference.positions[i][k];
        }
        double distance = length(apart);
        if (!std::isfinite(distance)) distance = std::numeric_limits<double>::infinity();
        squares += distance * distance;
        if (distance > result.largest) {
            result.largest = distance;
            result.worst_vertex = i;
        }
    }
    result.rms = std::sqrt(squares / static_cast<double>(reference.positions.size()));
    return result;
}

NormalDifference normal_difference(const TriMesh& mesh, const ReferencePose& reference) {
    NormalDifference result;
    for (std::size_t i = 0; i < reference.normals.size(); ++i) {
        const Vec3f& n = mesh.normals[i];
        const std::array<double, 3> ours{n[0], n[1], n[2]};
        const std::array<double, 3>& theirs = reference.normals[i];
        if (length(theirs) < 0.5) {
            ++result.undefined;
            continue;
        }
        const double ours_length = length(ours), theirs_length = length(theirs);
        std::array<double, 3> chord{};
        for (std::size_t k = 0; k < 3; ++k)
            chord[k] = ours[k] / ours_length - theirs[k] / theirs_length;
        double angle_deg =
            2.0 * std::asin(std::min(1.0, length(chord) / 2.0)) * 180.0 / std::numbers::pi;
        if (!std::isfinite(ours_length) || ours_length == 0.0 || !std::isfinite(angle_deg))
            angle_deg = std::numeric_limits<double>::infinity();
        if (ours_length >= 1e-12)  // below that the design leaves a normal as it is
            result.largest_length_error =
                std::max(result.largest_length_error, std::fabs(ours_length - 1.0));
        if (angle_deg > result.largest_deg) {
            result.largest_deg = angle_deg;
            result.worst_vertex = i;
        }
    }
    return result;
}

}  // namespace skinpose::test
