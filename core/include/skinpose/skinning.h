#pragma once

#include <cstdint>
#include <span>

#include "skinpose/dual_quaternion.h"
#include "skinpose/influences.h"

namespace skinpose {

enum class SkinMethod { LinearBlend, DualQuaternion };

/// What a skinner counts. Sums over the vertices of one job.
struct SkinningReport {
    /// loss: vertices with normals whose blended 3x3 (linear blend) or residual (dual quaternions)
    /// is singular; 0 under fast normals and where there are no normals. Unweighted vertices of a
    /// job count only if its own `unweighted` matrix is what they are posed by (see SkinJob).
    std::size_t singular_normal_matrices = 0;
    std::size_t antipodal_flips = 0;      ///< information: influences taken with the other sign
    std::size_t ambiguous_flips = 0;      ///< loss: |dot| with the pivot below 1e-6, a coin toss
    std::size_t unweighted_vertices = 0;  ///< posed by `unweighted` alone

    SkinningReport& operator+=(const SkinningReport& other);
};

/// One primitive's skinning, as a plain struct that borrows everything. The reference, the CPU and
/// the GPU run the same job.
struct SkinJob {
    std::span<const Vec3f> positions;  ///< mesh space, morph targets applied
    std::span<const Vec3f> normals;    ///< empty, or one per vertex
    std::span<const Vec4f> tangents;   ///< empty, or one per vertex; needs normals

    std::size_t width = 0;                  ///< influence slots per vertex, see InfluenceTable
    std::span<const std::uint16_t> joints;  ///< vertices * width
    std::span<const float> weights;         ///< vertices * width, heaviest first

    const JointPalette* palette = nullptr;                ///< linear blend
    const DualQuaternionPalette* dual_palette = nullptr;  ///< dual quaternions

    /// Poses vertices without weight, and every vertex of a rigid primitive (width 0): the
    /// placement, or placement * scene_from_node. The exact identity leaves positions and unit
    /// normals untouched.
    Mat4 unweighted = Mat4::Identity();

    SkinMethod method = SkinMethod::LinearBlend;
    bool fast_normals = false;  ///< plain 3x3 instead of the inverse transpose
};

/// Where the result goes; scene space. `normals` and `tangents` are as long as the job's.
template <typename Real>
struct SkinOutput {
    using Vector3 = Eigen::Matrix<Real, 3, 1, Eigen::DontAlign>;
    using Vector4 = Eigen::Matrix<Real, 4, 1, Eigen::DontAlign>;
    std::span<Vector3> positions;
    std::span<Vector3> normals;
    std::span<Vector4> tangents;       ///< w negated where the vertex's matrix mirrors
    std::span<std::uint8_t> mirrored;  ///< empty, or one per vertex: 1 where the matrix mirrors
};

/// A normal is singular when |det| of the unit columns is at most this.
inline constexpr double kSingularDeterminant = 1e-6;
/// A cofactor direction counts when longer than this times the largest column squared.
inline constexpr double kLeastCofactor = 1e-6;
/// A vector shorter than this is left as it is instead of being brought to unit length.
inline constexpr double kLeastLength = 1e-12;
/// A normal whose squared length is off by no more than this is of unit length up to float rounding
/// and kept as it is, so that an identity pose returns normals bit for bit.
inline constexpr double kUnitLengthTolerance = 5e-7;
/// A dot product with the pivot below this is a coin toss.
inline constexpr double kAmbiguousDot = 1e-6;
/// A blended real part of less squared length is replaced by the identity.
inline constexpr double kLeastDualLengthSquared = 1e-12;

/// The reference: double, scalar, as plain as the formula, from the exact palettes. The oracle.
SkinningReport skin_reference(const SkinJob& job, const SkinOutput<double>& out);

/// The work: float, from the rounded palettes. Every sum has a fixed order, so the bytes do not
/// depend on compiler, CPU or thread count.
SkinningReport skin_cpu(const SkinJob& job, const SkinOutput<float>& out);

}  // namespace skinpose
