#pragma once

#include <array>
#include <vector>

#include "skinpose/pose.h"

namespace skinpose {

/// A 3x4 affine matrix in float, row-major: the upper rows of scene_from_mesh.
using Affine3f = std::array<float, 12>;

/// The joint matrices of one (node, skin) pair: scene_from_mesh[j] = placement * scene_from_joint *
/// joint_from_mesh. Composed in double; the float copy is rounded once, at the end, which is what
/// keeps a rig far from the origin from cancelling.
struct JointPalette {
    std::vector<Mat4> exact;
    std::vector<Affine3f> rounded;
};

/// Upper three rows, rounded to float.
Affine3f round_affine(const Mat4& m);

/// Palette of `skin` at its final size, identities in it.
JointPalette make_palette(const Skin& skin);

/// Fills `out.exact`; `round_palette` follows once blending is done. `placement` moves the whole
/// posed scene and multiplies from the left. The skinned node's own transform takes no part
/// (glTF 2.0 section 3.7.3.2).
void evaluate_palette(const Skin& skin, const GlobalPose& pose, const Mat4& placement,
                      JointPalette& out);

/// Component-wise lerp of the exact matrices: the plain rule. It shrinks under large rotations.
/// `mix` 0 gives a, 1 gives b. `out` may be `a`.
void blend_palettes(const JointPalette& a, const JointPalette& b, double mix, JointPalette& out);

/// Rounds the exact matrices once. Returns the index of the first joint whose matrix is not finite
/// as float, or kNone.
std::size_t round_palette(JointPalette& palette);

}  // namespace skinpose
