// Requests to the server: the token, errors as values of one class, streams of events.

export interface Place { file: string; line: number; column: number }

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly body: { place?: Place; help?: string | null; span?: { start: number; end: number }; option?: string; version?: string | null }) {
    super(message);
  }
}

const TOKEN = 'kripke-token';
let token = sessionStorage.getItem(TOKEN);

/// Takes the token out of the fragment of the address. It stays in this tab only.
export function keepToken(value: string) {
  token = value;
  sessionStorage.setItem(TOKEN, value);
}

export const hasToken = (): boolean => token !== null;

function headers(hasBody: boolean): HeadersInit {
  return {
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  };
}

async function failure(answer: Response): Promise<ApiError> {
  const body = await answer.json().catch(() => ({}));
  const text = typeof body.error === 'string' ? body.error : `The server answers ${answer.status} ${answer.statusText}.`;
  return new ApiError(answer.status, text, body);
}

async function ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: headers(body !== undefined),
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'The server does not answer. Is `kripke ui` still running?', {});
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

const query = (fields?: Record<string, string | number | undefined>): string => {
  const known = Object.entries(fields ?? {}).filter((field): field is [string, string | number] => field[1] !== undefined);
  return known.length ? `?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}` : '';
};

export async function get<T>(path: string, fields?: Record<string, string | number | undefined>): Promise<T> {
  return (await ask('GET', `/api/${path}${query(fields)}`)).json();
}

export async function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  return (await ask('POST', `/api/${path}`, body, signal)).json();
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return (await ask('PUT', `/api/${path}`, body)).json();
}

export async function remove(path: string, fields?: Record<string, string | number | undefined>): Promise<void> {
  await ask('DELETE', `/api/${path}${query(fields)}`);
}

/// The bytes of a file to download, and the name that the server gives it.
export async function download(path: string, fields: Record<string, string>): Promise<{ blob: Blob; name: string }> {
  const answer = await ask('GET', `/api/${path}${query(fields)}`);
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  return { blob: await answer.blob(), name: name ?? `trace.${fields['format'] ?? 'txt'}` };
}

export interface ServerEvent { id: number; event: string; data: unknown }

function parse(block: string): ServerEvent | null {
  let [id, event, data] = [-1, 'message', ''];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (line.startsWith('id:')) id = Number(value);
    if (line.startsWith('event:')) event = value;
    if (line.startsWith('data:')) data += value;
  }
  return data ? { id, event, data: JSON.parse(data) } : null;
}

/// Reads a stream of events. EventSource cannot send the token, so this reads the body of a fetch.
export async function* events(path: string, from: number, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await ask('GET', `/api/${path}${query({ from })}`, undefined, signal);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value.replaceAll('\r', '');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event) yield event;
    }
  }
}
