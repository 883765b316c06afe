#include "support/skin_rig.h"

#include <limits>
#include <type_traits>

namespace skinpose::test {

void SkinRig::set_palette(const std::vector<Mat4>& matrices) {
    palette.exact = matrices;
    palette.rounded.resize(matrices.size());
    round_palette(palette);
    dual = make_dual_palette(matrices.size());
    split_palette(palette, dual);
}

SkinJob SkinRig::job() const {
    SkinJob job;
    job.positions = positions;
    job.normals = normals;
    job.tangents = tangents;
    job.width = width;
    job.joints = joints;
    job.weights = weights;
    job.palette = &palette;
    job.dual_palette = &dual;
    job.unweighted = unweighted;
    job.method = method;
    job.fast_normals = fast_normals;
    return job;
}

SkinRig one_vertex(const Vec3f& position, const std::vector<Mat4>& matrices,
                   const std::vector<float>& weights) {
    SkinRig rig;
    rig.positions = {position};
    rig.width = weights.size();
    rig.weights = weights;
    for (std::size_t j = 0; j < weights.size(); ++j)
        rig.joints.push_back(static_cast<std::uint16_t>(j));
    rig.set_palette(matrices);
    return rig;
}

template <typename Real>
Skinned<Real> skin(const SkinJob& job) {
    constexpr Real kUnset = std::numeric_limits<Real>::quiet_NaN();
    using Vector3 = Eigen::Matrix<Real, 3, 1, Eigen::DontAlign>;
    using Vector4 = Eigen::Matrix<Real, 4, 1, Eigen::DontAlign>;
    Skinned<Real> result;
    result.positions.assign(job.positions.size(), Vector3::Constant(kUnset));
    result.normals.assign(job.normals.size(), Vector3::Constant(kUnset));
    result.tangents.assign(job.tangents.size(), Vector4::Constant(kUnset));
    result.mirrored.assign(job.positions.size(), 77);
    const SkinOutput<Real> out{result.positions, result.normals, result.tangents, result.mirrored};
    if constexpr (std::is_same_v<Real, double>)
        result.report = skin_reference(job, out);
    else
        result.report = skin_cpu(job, out);
    return result;
}

template Skinned<float> skin<float>(const SkinJob& job);
template Skinned<double> skin<double>(const SkinJob& job);

}  // namespace skinpose::test
