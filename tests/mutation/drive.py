#!/usr/bin/env python3
"""Runs tests against mutants that are all in one build. drive.py WORKERS SECONDS OUT [ROUND] [IDS.json]

Everything is under /tmp/schema: `src` (the checkout the tests were built from), `bin` (stripped tests), `queue.json`.
One line of JSON per mutant is written to OUT/results.jsonl as soon as it is known.
"""
import json, os, subprocess, sys, threading, time, signal, shutil
workers, seconds, out = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
rnd = sys.argv[4] if len(sys.argv) > 4 else 'first'
ROOT = '/tmp/schema'
queue = json.load(open(f'{ROOT}/queue.json'))
begin = time.time()
# The tests know the program by the path at which it was built.
program = f'{ROOT}/target/x86_64-unknown-linux-gnu/debug/kripke'
if not os.path.exists(program):
    os.makedirs(os.path.dirname(program), exist_ok=True)
    shutil.copy(f'{ROOT}/bin/kripke', program)
if len(sys.argv) > 5:
    wanted = json.load(open(sys.argv[5]))
    queue = [m for m in queue if m['id'] in wanted]
os.makedirs(out, exist_ok=True)
path = f'{out}/results.jsonl'
done = set()
if os.path.exists(path):
    done = {json.loads(l)['id'] for l in open(path)}
queue = [m for m in queue if m['id'] not in done]
if os.environ.get('SMALL_FIRST'):
    queue.sort(key=lambda m: m['file'].endswith(('independence/mod.rs', 'worker.rs', 'tasks.rs', 'trail.rs')))
log = open(path, 'a')
lock = threading.Lock()

SO = lambda n, first: (f'second_opinion {n} from {first}', 'kripke', 'second_opinion', ['the_program_agrees'],
    dict(KRIPKE_OPINIONS=str(n), KRIPKE_OPINIONS_FROM=str(first), KRIPKE_OPINIONS_ENOUGH='1', KRIPKE_OPINIONS_SHOWN='0'), 90)
T = lambda crate, name, *args, limit=60, **env: (' '.join([name, *args]), crate, name, list(args), env, limit)
FIRST = {
    'kripke': [T('kripke', 'kripke_unit'), SO(400, 1), T('kripke', 'reduction'), SO(1600, 50_000), T('kripke', 'others_bugs', 'fairness')],
    'search': [T('search', 'cached'), SO(400, 1), SO(1600, 50_000)],
    'model': [T('model', 'model_unit'), T('model', 'semantics'), T('kripke', 'kripke_unit'), T('kripke', 'reduction'), SO(400, 1),
        SO(1600, 50_000)],
}
SECOND = [T('search', 'explore', 'of_interest'), T('search', 'explore', 'all_errors_keeps'), T('search', 'explore', 'first_violation'), T('kripke', 'partial_order', 'random', limit=90), T('search', 'branch', 'evidence_settles'), T('search', 'live', 'all_acceptance'), T('kripke', 'others_bugs', limit=120), T('search', 'search_unit'), T('search', 'explore', '--skip', 'millions', '--skip', 'very_many', limit=200),
    T('search', 'live', limit=200), T('search', 'branch', limit=200), T('search', 'limits', limit=200),
    T('kripke', 'cli', limit=240), T('kripke', 'partial_order', 'random', limit=200, KRIPKE_ORDERED='600', KRIPKE_RANDOM_SEED='1000'),
    SO(8000, 200_000), T('kripke', 'fault_matrix', limit=300), T('kripke', 'option_pairs', limit=300)]

MOST_MEMORY = 5 << 30

def memory(session):
    """Resident bytes of all processes of a session."""
    total = 0
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == session: total += int(fields[21]) * 4096
    return total

def wait(child, limit):
    """The exit status; None after too much time, 'memory' after too much memory."""
    end = time.time() + limit
    while time.time() < end:
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            if memory(child.pid) > MOST_MEMORY: return 'memory'
    return None

def run(mutant, test, folder):
    name, crate, binary, args, env, limit = test
    limit *= float(os.environ.get('SLOW', '1'))
    env = dict(os.environ, KRIPKE_MUTANT=str(mutant), TMPDIR=folder, RUST_BACKTRACE='0', **env)
    with open(f'{folder}/log', 'wb') as f:
        child = subprocess.Popen([f'{ROOT}/bin/{binary}', '-q', '--test-threads=2', *args],
            cwd=f'{ROOT}/src/crates/{crate}', env=env, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, start_new_session=True)
        rc = wait(child, min(limit, max(1, begin + seconds - time.time())))
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    # Few verdicts are not enough of every sort; that says nothing of the mutant.
    if rc not in (0, None) and 'verdicts of sort' in open(f'{folder}/log', errors='replace').read():
        rc = 0
    return rc

def judge(m, folder):
    kind = m['file'].split('/')[1]
    tests = FIRST[kind] if rnd == 'first' else SECOND
    start = time.time()
    for test in tests:
        rc = run(m['id'], test, folder)
        if begin + seconds <= time.time() + 1 and rc != 0:
            return None
        if rc != 0:
            tail = open(f'{folder}/log', errors='replace').read()
            failed = [l.strip() for l in tail.splitlines() if l.startswith('    ') and ' ' not in l.strip()]
            return dict(id=m['id'], name=m['name'], file=m['file'], result='timeout' if rc is None else 'caught', by=test[0],
                tests=failed[:4], seconds=round(time.time() - start, 1))
    return dict(id=m['id'], name=m['name'], file=m['file'], result='missed', seconds=round(time.time() - start, 1))

def work(n):
    folder = f'/tmp/schema-worker-{n}'
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with lock:
            if not queue or time.time() > begin + seconds - 2: return
            m = queue.pop(0)
        r = judge(m, folder)
        if r is None: return
        with lock:
            log.write(json.dumps(r) + '\n'); log.flush()

# The unchanged program passes everything.
if rnd == 'first' and not done:
    shutil.rmtree('/tmp/schema-worker-base', ignore_errors=True); os.makedirs('/tmp/schema-worker-base')
    for kind in FIRST:
        for test in FIRST[kind][:5]:
            rc = run(0, test, '/tmp/schema-worker-base')
            assert rc == 0, (test, rc, open('/tmp/schema-worker-base/log').read()[-2000:])
threads = [threading.Thread(target=work, args=(n,)) for n in range(workers)]
[t.start() for t in threads]
[t.join() for t in threads]
rs = [json.loads(l) for l in open(path)]
print(len(rs), 'judged', {k: sum(r['result'] == k for r in rs) for k in ('caught', 'missed', 'timeout')}, 'left', len(queue))
