#!/usr/bin/env python3
"""Drops mutants that do not compile, until the rest does. settle.py MUTANTS.json PRISTINE WORK"""
import json, sys, subprocess, shutil, os, re
mutants, pristine, work = sys.argv[1:4]
here = os.path.dirname(os.path.abspath(__file__))
dropped = set(json.load(open(f'{work}/dropped.json'))) if os.path.exists(f'{work}/dropped.json') else set()
listed = json.load(open(mutants))
touched = {m['file'] for m in listed} | {'crates/model/src/lib.rs'}
while True:
    for f in touched:
        shutil.copyfile(f'{pristine}/{f}', f'{work}/src/{f}')
    json.dump(sorted(dropped), open(f'{work}/dropped.json', 'w'))
    subprocess.run([sys.executable, f'{here}/schema.py', mutants, f'{work}/src', f'{work}/table.json', f'{work}/dropped.json'], check=True)
    lines = json.load(open(f'{work}/table.json'))['lines']
    ran = subprocess.run(['cargo', 'check', '-p', 'kripke-model', '-p', 'kripke-search', '-p', 'kripke', '--message-format=json', '--target', 'x86_64-unknown-linux-gnu', '--keep-going'],
        cwd=f'{work}/src', capture_output=True, text=True)
    more, other = set(), []
    for l in ran.stdout.splitlines():
        r = json.loads(l)
        if r.get('reason') != 'compiler-message' or r['message']['level'] != 'error': continue
        owners = set()
        for s in r['message']['spans']:
            if s['is_primary'] and s['file_name'] in lines:
                owners.add(lines[s['file_name']][s['line_start'] - 1])
        owners.discard(0)
        if owners: more |= owners
        elif r['message']['spans']: other.append(r['message']['rendered'])
    print('rc', ran.returncode, 'dropping', sorted(more), flush=True)
    if ran.returncode == 0: break
    if not more:
        print('\n'.join(other[:5]), ran.stderr[-2000:]); sys.exit(1)
    dropped |= more
