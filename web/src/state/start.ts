// What happens when the page is opened: the token, a link's contents, files, the job that was watched before a reload.
import { ApiError, get, hasToken, keepToken } from '../api/client';
import { account } from './account.svelte';
import { checks } from './checks.svelte';
import { openLink } from './link';
import { machines } from './machines.svelte';
import { page } from './page.svelte';
import { project } from './project.svelte';

/// The fields of the fragment. The token is taken out of the address at once.
function fragment(): URLSearchParams {
  const fields = new URLSearchParams(location.hash.slice(1));
  const token = fields.get('token');
  if (token) keepToken(token);
  if (location.hash) history.replaceState(null, '', location.pathname);
  return fields;
}

/// The fields of a link that waits for a login.
let waiting = new URLSearchParams();

/// Loads what a user sees; after a login it runs again.
export async function enter(fields = waiting) {
  waiting = new URLSearchParams();
  try {
    await project.load();
    if (page.mode === 'serve') void machines.load();
    const restored = project.current !== '' || (await project.restore());
    const file = fields.get('file');
    if (file) await project.open(file);
    else if (!restored && !fields.has('model')) await openFirst();
    if (fields.has('model')) await openLink(fields);
    await checks.load();
  } catch (error) {
    page.fail(error);
  }
}

async function openFirst() {
  const first = project.files.find((f) => f.language !== null);
  if (first) await project.open(first.path);
  else if (project.examples.some((e) => e.name === 'mutex-naive.pml')) await project.openExample('mutex-naive.pml');
}

export async function start() {
  waiting = fragment();
  window.addEventListener('hashchange', () => {
    waiting = fragment();
    if (page.mode === 'ui' || account.user) void enter();
  });
  try {
    const hello = await get<{ kripke: string; mode: 'ui' | 'serve' }>('hello');
    [page.mode, page.version] = [hello.mode, hello.kripke];
    if (hello.mode === 'serve' && !(await account.load())) return;
    if (hello.mode === 'ui' && !hasToken()) return page.say('This address has no token. Open the address that `kripke ui` printed.', true);
    await enter();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) page.fail(error);
  }
}
