use super::*;

fn formatted(language: Language, text: &str) -> String {
    let once = format(Path::new("model"), Some(language), text);
    assert_eq!(format(Path::new("model"), Some(language), &once), once, "formatting again changes the text");
    once
}

#[test]
fn promela() {
    let text = "#define N  3\nmtype={a,b}\nchan q=[2] of{mtype,byte};\nactive [2] proctype P(byte x;byte y){\n\n\n  byte z   ; /* z */\nend:do\n  ::q?a(z)->\n z=z+1;\nif::z>1->skip\n::else  fi\n  // next\n ::q!b,-1;\n  atomic{ z--;\n  z = x-y }\nod\n}\nltl p {[](P[0]:x==1-><> true)}\n";
    let expected = "#define N  3\nmtype = { a, b }\nchan q = [2] of { mtype, byte };\nactive [2] proctype P(byte x; byte y) {\n\n\tbyte z; /* z */\nend:\tdo\n\t:: q?a(z) ->\n\t   z = z+1;\n\t   if :: z>1 -> skip\n\t   :: else fi\n\t// next\n\t:: q!b, -1;\n\t   atomic { z--;\n\t   \tz = x-y }\n\tod\n}\nltl p { [](P[0]:x==1-><> true) }\n";
    assert_eq!(formatted(Language::PROMELA, text), expected);
}

#[test]
fn what_must_stay_stays() {
    for text in [
        "#define f(x) (x)\n#define g (1)\nint x = 1 - -1;\n",
        "#if A\nactive proctype P() {\n#else\nactive proctype Q() {\n#endif\n\tskip\n}\n",
        "#define LONG a;\\\n   b; \\\n   c\n\ninit {\n\tskip\n}\n",
        "/* one\n * two\n */\ninit {\n\tskip      /* three\n\t             four */\n}\n",
        "init {\n\tskip;      // a\n\t           // b\n\tskip\n}\n",
        "#define show(x) printf(#x)\ninit {\n\tshow(a<->b);\n\tshow(a <-> b)\n}\n",
        "c_code { int  x ; }\ninit {\n\tc_code {\n  y ++ ;\n };\n\tskip\n}\n",
    ] {
        assert_eq!(formatted(Language::PROMELA, text), text);
    }
}

#[test]
fn dve_and_esml() {
    let dve = "byte x=0;process P{\nstate a,b;\ninit a;\ntrans\na->b{guard x==0 and\nx>-1;effect x=x+1;},\nb->a{sync c!{x,1};};\n}\nsystem async;";
    let expected = "byte x = 0; process P {\n    state a, b;\n    init a;\n    trans\n        a -> b { guard x == 0 and\n                x > -1; effect x = x+1; },\n        b -> a { sync c!{x, 1}; };\n}\nsystem async;\n";
    assert_eq!(formatted(Language::DVE, dve), expected);
    let esml = "MODEL M;\nVAR\nx:c;\nPROCESS P(IN c:c);\nVAR y:BOOLEAN;\nBEGIN\nDO TRUE->\nc?m(y);\nIF y->SKIP\n[] ~y->y:=TRUE\nEND\nEND\nEND P;\nBEGIN\nP(x)\nEND M";
    let expected = "MODEL M;\nVAR\n  x: c;\nPROCESS P(IN c: c);\nVAR y: BOOLEAN;\nBEGIN\n  DO TRUE ->\n    c?m(y);\n    IF y -> SKIP\n    [] ~y -> y := TRUE\n    END\n  END\nEND P;\nBEGIN\n  P(x)\nEND M\n";
    assert_eq!(formatted(Language::ESML, esml), expected);
}

#[test]
fn line_ends_and_odd_texts_are_kept() {
    assert_eq!(formatted(Language::PROMELA, "init{skip}\r\n"), "init { skip }\r\n");
    assert_eq!(formatted(Language::PROMELA, "a\rb"), "a\rb");
    assert_eq!(formatted(Language::PROMELA, ""), "");
    assert_eq!(formatted(Language::PROMELA, "\n\n"), "");
    assert_eq!(formatted(Language::PROMELA, "\u{feff}init{skip}"), "\u{feff}init { skip }\n");
}
