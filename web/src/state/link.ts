// Links that carry a model, a property and a counterexample in their fragment. The server never sees the fragment.
import { download, get } from '../api/client';
import type { FileText } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';
import { trace } from './trace.svelte';

async function squeeze(bytes: Blob, how: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(bytes.stream().pipeThrough(how)).arrayBuffer());
}

export async function pack(text: string): Promise<string> {
  const bytes = await squeeze(new Blob([text]), new CompressionStream('deflate-raw'));
  let raw = '';
  for (const byte of bytes) raw += String.fromCharCode(byte);
  return btoa(raw).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/// The most that a link may hold, unpacked. A link comes from anywhere.
const MOST = 8 << 20;

export async function unpack(packed: string): Promise<string> {
  const raw = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(raw, (char) => char.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let total = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    total += value.length;
    if (total > MOST) throw new Error('The link holds more than 8 MiB.');
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}

/// The address that shows the counterexample of the screen to somebody else.
export async function linkOfTrace(): Promise<string> {
  const { blob } = await download(`sessions/${trace.id}/export`, { format: 'trail' });
  const { file, texts } = await modelOfTrace();
  const fields = new URLSearchParams({
    model: await pack(JSON.stringify({ file, texts })),
    property: trace.property,
    trail: await pack(await blob.text()),
    step: String(trace.cursor),
  });
  return `${location.origin}${location.pathname}#${fields}`;
}

/// The texts that the run belongs to: those that were checked, not those that have been edited since.
async function modelOfTrace(): Promise<{ file: string; texts: Record<string, string> }> {
  const { file, texts: known } = await trace.model();
  const texts = { ...known };
  for (const path of new Set([file, ...(trace.info?.files ?? [])])) {
    texts[path] ??= project.buffers[path]?.saved ?? (await get<FileText>('file', { path, project: project.id })).text;
  }
  return { file, texts };
}

export async function openLink(fields: URLSearchParams) {
  try {
    const { file, texts } = JSON.parse(await unpack(fields.get('model') ?? '')) as { file: string; texts: Record<string, string> };
    if (!project.mayReplace(texts)) return;
    for (const [path, text] of Object.entries(texts)) if (path !== file) project.create(path, text);
    project.create(file, texts[file] ?? '');
    const trail = fields.get('trail');
    if (!trail) return;
    await trace.openTrail(project.ref(file), await unpack(trail), fields.get('property') ?? '');
    trace.go(Number(fields.get('step') ?? 0));
    page.show('trace');
  } catch (error) {
    page.say(`The link cannot be read: ${error instanceof Error ? error.message : String(error)}`, true);
  }
}
