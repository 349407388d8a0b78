use bothy_platform::entropy::bytes;
use bothy_sdk::wire::{AcceptInvite, NewInvite, NewSession, Session};
use bothy_sdk::{Client, Error};

use super::kept::KeptPerson;
use super::load::{Member, Replay, ReplayError};
use super::transcript::{Element, Person};

impl Replay<'_> {
    /// Makes the people: as they were kept, else by inviting them and accepting for them. The owner
    /// whose token it is may be one of them.
    pub(super) async fn load_people(&mut self, people: &[Element<Person>]) -> Result<(), ReplayError> {
        let me = self.owner.get_me().await.map_err(ReplayError::Owner)?.principal;
        for (done, Element { at, value: person }) in people.iter().enumerate() {
            (self.progress)("people", done, people.len());
            let member = if person.handle == me.handle {
                Some(Member { id: me.id, client: self.owner.clone() })
            } else {
                self.person(at, person).await?
            };
            if let Some(member) = member {
                self.people.insert(person.handle.clone(), member);
                self.report.people += 1;
            }
        }
        (self.progress)("people", people.len(), people.len());
        Ok(())
    }

    async fn person(&mut self, at: &str, person: &Person) -> Result<Option<Member>, ReplayError> {
        let known = self.kept.person(&person.handle).cloned();
        let (email, password, session) = match known {
            Some(KeptPerson { email, password, .. }) => {
                let answer = self.owner.create_session(&NewSession { email: &email, password: &password }).await;
                let Some(session) = self.judge(at, answer)? else { return Ok(None) };
                (email, password, session)
            }
            None => {
                let password = password(&bytes::<24>(&*self.entropy));
                let answer = invite(&self.owner, person, &password).await;
                if answer.as_ref().is_err_and(|error| error.is("conflict")) {
                    let message = "there is a person with this handle or address already; to go on as the people of a \
                                   run before, give its --out file";
                    self.refuse(at, message);
                    return Ok(None);
                }
                let Some(session) = self.judge(at, answer)? else { return Ok(None) };
                (person.email.clone(), password, session)
            }
        };
        let client = self.owner.with_token(&session.token);
        let Some(client) = self.judge(at, client)? else { return Ok(None) };
        let id = session.person.person_id;
        self.kept.keep_person(KeptPerson {
            handle: person.handle.clone(),
            id,
            email,
            password,
            session_token: session.token,
        });
        Ok(Some(Member { id, client }))
    }
}

async fn invite(owner: &Client, person: &Person, password: &str) -> Result<Session, Error> {
    let display_name = person.display_name.as_str();
    let invite = owner.invite_person(&NewInvite { handle: &person.handle, display_name, email: &person.email }).await?;
    owner.accept_invite(&AcceptInvite { code: &invite.code, password, display_name }).await
}

/// A password that nobody has to type: random bytes as letters and digits.
fn password(random: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789A";
    random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32))).map(|letter| char::from(*letter)).collect()
}
