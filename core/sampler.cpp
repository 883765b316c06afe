#include <algorithm>
#include <cmath>

#include "skinpose/clip.h"

namespace skinpose {

namespace {

Vec4 rotation_at(const double* v) { return Vec4(v[0], v[1], v[2], v[3]); }

void store(const Vec4& q, std::span<double> out) {
    for (int i = 0; i < 4; ++i) out[static_cast<std::size_t>(i)] = q[i];
}

/// Pointer to key k's value (between its tangents for a spline).
const double* key_value(const Sampler& s, std::size_t k) {
    if (s.interpolation == Interpolation::CubicSpline)
        return s.values.data() + (3 * k + 1) * s.components;
    return s.values.data() + k * s.components;
}

void hold_key(const Sampler& s, std::size_t k, bool rotation, std::span<double> out) {
    const double* v = key_value(s, k);
    if (rotation) {
        const Vec4 q = rotation_at(v);
        if (std::fabs(dot4(q, q) - 1.0) > kRotationLengthTolerance)
            return store(normalized_rotation(q), out);
    }
    std::copy_n(v, s.components, out.begin());
}

void mix_linear(const double* a, const double* b, double u, bool rotation, std::span<double> out) {
    if (rotation) {
        const Vec4 qa = normalized_rotation(rotation_at(a)),
                   qb = normalized_rotation(rotation_at(b));
        return store(slerp(qa, qb, u), out);
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = lerp(a[i], b[i], u);
}

/// The cubic Hermite spline between keys k and k + 1, glTF 2.0 appendix C.5; span_s in seconds.
void mix_cubic(const Sampler& s, std::size_t k, double u, double span_s, bool rotation,
               std::span<double> out) {
    const std::size_t n = s.components;
    const double* v0 = key_value(s, k);
    const double* out_tangent = v0 + n;
    const double* v1 = key_value(s, k + 1);
    const double* in_tangent = v1 - n;
    const double u2 = u * u, u3 = u2 * u;
    const double h00 = 2.0 * u3 - 3.0 * u2 + 1.0, h10 = span_s * (u3 - 2.0 * u2 + u);
    const double h01 = -2.0 * u3 + 3.0 * u2, h11 = span_s * (u3 - u2);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = h00 * v0[i] + h10 * out_tangent[i] + h01 * v1[i] + h11 * in_tangent[i];
    if (rotation) store(normalized_rotation(rotation_at(out.data())), out);
}

}  // namespace

void sample_sampler(const Sampler& sampler, double time_s, bool rotation, std::span<double> out) {
    const auto& times = sampler.times_s;
    const float key_time = static_cast<float>(time_s);
    const auto after = std::upper_bound(times.begin(), times.end(), key_time);
    if (key_time <= times.front()) return hold_key(sampler, 0, rotation, out);
    const std::size_t k = static_cast<std::size_t>(after - times.begin()) - 1;
    const bool held = after == times.end() || times[k] == key_time ||
                      sampler.interpolation == Interpolation::Step;
    if (held) return hold_key(sampler, k, rotation, out);
    const double t0 = static_cast<double>(times[k]), span_s = static_cast<double>(*after) - t0;
    const double u = (time_s - t0) / span_s;
    if (sampler.interpolation == Interpolation::CubicSpline)
        return mix_cubic(sampler, k, u, span_s, rotation, out);
    mix_linear(key_value(sampler, k), key_value(sampler, k + 1), u, rotation, out);
}

void sample_resampled(const Sampler& sampler, double time_s, bool rotation, double rate_hz,
                      double clip_end_s, std::span<double> out, std::span<double> scratch) {
    const double time = std::clamp(time_s, 0.0, std::max(clip_end_s, 0.0));
    double k = std::floor(time * rate_hz);
    if (k / rate_hz > time) k -= 1.0;  // the product may round up across a grid point
    if ((k + 1.0) / rate_hz <= time) k += 1.0;
    const double before = k / rate_hz, after = std::min((k + 1.0) / rate_hz, clip_end_s);
    sample_sampler(sampler, before, rotation, out);
    if (time == before || after <= before) return;
    sample_sampler(sampler, after, rotation, scratch);
    mix_linear(out.data(), scratch.data(), (time - before) / (after - before), rotation, out);
}

}  // namespace skinpose
