use clap::CommandFactory;

use super::Arguments;

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn every_command_that_does_something_ends_its_help_with_examples() {
    fn check(command: &clap::Command) {
        if command.get_subcommands().next().is_none() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n"), "{}", command.get_name());
        }
        command.get_subcommands().for_each(check);
    }
    check(&Arguments::command());
}
