#include "gltf/read_influences.h"

#include <algorithm>

namespace skinpose::gltf {

namespace {

/// How many sets there are; refuses names that are no set, gaps and half sets.
std::size_t count_sets(const Element& attributes) {
    std::size_t joints = 0, weights = 0;
    for (const auto& member : attributes.as_object()) {
        joints += member.first.starts_with("JOINTS_") ? 1 : 0;
        weights += member.first.starts_with("WEIGHTS_") ? 1 : 0;
    }
    const std::size_t sets = std::max(joints, weights);
    for (const auto& member : attributes.as_object()) {
        const std::string& name = member.first;
        const bool is_joints = name.starts_with("JOINTS_");
        if (!is_joints && !name.starts_with("WEIGHTS_")) continue;
        const std::string number = name.substr(name.find('_') + 1);
        const Element entry = *attributes.get(name);
        const bool numbered = !number.empty() && number.size() <= 6 &&
                              number.find_first_not_of("0123456789") == std::string::npos &&
                              (number == "0" || number[0] != '0');
        if (!numbered || std::stoul(number) >= sets)
            entry.fail(
                fmt::format("is not one of {} influence sets numbered from 0 without a gap", sets));
        const std::string partner = (is_joints ? "WEIGHTS_" : "JOINTS_") + number;
        if (!attributes.get(partner)) entry.fail("comes without " + partner);
    }
    return sets;
}

Accessor open_part(const OpenAttribute& open, const std::string& name, std::size_t vertex_count) {
    Accessor accessor = *open(name);
    if (accessor.count != vertex_count)
        accessor.fail(fmt::format("has {} elements for {} vertices", accessor.count, vertex_count));
    return accessor;
}

std::vector<std::uint16_t> read_small_integers(const Accessor& accessor) {
    std::vector<std::uint32_t> wide(accessor.count * accessor.components);
    read_integers(accessor, wide);
    std::vector<std::uint16_t> out(wide.size());
    std::transform(wide.begin(), wide.end(), out.begin(),
                   [](std::uint32_t x) { return static_cast<std::uint16_t>(x); });
    return out;
}

void read_weights(const Accessor& accessor, InfluenceSet& set) {
    accessor.expect({"VEC4"},
                    {Component::Float, Component::UnsignedByte, Component::UnsignedShort});
    accessor.expect_normalized(true);
    if (accessor.component != Component::Float) {
        set.integer_one = accessor.component == Component::UnsignedByte ? 255 : 65535;
        set.integers = read_small_integers(accessor);
        return;
    }
    set.weights.resize(accessor.count * 4);
    read_numbers(accessor, std::span(set.weights));
    for (std::size_t i = 0; i < set.weights.size(); ++i)
        if (set.weights[i] < 0.0f)
            accessor.fail(fmt::format("vertex {} has the weight {}; weights are not negative",
                                      i / 4, set.weights[i]));
}

bool weighted(const InfluenceSet& set, std::size_t slot) {
    return set.integer_one == 0 ? set.weights[slot] > 0.0f : set.integers[slot] > 0;
}

/// Refuses weighted joints the skin does not have; returns how many have weight 0.
std::size_t check_joints(const Accessor& accessor, const InfluenceSet& set,
                         std::size_t joint_count) {
    std::size_t unused = 0;
    for (std::size_t i = 0; i < set.joints.size(); ++i) {
        if (set.joints[i] < joint_count) continue;
        if (weighted(set, i))
            accessor.fail(fmt::format("vertex {} is weighted to joint {}, the skin has {}", i / 4,
                                      set.joints[i], joint_count));
        ++unused;
    }
    return unused;
}

}  // namespace

VertexInfluences read_influences(Buffers& buffers, const Element& attributes,
                                 const OpenAttribute& open, std::size_t vertex_count,
                                 std::size_t joint_count) {
    const std::size_t count = count_sets(attributes);
    if (count == 0) return {};
    // Raw sets, merged slots and the table, per influence.
    buffers.document().budget().charge(count * vertex_count, 4 * 64, attributes.place());
    std::vector<InfluenceSet> sets(count);
    std::size_t unused_out_of_range = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const Accessor joints = open_part(open, fmt::format("JOINTS_{}", s), vertex_count);
        joints.expect({"VEC4"}, {Component::UnsignedByte, Component::UnsignedShort});
        joints.expect_normalized(false);
        sets[s].joints = read_small_integers(joints);
        read_weights(open_part(open, fmt::format("WEIGHTS_{}", s), vertex_count), sets[s]);
        unused_out_of_range += check_joints(joints, sets[s], joint_count);
    }
    VertexInfluences influences = merge_influences(vertex_count, sets);
    influences.unused_out_of_range_joints = unused_out_of_range;
    return influences;
}

}  // namespace skinpose::gltf
