#include "skinpose/palette.h"

namespace skinpose {

Affine3f round_affine(const Mat4& m) {
    Affine3f r;
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 4; ++c)
            r[static_cast<std::size_t>(4 * i + c)] = static_cast<float>(m(i, c));
    return r;
}

JointPalette make_palette(const Skin& skin) {
    JointPalette palette;
    palette.exact.assign(skin.joints.size(), Mat4::Identity());
    palette.rounded.assign(skin.joints.size(), round_affine(Mat4::Identity()));
    return palette;
}

void evaluate_palette(const Skin& skin, const GlobalPose& pose, const Mat4& placement,
                      JointPalette& out) {
    const bool placed = placement != Mat4::Identity();
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        const Mat4 m = multiply(pose.scene_from_node[skin.joints[j]], skin.joint_from_mesh[j]);
        out.exact[j] = placed ? multiply(placement, m) : m;
    }
}

void blend_palettes(const JointPalette& a, const JointPalette& b, double mix, JointPalette& out) {
    for (std::size_t j = 0; j < a.exact.size(); ++j)
        for (Eigen::Index i = 0; i < 16; ++i)
            out.exact[j].data()[i] = lerp(a.exact[j].data()[i], b.exact[j].data()[i], mix);
}

std::size_t round_palette(JointPalette& palette) {
    for (std::size_t j = 0; j < palette.exact.size(); ++j) {
        palette.rounded[j] = round_affine(palette.exact[j]);
        for (const float x : palette.rounded[j])
            if (!std::isfinite(x)) return j;
    }
    return kNone;
}

}  // namespace skinpose
