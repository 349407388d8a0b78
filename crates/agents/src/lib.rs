//! Who answers.
