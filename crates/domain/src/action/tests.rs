use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;

#[allow(clippy::disallowed_methods, reason = "the switch that rewrites golden files")]
fn compare(golden: &str, path: &str, rendered: &str) {
    if std::env::var_os("BOTHY_UPDATE").is_some() {
        std::fs::write(format!("{}/{path}", env!("CARGO_MANIFEST_DIR")), rendered).unwrap();
        return;
    }
    assert_eq!(
        golden, rendered,
        "{path} differs: read the change of rights, then BOTHY_UPDATE=1 cargo test -p bothy-domain"
    );
}

/// The catalogue as a reviewer reads it: a change of rights is a change of this file.
#[test]
fn catalogue_is_the_golden_table() {
    let mut table = String::from("action | on | who | needs | owner session step-up | audit | rate | binding\n");
    for row in CATALOGUE.rows() {
        let who: Vec<_> = row.subjects.kinds().iter().map(|kind| kind.as_str()).collect();
        let needs: Vec<_> = row
            .any_of
            .iter()
            .map(|needs| {
                let capability = needs.capability.map_or("", |capability| capability.as_str());
                [needs.relation.as_str(), needs.level.as_str(), capability]
                    .into_iter()
                    .filter(|part| !part.is_empty() && *part != "none")
                    .collect::<Vec<_>>()
                    .join("+")
            })
            .collect();
        let credential = [(row.owner, "owner"), (row.session, "session"), (row.step_up, "step-up")]
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
            .join(" ");
        writeln!(
            table,
            "{} | {} | {} | {} | {} | {} | {} | {}",
            row.id,
            row.resource.as_str(),
            who.join(" "),
            needs.join(" or "),
            credential,
            if row.audit { "yes" } else { "" },
            row.rate.as_str(),
            row.binding.as_str(),
        )
        .unwrap();
    }
    compare(include_str!("../../golden/catalogue.txt"), "golden/catalogue.txt", &table);
}

/// AF-13: the two sets that are not bound, and nothing else.
#[test]
fn af_13_binding_modes_are_the_golden_sets() {
    let mut rendered = String::new();
    for mode in [BindingMode::OwnException, BindingMode::Unbound] {
        for row in CATALOGUE.rows().filter(|row| row.binding == mode) {
            writeln!(rendered, "{} {}", mode.as_str(), row.id).unwrap();
        }
    }
    compare(include_str!("../../golden/binding_modes.txt"), "golden/binding_modes.txt", &rendered);
}

#[test]
fn action_names_are_unique() {
    let names: BTreeSet<_> = CATALOGUE.rows().map(|row| row.id).collect();
    assert_eq!(names.len(), Action::ALL.len());
}

/// Administration is for people in a session only (chapter 03 section 4).
#[test]
fn administration_is_for_people_in_a_session() {
    for row in CATALOGUE.rows().filter(|row| row.owner || row.step_up) {
        assert!(row.session, "{} needs a session", row.id);
        assert_eq!(row.subjects.kinds(), [crate::actor::PrincipalKind::Person], "{}", row.id);
    }
}

/// The door finds a target by the name of its kind in the path.
#[test]
fn what_a_path_can_name_is_called_after_its_kind() {
    for row in CATALOGUE.rows() {
        let named = match row.resource {
            ResourceKind::Instance | ResourceKind::Own | ResourceKind::Audit => None,
            // Of whatever kind the target is.
            ResourceKind::GrantTarget => Some("target_id".to_owned()),
            kind => Some(format!("{}_id", kind.as_str())),
        };
        assert_eq!(row.resource.path_parameter().map(str::to_owned), named);
    }
}
