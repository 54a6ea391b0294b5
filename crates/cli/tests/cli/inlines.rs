//! Steps inside an inline: their own line, and the line of the call.

use crate::program::Desk;
use crate::snapshots::snapshot;

#[test]
fn steps_of_an_inline_show_their_line_and_the_call() {
    let desk = Desk::new();
    desk.write(
        "inline.pml",
        "byte x;\ninline enter(v) {\n  v++;\n  assert(v < 2)\n}\nactive proctype p() {\n  enter(x);\n  enter(x)\n}\n",
    );
    let said = desk.run("inline.pml").expect(1);
    snapshot("inline.txt", &said.steady());
    let list = desk.run("replay inline.pml -p").expect(1);
    assert!(list.out.contains("inline.pml:4 (state"), "{}", list.out);
}
