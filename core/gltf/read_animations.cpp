#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "gltf/accessor.h"
#include "gltf/readers.h"

namespace skinpose::gltf {

namespace {

/// Reads the channels of one animation into a clip.
class ClipReader {
   public:
    ClipReader(Buffers& buffers, const Element& animation, const std::vector<std::size_t>& node_of,
               Scene& scene)
        : buffers_(buffers), animation_(animation), node_of_(node_of), scene_(scene) {}

    Clip read(std::size_t index);

   private:
    std::optional<Channel> read_channel(const Element& element);
    std::size_t read_sampler(const Element& index, ChannelPath path, std::size_t components);
    void read_times(const Element& input, Sampler& sampler);
    void read_values(const Element& output, ChannelPath path, Sampler& sampler);
    void check_rotation_keys(const Sampler& sampler, const Accessor& accessor);
    std::size_t components_of(const Channel& channel) const;

    Buffers& buffers_;
    Element animation_;
    const std::vector<std::size_t>& node_of_;
    Scene& scene_;
    Clip clip_;
    /// Samplers already read, by index and what they are read as.
    std::map<std::tuple<std::size_t, ChannelPath, std::size_t>, std::size_t> read_;
    std::map<std::size_t, double> rotation_errors_;  // by index into clip_.samplers
};

Interpolation interpolation_of(const Element& sampler) {
    const auto element = sampler.get("interpolation");
    if (!element) return Interpolation::Linear;
    const std::string& name = element->as_string();
    if (name == "LINEAR") return Interpolation::Linear;
    if (name == "STEP") return Interpolation::Step;
    if (name == "CUBICSPLINE") return Interpolation::CubicSpline;
    element->fail("\"" + printable(name, 40) + "\" is not LINEAR, STEP or CUBICSPLINE");
}

std::optional<ChannelPath> path_of(const std::string& name) {
    if (name == "translation") return ChannelPath::Translation;
    if (name == "rotation") return ChannelPath::Rotation;
    if (name == "scale") return ChannelPath::Scale;
    if (name == "weights") return ChannelPath::Weights;
    return std::nullopt;
}

void ClipReader::read_times(const Element& input, Sampler& sampler) {
    const Accessor accessor = open_accessor(buffers_, input, AccessorUse::Other);
    accessor.expect({"SCALAR"}, {Component::Float});
    buffers_.document().budget().charge(accessor.count, sizeof(float), accessor.user);
    sampler.times_s.resize(accessor.count);
    read_numbers(accessor, std::span(sampler.times_s));
    const auto& times = sampler.times_s;
    for (std::size_t k = 1; k < times.size(); ++k)
        if (times[k] < times[k - 1])
            accessor.fail(fmt::format("key {} at {} s comes before key {} at {} s", k, times[k],
                                      k - 1, times[k - 1]));
    if (std::adjacent_find(times.begin(), times.end()) != times.end())
        input.warn("has two keys at one time; at that time the later one holds");
    if (sampler.times_s[0] < 0.0f) input.warn(fmt::format("starts at {} s", sampler.times_s[0]));
}

void ClipReader::check_rotation_keys(const Sampler& sampler, const Accessor& accessor) {
    const bool spline = sampler.interpolation == Interpolation::CubicSpline;
    double worst = 0.0;
    for (std::size_t k = 0; k < sampler.times_s.size(); ++k) {
        const double* q = sampler.values.data() + (spline ? 12 * k + 4 : 4 * k);
        const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(squared > 0.0)) accessor.fail(fmt::format("key {} has a quaternion of length 0", k));
        if (std::fabs(squared - 1.0) > kRotationLengthTolerance)
            worst = std::max(worst, std::fabs(std::sqrt(squared) - 1.0));
    }
    rotation_errors_[clip_.samplers.size()] = worst;
}

void ClipReader::read_values(const Element& output, ChannelPath path, Sampler& sampler) {
    const Accessor accessor = open_accessor(buffers_, output, AccessorUse::Other);
    const char* type = path == ChannelPath::Weights    ? "SCALAR"
                       : path == ChannelPath::Rotation ? "VEC4"
                                                       : "VEC3";
    accessor.expect({type}, {Component::Float, Component::Byte, Component::UnsignedByte,
                             Component::Short, Component::UnsignedShort});
    accessor.expect_normalized(true);
    if (accessor.component != Component::Float &&
        (path == ChannelPath::Translation || path == ChannelPath::Scale))
        output.warn("translations and scales are floats in glTF, these are normalised integers");
    const bool spline = sampler.interpolation == Interpolation::CubicSpline;
    const std::size_t keys = sampler.times_s.size();
    const std::size_t per_key =
        (path == ChannelPath::Weights ? sampler.components : 1) * (spline ? std::size_t{3} : 1);
    // per_key * keys cannot wrap: both come from arrays that are in memory.
    if (accessor.count != keys * per_key)
        accessor.fail(
            fmt::format("has {} elements, {} keys need {}", accessor.count, keys, keys * per_key));
    buffers_.document().budget().charge(accessor.count * accessor.components, sizeof(double),
                                        accessor.user);
    sampler.values.resize(accessor.count * accessor.components);
    read_numbers(accessor, std::span(sampler.values));
    if (path == ChannelPath::Rotation) check_rotation_keys(sampler, accessor);
}

std::size_t ClipReader::read_sampler(const Element& index, ChannelPath path,
                                     std::size_t components) {
    const Element samplers = animation_.at("samplers");
    const std::uint64_t number = index.as_size();
    if (number >= samplers.size())
        index.fail(fmt::format("refers to sampler {} of {}", number, samplers.size()));
    const auto key = std::tuple(static_cast<std::size_t>(number), path, components);
    const auto found = read_.find(key);
    if (found != read_.end()) return found->second;
    const Element element = samplers.item(static_cast<std::size_t>(number));
    Sampler sampler;
    sampler.interpolation = interpolation_of(element);
    sampler.components = components;
    read_times(element.at("input"), sampler);
    if (sampler.interpolation == Interpolation::CubicSpline && sampler.times_s.size() == 1)
        element.warn("CUBICSPLINE with a single key");
    read_values(element.at("output"), path, sampler);
    clip_.samplers.push_back(std::move(sampler));
    return read_[key] = clip_.samplers.size() - 1;
}

std::size_t ClipReader::components_of(const Channel& channel) const {
    if (channel.path == ChannelPath::Rotation) return 4;
    if (channel.path != ChannelPath::Weights) return 3;
    return scene_.nodes[channel.node].weights.size();
}

/// Nothing where the channel is ignored, which is noted and counted.
std::optional<Channel> ClipReader::read_channel(const Element& element) {
    const Element sampler = element.at("sampler"), target = element.at("target");
    const auto ignore = [&](const Element& where, const std::string& fact) {
        where.ignore(fact);
        ++scene_.ignored_channels;
        return std::nullopt;
    };
    const Element path_element = target.at("path");
    const std::string& name = path_element.as_string();
    if (name == "pointer") return ignore(target, "KHR_animation_pointer channels are not read");
    const auto node = target.get("node");
    if (!node) return ignore(target, "the channel has no node");
    const std::size_t source = node->as_index_into("nodes");
    const auto path = path_of(name);
    if (!path) return ignore(path_element, "\"" + name + "\" is not a path of glTF 2.0");
    Channel channel;
    channel.node = node_of_[source];
    channel.path = *path;
    channel.place = element.place();
    const Node& at = scene_.nodes[channel.node];
    if (*path == ChannelPath::Weights) {
        const bool unread = at.mesh != kNone && !scene_.meshes[at.mesh].read;
        if (unread) return std::nullopt;  // nothing of this scene depends on it
        if (at.weights.empty()) return ignore(target, "weights of a node without morph targets");
    } else if (at.has_matrix) {
        target.fail(fmt::format("animates node {}, which has a matrix", source));
    }
    channel.sampler = read_sampler(sampler, *path, components_of(channel));
    return channel;
}

Clip ClipReader::read(std::size_t index) {
    clip_.name = animation_.text("name");
    if (clip_.name.find_first_not_of(" \t\r\n") == std::string::npos)
        clip_.name = fmt::format("animation-{}", index);
    const Element channels = animation_.at("channels");
    if (channels.size() == 0) channels.warn("is empty");
    (void)animation_.at("samplers").size();
    std::set<std::pair<std::size_t, ChannelPath>> targets;
    std::set<std::size_t> rotation_samplers;
    for (std::size_t c = 0; c < channels.size(); ++c) {
        const auto channel = read_channel(channels.item(c));
        if (!channel) continue;
        if (!targets.insert({channel->node, channel->path}).second)
            channels.item(c).fail("a second channel for the same node and path");
        if (channel->path == ChannelPath::Rotation) {
            const double error = rotation_errors_[channel->sampler];
            if (error > 0.0) ++clip_.normalized_rotation_channels;
            clip_.largest_rotation_length_error =
                std::max(clip_.largest_rotation_length_error, error);
        }
        clip_.channels.push_back(*channel);
    }
    for (std::size_t s = 0; s < clip_.samplers.size(); ++s) {
        const auto& times = clip_.samplers[s].times_s;
        const double first = static_cast<double>(times.front()),
                     last = static_cast<double>(times.back());
        clip_.start_s = s == 0 ? first : std::min(clip_.start_s, first);
        clip_.duration_s = s == 0 ? last : std::max(clip_.duration_s, last);
    }
    return std::move(clip_);
}

}  // namespace

void read_animations(Buffers& buffers, const std::vector<std::size_t>& node_of, Scene& scene) {
    const Document& document = buffers.document();
    for (std::size_t a = 0; a < document.count("animations"); ++a)
        scene.clips.push_back(
            ClipReader(buffers, document.item("animations", a), node_of, scene).read(a));
}

}  // namespace skinpose::gltf
