// The files of the project, the texts being edited, and what the language service says about them.
import { ApiError, get, post, put } from '../api/client';
import type { Diagnosis, Example, FileEntry, FileText, ModelOutline, ModelRef, Outlined, Property } from '../api/types';
import { page } from './page.svelte';

interface Buffer {
  path: string;
  text: string;
  /// The text of the file, null for a text that has no file yet.
  saved: string | null;
  version: string | null;
  /// The text of an example, a link or a new file: it can be had again.
  given?: string;
}

const KEPT = 'kripke-buffers';
const isModel = (path: string): boolean => /\.(pml|prom|promela|spin|m?dve|esml)$/.test(path);

class ProjectState {
  id = $state<string | undefined>(undefined);
  root = $state('');
  files = $state<FileEntry[]>([]);
  examples = $state<Example[]>([]);
  buffers = $state<Record<string, Buffer>>({});
  /// The file in the editor.
  current = $state('');
  /// The file that is checked: the last model that was opened.
  model = $state('');
  diagnostics = $state<Diagnosis[]>([]);
  symbols = $state<Outlined[]>([]);
  outline = $state<ModelOutline | null>(null);
  properties = $state<Property[]>([]);
  /// The line of the editor's cursor, from 1.
  line = $state(1);
  /// Counts changes of texts; results that are older than the text say so.
  revision = $state(0);
  /// The time from the last change to its diagnostics, in milliseconds.
  latency = $state(0);
  private asking = false;
  private again = false;
  private later: ReturnType<typeof setTimeout> | undefined;

  get buffer(): Buffer | undefined {
    return this.buffers[this.current];
  }

  get hasErrors(): boolean {
    return this.diagnostics.some((d) => d.severity === 'error');
  }

  isDirty(path: string): boolean {
    const buffer = this.buffers[path];
    return buffer !== undefined && buffer.text !== buffer.saved;
  }

  /// Whether a text has changes of the user that no file has.
  isEdited(path: string): boolean {
    const buffer = this.buffers[path];
    return buffer !== undefined && buffer.text !== buffer.saved && buffer.text !== buffer.given;
  }

  get hasEdits(): boolean {
    return Object.keys(this.buffers).some((path) => this.isEdited(path));
  }

  /// Whether texts may be discarded. The user is asked if changes would be lost.
  mayDiscard(paths: string[]): boolean {
    const lost = paths.filter((path) => this.isEdited(path));
    return lost.length === 0 || confirm(`Discard the changes that are not saved: ${lost.join(', ')}?`);
  }

  /// Whether other texts may take the place of those in the editor.
  mayReplace(texts: Record<string, string>): boolean {
    return this.mayDiscard(Object.keys(texts).filter((path) => this.buffers[path]?.text !== texts[path]));
  }

  ref(file = this.model): ModelRef {
    const texts: Record<string, string> = {};
    for (const buffer of Object.values(this.buffers)) {
      if (buffer.text !== buffer.saved) texts[buffer.path] = buffer.text;
    }
    return { ...(this.id ? { project: this.id } : {}), file, texts };
  }

  async load() {
    const { root, files } = await get<{ root: string; files: FileEntry[] }>('files', { project: this.id });
    [this.root, this.files] = [root, files];
    if (this.examples.length === 0) this.examples = await get<Example[]>('examples');
  }

  /// Opens a file of the project in the editor.
  async open(path: string) {
    if (!this.buffers[path]) {
      const { text, version } = await get<FileText>('file', { path, project: this.id });
      this.buffers[path] = { path, text, saved: text, version };
    }
    this.show(path);
  }

  async openExample(name: string) {
    const { text } = await get<{ text: string }>(`examples/${encodeURIComponent(name)}`);
    if (this.mayReplace({ [name]: text })) this.create(name, text);
  }

  /// Puts a text that has no file into the editor.
  create(path: string, text: string) {
    const there = this.buffers[path];
    this.buffers[path] = { path, text, saved: there?.saved ?? null, version: there?.version ?? null, given: text };
    this.show(path);
  }

  show(path: string) {
    this.current = path;
    if (isModel(path)) this.model = path;
    this.diagnostics = [];
    this.symbols = [];
    this.changed();
  }

  edit(text: string) {
    const { buffer } = this;
    if (!buffer || buffer.text === text) return;
    buffer.text = text;
    this.changed();
  }

  close(path: string) {
    if (!this.mayDiscard([path])) return;
    delete this.buffers[path];
    this.keep();
    if (this.current === path) this.current = Object.keys(this.buffers)[0] ?? '';
    if (this.model === path) this.model = isModel(this.current) ? this.current : '';
  }

  async save() {
    const { buffer } = this;
    if (!buffer) return;
    // The text may change while the server writes it.
    const { text } = buffer;
    try {
      const { version } = await put<{ version: string }>('file', { path: buffer.path, text, version: buffer.version, ...(this.id ? { project: this.id } : {}) });
      [buffer.saved, buffer.version] = [text, version];
      page.say(`${buffer.path} saved`);
      this.keep();
      await this.load();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) return page.fail(error);
      page.say(`${buffer.path} has changed on disk since it was opened. Save again to overwrite it.`, true);
      // There is no version if the file was removed.
      buffer.version = error.body.version ?? null;
    }
  }

  private changed() {
    this.revision += 1;
    this.keep();
    void this.diagnose();
    clearTimeout(this.later);
    this.later = setTimeout(() => void this.study(), 250);
  }

  /// Keeps unsaved texts over a reload of the page.
  private keep() {
    const unsaved = Object.values(this.buffers).filter((b) => b.text !== b.saved);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ current: this.current, model: this.model, project: this.id, unsaved }));
    } catch {
      sessionStorage.removeItem(KEPT);
    }
  }

  /// Takes up the texts that were kept. Returns whether there were any.
  async restore(): Promise<boolean> {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as { current: string; model: string; project?: string; unsaved: Buffer[] } | null;
    if (!kept || kept.project !== this.id) return false;
    for (const buffer of kept.unsaved) this.buffers[buffer.path] = buffer;
    for (const path of [kept.model, kept.current]) {
      if (path) await this.open(path).catch(() => undefined);
    }
    return this.current !== '';
  }

  /// Asks for diagnostics. While one request is on its way, the latest text waits.
  private async diagnose() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    do {
      this.again = false;
      const [path, start] = [this.current, performance.now()];
      try {
        const { diagnostics } = await post<{ diagnostics: Diagnosis[] }>('lang/diagnostics', this.ref(path));
        if (path === this.current && !this.again) {
          this.diagnostics = diagnostics;
          this.latency = performance.now() - start;
        }
      } catch (error) {
        page.fail(error);
      }
    } while (this.again);
    this.asking = false;
  }

  /// What follows from the text and may come a little later: outline, processes, properties.
  private async study() {
    const [path, model, revision] = [this.current, this.model, this.revision];
    const quietly = <T>(promise: Promise<T>): Promise<T | null> => promise.catch(() => null);
    const symbols = path ? await quietly(post<Outlined[]>('lang/symbols', this.ref(path))) : null;
    if (revision !== this.revision) return;
    if (symbols) this.symbols = symbols;
    if (!model) return;
    const outline = await quietly(post<ModelOutline>('outline', this.ref(model)));
    const properties = await quietly(post<Property[]>('properties', this.ref(model)));
    if (revision !== this.revision) return;
    if (outline) this.outline = outline;
    if (properties) this.properties = properties;
  }
}

export const project = new ProjectState();
export { isModel };
