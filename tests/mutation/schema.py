#!/usr/bin/env python3
"""Compiles many mutants into one build: each mutated function chooses its body by KRIPKE_MUTANT.

schema.py MUTANTS.json SOURCE OUT.json [DROPPED.json]
MUTANTS.json is what `cargo mutants --list --json` prints. SOURCE is a copy of the checkout that is changed in place.
"""
import json, sys, collections
mutants, root, out = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
dropped = set(json.load(open(sys.argv[4]))) if len(sys.argv) > 4 else set()

def offset(starts, place):
    return starts[place['line'] - 1] + place['column'] - 1

def skip(text, i):
    """The end of a comment, string or character that begins at i, or i."""
    if text.startswith('//', i):
        return text.index('\n', i)
    if text[i] == '"':
        i += 1
        while text[i] != '"':
            i += 2 if text[i] == '\\' else 1
        return i + 1
    if text[i] == "'" and (text[i + 2] == "'" or text[i + 1] == '\\'):
        return text.index("'", i + 2) + 1
    return i

def body(text, begin, end):
    depth, i = 0, text.index('fn ', begin)
    while True:
        assert i < end
        j = skip(text, i)
        if j != i:
            i = j
            continue
        if text[i] in '([': depth += 1
        if text[i] in ')]': depth -= 1
        if text[i] == '{' and depth == 0:
            return i
        i += 1

files = collections.defaultdict(lambda: collections.defaultdict(list))
table, alone = [], []
for n, m in enumerate(mutants, 1):
    m['id'] = n
    f = m['function']
    if f is None:
        # A constant.
        m['alone'] = True
    elif n not in dropped:
        s = f['span']
        files[m['file']][(s['start']['line'], s['start']['column'], s['end']['line'], s['end']['column'])].append(m)
lines = {}
for file, functions in files.items():
    path = f'{root}/{file}'
    text = open(path).read()
    starts, at = [], 0
    for l in text.splitlines(keepends=True):
        starts.append(at); at += len(l)
    new = text
    active = 'crate::mutation::active()' if file.startswith('crates/model/') else 'kripke_model::mutation::active()'
    for (a, b, c, d), ms in sorted(functions.items(), reverse=True):
        begin, end = offset(starts, dict(line=a, column=b)), offset(starts, dict(line=c, column=d))
        start = body(text, begin, end)
        original = text[start:end]
        assert original.endswith('}'), (file, a, original[-20:])
        arms = []
        for m in ms:
            s, e = offset(starts, m['span']['start']), offset(starts, m['span']['end'])
            assert start <= s <= e <= end, m['name']
            arms.append(f"/*M{m['id']}*/ {m['id']} => {text[start:s]}{m['replacement']}{text[e:end]}\n")
        if 'impl Iterator' in (ms[0]['function']['return_type'] or ''):
            # The bodies have different types.
            arms = [a.replace(' => {', ' => ({', 1).rstrip() + ').collect::<Vec<_>>(),\n' for a in arms]
            default = '/*M0*/ _ => (' + original + ').collect::<Vec<_>>()\n}.into_iter() }'
        else:
            default = '/*M0*/ _ => ' + original + '\n} }'
        new = new[:start] + '{ match ' + active + ' {\n' + ''.join(arms) + default + new[end:]
    open(path, 'w').write(new)
    owner, of = 0, []
    for l in new.splitlines():
        if '/*M' in l:
            owner = int(l[l.index('/*M') + 3:l.index('*/')])
        of.append(owner)
    lines[file] = of
lib = f'{root}/crates/model/src/lib.rs'
text = open(lib).read()
if 'mod mutation' not in text:
    open(lib, 'a').write('''
pub mod mutation {
    static ACTIVE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    #[inline]
    pub fn active() -> u32 {
        *ACTIVE.get_or_init(|| std::env::var("KRIPKE_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
    }
}
''')
json.dump(dict(mutants=mutants, lines=lines), open(out, 'w'))
print(len(mutants), 'mutants,', sum(m.get('alone', False) for m in mutants), 'to be built alone,', len(dropped), 'unbuildable')
