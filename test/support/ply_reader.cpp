#include "support/ply_reader.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace skinpose::test {
namespace {

struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<std::pair<std::string, std::string>> scalars;  ///< type, name
    std::string list_count_type, list_item_type, list_name;    ///< empty unless it has a list
};

/// Reads values one by one from the body, binary or ascii.
class Body {
   public:
    Body(const std::string& bytes, std::size_t at, bool ascii)
        : bytes_(bytes), at_(at), ascii_(ascii) {}

    double next(const std::string& type) {
        if (ascii_) return std::stod(word());
        if (type == "char" || type == "int8") return scalar<std::int8_t>();
        if (type == "uchar" || type == "uint8") return scalar<std::uint8_t>();
        if (type == "short" || type == "int16") return scalar<std::int16_t>();
        if (type == "ushort" || type == "uint16") return scalar<std::uint16_t>();
        if (type == "int" || type == "int32") return scalar<std::int32_t>();
        if (type == "uint" || type == "uint32") return scalar<std::uint32_t>();
        if (type == "float" || type == "float32") return static_cast<double>(scalar<float>());
        if (type == "double" || type == "float64") return scalar<double>();
        throw std::runtime_error("PLY: unknown type " + type);
    }

    void expect_end() {
        if (ascii_) at_ = std::min(bytes_.find_first_not_of(" \n", at_), bytes_.size());
        if (at_ != bytes_.size())
            throw std::runtime_error("PLY: " + std::to_string(bytes_.size() - at_) +
                                     " bytes after the last element");
    }

   private:
    template <typename T>
    T scalar() {
        if (bytes_.size() - at_ < sizeof(T)) throw std::runtime_error("PLY: body is short");
        T value{};
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::string word() {
        const std::size_t begin = bytes_.find_first_not_of(" \n", at_);
        if (begin == std::string::npos) throw std::runtime_error("PLY: body is short");
        at_ = std::min(bytes_.find_first_of(" \n", begin), bytes_.size());
        return bytes_.substr(begin, at_ - begin);
    }

    const std::string& bytes_;
    std::size_t at_;
    bool ascii_;
};

void read_property(std::istringstream& words, Element& element) {
    std::string type;
    words >> type;
    if (type == "list") {
        words >> element.list_count_type >> element.list_item_type >> element.list_name;
    } else {
        std::string name;
        words >> name;
        element.scalars.emplace_back(type, name);
    }
}

/// Returns where the body begins.
std::size_t read_header(const std::string& bytes, PlyMesh& mesh, std::vector<Element>& elements) {
    std::size_t at = 0;
    for (std::size_t line_number = 0;; ++line_number) {
        const std::size_t end = bytes.find('\n', at);
        if (end == std::string::npos) throw std::runtime_error("PLY: header has no end");
        const std::string line = bytes.substr(at, end - at);
        at = end + 1;
        std::istringstream words(line);
        std::string keyword;
        words >> keyword;
        if (line_number == 0 && line != "ply") throw std::runtime_error("PLY: no magic");
        if (keyword == "end_header") return at;
        if (keyword == "format") {
            std::string version;
            words >> mesh.format >> version;
            if (version != "1.0") throw std::runtime_error("PLY: version " + version);
        } else if (keyword == "comment") {
            mesh.comments.push_back(line.size() > 8 ? line.substr(8) : std::string());
        } else if (keyword == "element") {
            Element element;
            words >> element.name >> element.count;
            elements.push_back(element);
        } else if (keyword == "property") {
            if (elements.empty()) throw std::runtime_error("PLY: property before an element");
            read_property(words, elements.back());
        } else if (line_number != 0) {
            throw std::runtime_error("PLY: header line " + line);
        }
    }
}

std::uint32_t to_index(double value, std::size_t vertex_count) {
    if (!(value >= 0) || value >= static_cast<double>(vertex_count))
        throw std::runtime_error("PLY: face index out of range");
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::size_t PlyMesh::vertex_count() const {
    return vertex_values.empty() ? 0 : vertex_values.front().size();
}

const std::vector<double>& PlyMesh::column(const std::string& name) const {
    static const std::vector<double> kEmpty;
    for (std::size_t i = 0; i < vertex_properties.size(); ++i)
        if (vertex_properties[i] == name) return vertex_values[i];
    return kEmpty;
}

bool PlyMesh::has(const std::string& name) const {
    for (const std::string& property : vertex_properties)
        if (property == name) return true;
    return false;
}

std::vector<std::array<double, 3>> PlyMesh::positions() const {
    const auto &x = column("x"), &y = column("y"), &z = column("z");
    std::vector<std::array<double, 3>> result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = {x[i], y[i], z[i]};
    return result;
}

std::vector<std::array<double, 3>> PlyMesh::normals() const {
    const auto &x = column("nx"), &y = column("ny"), &z = column("nz");
    std::vector<std::array<double, 3>> result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = {x[i], y[i], z[i]};
    return result;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

PlyMesh read_ply(const std::string& path) {
    const std::string bytes = read_file(path);
    PlyMesh mesh;
    std::vector<Element> elements;
    const std::size_t begin = read_header(bytes, mesh, elements);
    if (mesh.format != "ascii" && mesh.format != "binary_little_endian")
        throw std::runtime_error("PLY: format " + mesh.format);
    Body body(bytes, begin, mesh.format == "ascii");
    for (const Element& element : elements) {
        if (element.count > bytes.size()) throw std::runtime_error("PLY: impossible count");
        if (element.name == "vertex") {
            for (const auto& [type, name] : element.scalars) {
                mesh.vertex_properties.push_back(name);
                mesh.vertex_property_types.push_back(type);
                mesh.vertex_values.emplace_back().reserve(element.count);
            }
            if (!element.list_name.empty()) throw std::runtime_error("PLY: list in a vertex");
            for (std::size_t i = 0; i < element.count; ++i)
                for (std::size_t p = 0; p < element.scalars.size(); ++p)
                    mesh.vertex_values[p].push_back(body.next(element.scalars[p].first));
        } else if (element.name == "face") {
            if (element.list_name != "vertex_indices" || !element.scalars.empty())
                throw std::runtime_error("PLY: a face that is not one list of vertex_indices");
            for (std::size_t i = 0; i < element.count; ++i) {
                if (body.next(element.list_count_type) != 3.0)
                    throw std::runtime_error("PLY: a face that is no triangle");
                std::array<std::uint32_t, 3> face{};
                for (std::uint32_t& corner : face)
                    corner = to_index(body.next(element.list_item_type), mesh.vertex_count());
                mesh.faces.push_back(face);
            }
        } else {
            throw std::runtime_error("PLY: unknown element " + element.name);
        }
    }
    body.expect_end();
    return mesh;
}

}  // namespace skinpose::test
