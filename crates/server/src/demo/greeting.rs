use std::fmt::Write as _;

use crate::world::World;

/// What the demo prints: who can sign in, and what to try.
pub fn greeting(world: &World, server: &str) -> String {
    let mut text = String::from("\nPeople (sign in with address and password):\n");
    for human in world.people() {
        let _ = writeln!(text, "  {:<8} {:<20} {}", human.display_name, human.email, human.password);
    }
    let _ = write!(
        text,
        "\nAgents: Lotse operates #Allgemein and #Eskalation and is running here; Texter comes when it is mentioned.\n\n\
         Try it:\n\n\
         # sign in as Alex\n\
         TOKEN=$(curl -s {server}/api/v1/sessions -H 'Content-Type: application/json' \\\n  \
           -d '{{\"email\":\"{email}\",\"password\":\"{password}\"}}' | sed -n 's/.*\"token\":\"\\([^\"]*\\)\".*/\\1/p')\n\n\
         # ask Lotse in #Allgemein: a thread is opened, and Lotse answers in it\n\
         curl -s {server}/api/v1/threads/{allgemein}/messages -H \"Authorization: Bearer $TOKEN\" \\\n  \
           -H 'Content-Type: application/json' -d '{{\"content_md\":\"@lotse when are we open?\"}}'\n\n\
         # read the answer, with `opened_thread_id` of the answer before\n\
         curl -s {server}/api/v1/threads/OPENED_THREAD_ID/messages -H \"Authorization: Bearer $TOKEN\"\n\n\
         # Alex has no rights in #Kampagne: it does not exist\n\
         curl -s {server}/api/v1/channels/{kampagne} -H \"Authorization: Bearer $TOKEN\"\n\n\
         Press Ctrl-C to stop.\n",
        email = world.alex.email,
        password = world.alex.password,
        allgemein = world.allgemein.main,
        kampagne = world.kampagne.id,
    );
    text
}
