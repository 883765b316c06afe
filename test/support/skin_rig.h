#pragma once

#include <vector>

#include "skinpose/skinning.h"

namespace skinpose::test {

/// A skin job that owns its arrays.
struct SkinRig {
    std::vector<Vec3f> positions{}, normals{};
    std::vector<Vec4f> tangents{};
    std::size_t width = 0;
    std::vector<std::uint16_t> joints{};
    std::vector<float> weights{};
    JointPalette palette{};
    DualQuaternionPalette dual{};
    Mat4 unweighted = Mat4::Identity();
    SkinMethod method = SkinMethod::LinearBlend;
    bool fast_normals = false;

    /// Both palettes, split and rounded.
    void set_palette(const std::vector<Mat4>& matrices);
    [[nodiscard]] SkinJob job() const;
};

/// One vertex under these joints, in this order, with these weights.
SkinRig one_vertex(const Vec3f& position, const std::vector<Mat4>& matrices,
                   const std::vector<float>& weights);

template <typename Real>
struct Skinned {
    std::vector<Eigen::Matrix<Real, 3, 1, Eigen::DontAlign>> positions{}, normals{};
    std::vector<Eigen::Matrix<Real, 4, 1, Eigen::DontAlign>> tangents{};
    std::vector<std::uint8_t> mirrored{};
    SkinningReport report{};
};

/// skin_cpu for float, skin_reference for double. Outputs are filled with NaN before, so that what
/// is not written shows.
template <typename Real>
Skinned<Real> skin(const SkinJob& job);

extern template Skinned<float> skin<float>(const SkinJob& job);
extern template Skinned<double> skin<double>(const SkinJob& job);

}  // namespace skinpose::test
