#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gltf/budget.h"
#include "gltf/json.h"
#include "gltf/mapped_file.h"
#include "skinpose/error.h"
#include "skinpose/scene.h"

namespace skinpose::gltf {

class Document;

/// A JSON value and where it is: every getter checks the type and throws Error(Input) with the JSON
/// pointer. Cheap to copy but for the pointer's text; do not keep beyond the document.
class Element {
   public:
    Element(const Document& document, const Json& json, std::string place)
        : document_(&document), json_(&json), place_(std::move(place)) {}

    [[nodiscard]] const std::string& place() const { return place_; }
    [[nodiscard]] const Json& json() const { return *json_; }
    [[noreturn]] void fail(const std::string& fact, const std::string& advice = {}) const;
    /// Fails at the member `key` of this.
    [[noreturn]] void fail_at(std::string_view key, const std::string& fact) const;
    void warn(const std::string& fact) const;    ///< a finding: accepted, but not as it should be
    void ignore(const std::string& fact) const;  ///< a finding: left out

    /// Members of an object: present or not, or required.
    [[nodiscard]] std::optional<Element> get(std::string_view key) const;
    [[nodiscard]] Element at(std::string_view key) const;
    /// Items of an array.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] Element item(std::size_t i) const;

    [[nodiscard]] std::uint64_t as_size() const;  ///< a whole number >= 0
    [[nodiscard]] double as_number() const;
    [[nodiscard]] bool as_boolean() const;
    [[nodiscard]] const std::string& as_string() const;
    [[nodiscard]] const Json::Object& as_object() const;
    /// An index into the top-level array `list`.
    [[nodiscard]] std::size_t as_index_into(std::string_view list) const;
    /// An array of exactly `count` numbers, each finite as a float.
    [[nodiscard]] std::vector<double> as_numbers(std::size_t count) const;

    /// The optional member as text, or empty.
    [[nodiscard]] std::string text(std::string_view key) const;

   private:
    const Document* document_;
    const Json* json_;
    std::string place_;
};

/// The JSON and binary chunk of one .gltf or .glb, told apart by the first four bytes, and the
/// findings and budget that reading it shares.
class Document {
   public:
    Document(const std::string& path, std::uint64_t max_memory_bytes);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] Element root() const { return {*this, root_, ""}; }
    /// Number of items of a top-level array, 0 where it is absent. Present, it must not be empty.
    [[nodiscard]] std::size_t count(std::string_view list) const;
    /// Item of a top-level array; it must be an object.
    [[nodiscard]] Element item(std::string_view list, std::size_t index) const;
    [[nodiscard]] std::optional<std::span<const std::byte>> binary_chunk() const { return binary_; }
    [[nodiscard]] bool uses_extension(std::string_view name) const;

    [[nodiscard]] Budget& budget() const { return *budget_; }
    [[nodiscard]] std::vector<Finding>& warnings() const { return *warnings_; }
    [[nodiscard]] std::vector<Finding>& ignored() const { return *ignored_; }

   private:
    [[nodiscard]] std::string_view split_container();
    [[nodiscard]] std::string_view split_glb();

    std::string file_;
    MappedFile mapped_;
    // Shared by every reader of this document, whose view of the document itself is const.
    std::unique_ptr<Budget> budget_;
    std::unique_ptr<std::vector<Finding>> warnings_, ignored_;
    std::optional<std::span<const std::byte>> binary_;
    Json root_;
};

/// Checks /asset, /extensionsUsed and /extensionsRequired. Throws Error(Input) for a version that
/// is not 2.x and for a required extension that could change the pose and is not known.
void check_asset_and_extensions(const Document& document);

}  // namespace skinpose::gltf
