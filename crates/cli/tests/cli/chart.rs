//! Message sequence charts of runs, for each language and in each form.

use crate::program::Desk;
use crate::snapshots::{example, snapshot};

/// Goals that the alternating bit protocol reaches, by language.
const GOALS: [(&str, &str); 3] =
    [("pml", "receiver:next==2"), ("dve", "receiver->next==2"), ("esml", "Receiver.expected=1")];

#[test]
fn the_same_protocol_in_three_languages() {
    let desk = Desk::new();
    for (language, goal) in GOALS {
        let model = format!("alternating-bit.{language}");
        example(&desk, &model);
        desk.run(&format!("{model} --reach {goal}")).expect(1);
        for (form, ending) in [("text", "txt"), ("svg", "svg"), ("mermaid", "mmd")] {
            let said = desk.run(&format!("replay {model} --chart {form} --changes")).expect(1);
            snapshot(&format!("chart-{language}.{ending}"), &said.out);
        }
    }
}

/// A process that is created and ends, messages that wait, a lasso, a sorted send, a receive from the middle, a copy
/// that leaves its message.
#[test]
fn messages_keep_their_identity() {
    let desk = Desk::new();
    desk.write(
        "mail.pml",
        "chan q = [3] of { byte, byte };\nchan r = [0] of { byte };\nbool done;\n\
         proctype child(byte n) { q!!n,7 }\n\
         init {\n  byte x;\n  q!!5,1; q!!3,2; run child(4);\n  _nr_pr == 1;\n\
         \x20 q?<x,_>; q??5,x; q?x,_;\n  done = true;\n  do\n  :: q?x,_ -> q!x,0\n  od\n}\n\
         ltl never_done { [] !(done && len(q) == 0) }\n",
    );
    desk.run("mail.pml").expect(1);
    let said = desk.run("replay mail.pml --chart text").expect(1);
    snapshot("chart-identity.txt", &said.out);
    desk.write("lasso.pml", "chan q = [1] of { byte };\nactive proctype a() { do :: q!1 od }\nactive proctype b() { byte x; do :: q?x od }\nltl stop { <> (a:x == 3) }\n".replace("a:x", "b:x"));
    desk.run("lasso.pml").expect(1);
    snapshot("chart-lasso.txt", &desk.run("replay lasso.pml --chart text").expect(1).out);
    snapshot("chart-lasso.svg", &desk.run("replay lasso.pml --chart svg").expect(1).out);
    snapshot("chart-lasso.mmd", &desk.run("replay lasso.pml --chart mermaid").expect(1).out);
}
