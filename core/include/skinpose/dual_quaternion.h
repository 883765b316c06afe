#pragma once

#include <array>
#include <vector>

#include "skinpose/palette.h"

namespace skinpose {

/// M = translation * rotation * residual, the split that dual quaternion skinning needs: rotation
/// proper, so a mirror, like scale and shear, lands in the residual S = R^T M.
struct RigidSplit {
    Vec4 rotation;  ///< x y z w, unit, w >= 0
    Vec3 translation;
    Mat3 residual;
    double residual_size = 0.0;  ///< max |S - I|
    bool rigid = false;          ///< residual_size <= 1e-5
};

/// r0 = m0 normalised, r1 = m1 less its part along r0, normalised, r2 = r0 x r1. A degenerate basis
/// (m0, or what is left of m1, below 1e-6 of the largest column) hands the whole 3x3 to the
/// residual with R = I. Quaternion from the matrix by its largest component (Shepperd 1978).
RigidSplit split_rigid(const Mat4& m);

/// One joint's unit dual quaternion and residual (row-major). Real and dual are x y z w; dual =
/// (translation, 0) * real / 2 (Kavan et al. 2008).
template <typename Real>
struct DualQuaternion {
    std::array<Real, 4> real{0, 0, 0, 1};
    std::array<Real, 4> dual{0, 0, 0, 0};
    std::array<Real, 9> residual{1, 0, 0, 0, 1, 0, 0, 0, 1};
};

/// Split once, in double, rounded once: every backend reads the same floats.
struct DualQuaternionPalette {
    std::vector<DualQuaternion<double>> exact;
    std::vector<DualQuaternion<float>> rounded;
    std::size_t non_rigid_joints = 0;  ///< information
    /// False where every residual is the identity up to float rounding: it is then skipped.
    bool has_residual = false;
};

/// At its final size for `joint_count` joints.
DualQuaternionPalette make_dual_palette(std::size_t joint_count);

/// Splits every matrix of `palette.exact` into `out`.
void split_palette(const JointPalette& palette, DualQuaternionPalette& out);

}  // namespace skinpose
