// What is wrong with a scene as data: places, paths, kinds; and the tree without a parser.
#include "saltus/scene/complaints.hpp"

#include <gtest/gtest.h>

#include "saltus/scene/load.hpp"
#include "saltus/scene/tree_builder.hpp"
#include "support/errors.hpp"

namespace saltus::test_complaints {
namespace {

const std::string bad =
    "saltus: 1\n"
    "coordinates: {z: {strat: 1}}\n"
    "mass: {z: M}\n"
    "run: {t_end: 1}\n";

TEST(Complaints, HaveTheirPlaceAndThePathOfTheField) {
  const auto list = scene_complaints(bad, "s.yaml");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].path, "coordinates.z.strat");
  EXPECT_EQ(list[0].place.line, 2);
  EXPECT_EQ(list[0].place.column, 19);
  EXPECT_EQ(list[0].kind, Complaint::Kind::unknown_field);
  EXPECT_TRUE(list[0].message.starts_with("unknown field (did you mean 'start'?)")) << list[0].message;
  EXPECT_EQ(list[1].path, "mass.z");
  EXPECT_EQ(list[1].place.line, 3);
  EXPECT_EQ(list[1].kind, Complaint::Kind::other);
  EXPECT_TRUE(
      scene_complaints("saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1}\n", "s.yaml").empty());
}

TEST(Complaints, TheErrorIsTheirText) {
  try {
    load_scene_text(bad, "s.yaml");
    FAIL();
  } catch (const SceneError& e) {
    EXPECT_EQ(e.file(), "s.yaml");
    EXPECT_EQ(e.what(), complaints_text("s.yaml", e.complaints()));
    EXPECT_TRUE(std::string_view(e.what()).starts_with("s.yaml:2:19: coordinates.z.strat: unknown field"));
    EXPECT_TRUE(std::string_view(e.what()).ends_with("\n2 errors"));
  }
}

TEST(Complaints, WhatWasSetOnTheCommandLineHasNoPlaceInTheFile) {
  const std::vector<std::string> sets = {"run.tend=2"};
  const auto list =
      scene_complaints("saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1}\n", "s.yaml", sets);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].place.line, 0);
  EXPECT_EQ(list[0].path, "run.tend");
}

// A text that is no YAML is one complaint at its place, about no field.
TEST(Complaints, TextThatIsNoYaml) {
  const auto list = scene_complaints("saltus: 1\nrun: {t_end: 1\n", "s.yaml");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_TRUE(list[0].path.empty());
  EXPECT_GE(list[0].place.line, 2);
  EXPECT_TRUE(list[0].message.starts_with("not YAML: ")) << list[0].message;
}

// That a field is missing is explained by its kind, not by words.
TEST(Complaints, AMisspeltFieldExplainsOneThatIsMissing) {
  Complaints c;
  c.add({1, 1}, "run.tend", "in any language", Complaint::Kind::unknown_field);
  EXPECT_TRUE(c.about_field("run", "t_end"));
  EXPECT_FALSE(c.about_field("contacts.floor", "gap"));
  Complaints other;
  other.add({1, 1}, "run.scheme", "unknown field of a table");
  EXPECT_FALSE(other.about_field("run", "t_end"));
}

TEST(TreeBuilder, BuildsTheTreeFromEvents) {
  TreeBuilder b;
  b.begin_document();
  b.begin_map({{1, 1}, "?"});
  b.scalar({{1, 1}, "?"}, "list");
  b.begin_list({{1, 7}, "?"});
  b.scalar({{1, 8}, "?"}, "1");
  b.scalar({{1, 11}, "!"}, "null");  // quoted: a text
  b.scalar({{1, 19}, "?"}, "~");
  b.end();
  b.scalar({{2, 1}, "?"}, "list");
  b.scalar({{2, 7}, "?"}, "again");
  b.end();
  b.end_document();
  EXPECT_EQ(b.complete(), 1);
  ASSERT_EQ(b.root.keys, std::vector<std::string>{"list"});
  const SceneNode& list = b.root.items[0];
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[0].text, "1");
  EXPECT_EQ(list.items[1].kind, SceneNode::Kind::scalar);
  EXPECT_EQ(list.items[2].kind, SceneNode::Kind::null);
  EXPECT_EQ(list.items[2].place.column, 19);
  ASSERT_EQ(b.repeated.size(), 1u);
  EXPECT_EQ(b.repeated[0].path, "list");
}

TEST(TreeBuilder, RefusesWhateverTheParserSays) {
  const auto refusal = [](auto&& events) {
    TreeBuilder b;
    b.begin_document();
    try {
      events(b);
    } catch (const TreeBuilder::Refusal& r) {
      return r.message;
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal([](TreeBuilder& b) { b.alias({1, 1}); }).find("aliases"), std::string::npos);
  EXPECT_NE(refusal([](TreeBuilder& b) {
              b.scalar({{1, 1}, "?", true}, "x");
            }).find("anchors"),
            std::string::npos);
  EXPECT_NE(refusal([](TreeBuilder& b) {
              b.scalar({{1, 1}, "!!int"}, "x");
            }).find("the tag !!int"),
            std::string::npos);
  EXPECT_NE(refusal([](TreeBuilder& b) {
              for (int k = 0; k <= deepest_scene; ++k) b.begin_list({{1, 1}, "?"});
            }).find("nested more than"),
            std::string::npos);
  EXPECT_NE(refusal([](TreeBuilder& b) {
              b.begin_list({{1, 1}, "?"});
              for (int k = 0; k < most_scene_values; ++k) b.null({{1, 1}, "?"});
            }).find("too many"),
            std::string::npos);
}

}  // namespace
}  // namespace saltus::test_complaints
