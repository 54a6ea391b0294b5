#!/usr/bin/env python3
"""Puts what drive.py needs under /tmp/schema: stripped tests and the queue. pack.py"""
import json, os, shutil, subprocess, hashlib
R = '/tmp/schema'
names = {('kripke', 'bin'): 'kripke_unit', ('kripke_model', 'lib'): 'model_unit', ('kripke_search', 'lib'): 'search_unit'}
shutil.rmtree(f'{R}/bin', ignore_errors=True); os.makedirs(f'{R}/bin')
for l in open(f'{R}/build.json'):
    r = json.loads(l)
    if not r.get('executable') or 'example' in r['target']['kind']: continue
    kind = r['target']['kind'][0]
    name = names.get((r['target']['name'], kind), r['target']['name']) if r['profile']['test'] else 'kripke'
    if name in ('gates', 'store', 'temporal_corpus', 'lossy'): continue
    shutil.copy(r['executable'], f'{R}/bin/{name}')
    subprocess.run(['strip', f'{R}/bin/{name}'], check=True)
table = json.load(open(f'{R}/table.json'))['mutants']
dropped = set(json.load(open(f'{R}/dropped.json')))
large = ('independence/mod.rs', 'worker.rs', 'tasks.rs')
queue = [dict(id=m['id'], name=m['name'], file=m['file']) for m in table if not m.get('alone') and m['id'] not in dropped]
late = lambda m: m['file'].endswith(large) and m['id'] % 3 != 0
queue.sort(key=lambda m: (late(m), hashlib.md5(m['name'].encode()).hexdigest()))
json.dump(queue, open(f'{R}/queue.json', 'w'))
print(len(queue), 'mutants,', sum(map(late, queue)), 'of them last')
