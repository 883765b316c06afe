#include "gltf/json.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "skinpose/error.h"

namespace skinpose::gltf {

const Json* Json::find(std::string_view key) const {
    const Object* object = as<Object>();
    if (object == nullptr) return nullptr;
    for (const auto& [name, member] : *object)
        if (name == key) return &member;
    return nullptr;
}

const char* Json::type_name() const {
    static constexpr const char* kNames[] = {"null",     "a boolean", "a number",
                                             "a string", "an array",  "an object"};
    return kNames[value.index()];
}

std::string pointer_token(std::string_view key) {
    std::string out;
    for (const char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

namespace {

/// Builds the tree from nlohmann's events and knows at each one where in the document it is.
class Builder : public nlohmann::json_sax<nlohmann::json> {
   public:
    Builder(std::string_view text, const std::string& file, Budget& budget)
        : text_(text), file_(file), budget_(budget) {}

    Json take() { return std::move(root_); }

    bool null() override { return add(Json{nullptr}); }
    bool boolean(bool truth) override { return add(Json{truth}); }
    bool number_integer(number_integer_t n) override {
        return add(Json{Json::Number{static_cast<double>(n), 0, false}});
    }
    bool number_unsigned(number_unsigned_t n) override {
        return add(Json{Json::Number{static_cast<double>(n), n, true}});
    }
    bool number_float(number_float_t x, const string_t&) override {
        // 3.0 and 3e0 are the integer 3 (glTF 2.0 section 2.9 says so); -0.0 is 0.
        const bool whole = x >= 0.0 && x < 9007199254740992.0 && std::floor(x) == x;
        return add(Json{Json::Number{x, whole ? static_cast<std::uint64_t>(x) : 0, whole}});
    }
    bool string(string_t& s) override {
        charge(s.size(), 1);
        return add(Json{std::move(s)});
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json{Json::Object{}}); }
    bool start_array(std::size_t) override { return open(Json{Json::Array{}}); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        Level& level = levels_.back();
        level.key = name;
        level.in_member = true;
        auto& object = std::get<Json::Object>(level.json->value);
        if (has_key(level, object, name)) fail("the key is there twice", "a key may appear once");
        charge(name.size(), 1);
        object.emplace_back(std::move(name), Json{});
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        constexpr int kNumberOverflow = 406;
        const std::size_t at = std::min(position, text_.size());
        const auto line =
            1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at), '\n');
        const std::size_t newline = text_.substr(0, at).rfind('\n');
        const std::size_t column = at - (newline == std::string_view::npos ? 0 : newline + 1);
        fail(fmt::format("{} at line {}, column {}",
                         error.id == kNumberOverflow ? "a number beyond the range of a double"
                                                     : "not valid JSON",
                         line, column));
    }

   private:
    struct Level {
        Json* json;
        std::string key;
        bool in_member = false;
        std::unordered_set<std::string> keys;  // filled once the object is large
    };

    static bool has_key(Level& level, const Json::Object& object, const std::string& name) {
        constexpr std::size_t kSmall = 16;
        if (object.size() < kSmall)
            return std::any_of(object.begin(), object.end(),
                               [&](const auto& member) { return member.first == name; });
        if (level.keys.empty())
            for (const auto& member : object) level.keys.insert(member.first);
        return !level.keys.insert(name).second;
    }

    /// Spells out the place only when it is needed: there are millions of values.
    void charge(std::uint64_t count, std::uint64_t each) {
        if (!budget_.take(count, each)) budget_.refuse(count, each, place());
    }

    Json* slot(Json&& json) {
        charge(1, sizeof(Json));
        if (levels_.empty()) {
            root_ = std::move(json);
            return &root_;
        }
        Level& level = levels_.back();
        if (auto* array = std::get_if<Json::Array>(&level.json->value)) {
            array->push_back(std::move(json));
            return &array->back();
        }
        Json& member = std::get<Json::Object>(level.json->value).back().second;
        member = std::move(json);
        level.in_member = false;
        return &member;
    }

    bool add(Json&& json) {
        slot(std::move(json));
        return true;
    }

    bool open(Json&& json) {
        if (levels_.size() >= kMaxJsonDepth)
            fail(fmt::format("arrays and objects deeper than {} levels", kMaxJsonDepth));
        Json* opened = slot(std::move(json));
        if (!levels_.empty())
            levels_.back().in_member = std::get_if<Json::Object>(&levels_.back().json->value);
        levels_.push_back({opened, {}, false, {}});
        return true;
    }

    bool close() {
        levels_.pop_back();
        if (!levels_.empty()) levels_.back().in_member = false;
        return true;
    }

    /// Of the value being read: the key after which it comes, or its index in the array.
    [[nodiscard]] std::string place() const {
        std::string pointer;
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            const Level& level = levels_[i];
            const bool inner = i + 1 < levels_.size();
            if (const auto* array = std::get_if<Json::Array>(&level.json->value)) {
                const std::size_t index = inner ? array->size() - 1 : array->size();
                pointer += fmt::format("/{}", index);
            } else if (inner || level.in_member) {
                pointer += "/" + pointer_token(level.key);
            }
            if (pointer.size() > 300) return pointer;
        }
        return pointer;
    }

    [[noreturn]] void fail(const std::string& fact, const std::string& advice = {}) const {
        throw Error(ErrorCode::Input, file_, place(), fact, advice);
    }

    std::string_view text_;
    const std::string& file_;
    Budget& budget_;
    Json root_;
    std::vector<Level> levels_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& file, Budget& budget) {
    Builder builder(text, file, budget);
    nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &builder);
    return builder.take();
}

}  // namespace skinpose::gltf
