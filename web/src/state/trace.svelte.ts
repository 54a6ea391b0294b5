// The counterexample that is shown: its steps, and the cursor that table, chart, source and automata share.
import { ApiError, get, post, remove } from '../api/client';
import type { Column, ModelRef, Session, Step, TraceInfo } from '../api/types';
import { page } from './page.svelte';

const CHUNK = 500;
type Source = { job: string; property: string } | (ModelRef & { trail: string });

class Trace {
  id = $state<string | null>(null);
  file = $state('');
  property = $state('');
  info = $state.raw<TraceInfo | null>(null);
  /// The state of each step; holes where it has not been asked for.
  steps = $state.raw<(Step | undefined)[]>([]);
  /// The state that all views show: the one after this many steps.
  cursor = $state(0);
  watches = $state<string[]>([]);
  /// Names of the processes that are left out.
  hidden = $state<string[]>([]);
  changesOnly = $state(true);
  columnFilter = $state('');
  isLoading = $state(false);
  private source: Source | null = null;
  private wanted = new Set<number>();

  step = $derived(this.steps[this.cursor]);
  last = $derived(this.info?.steps ?? 0);
  types = $derived(new Map(this.info?.processes.map((p) => [p.pid, p.type]) ?? []));
  columns = $derived.by(() => {
    const words = this.columnFilter.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const all = (this.info?.columns ?? []).map((column, index) => ({ ...column, index }));
    return all.filter((c) => this.shows(c, words));
  });
  /// The steps of the table, those of hidden processes left out.
  rows = $derived.by(() => {
    const all = Array.from({ length: this.last + 1 }, (_, n) => n);
    if (this.hidden.length === 0) return all;
    return all.filter((n) => n === 0 || n === this.last || !this.hidden.includes(this.steps[n]?.process ?? ''));
  });

  private shows(column: Column, words: string[]): boolean {
    if (column.kind === 'watch') return true;
    if (words.length > 0) return words.some((word) => `${column.owner ?? ''}.${column.name}`.toLowerCase().includes(word));
    return column.changes || !this.changesOnly;
  }

  async openJob(job: string, property: string) {
    await this.open({ job, property }, property);
  }

  async openTrail(model: ModelRef, trail: string, property: string) {
    await this.open({ ...model, trail }, property);
  }

  private async open(source: Source, property: string) {
    this.isLoading = true;
    try {
      const session = await post<Session>('sessions', { kind: 'trace', ...source });
      const old = this.id;
      if (old) void remove(`sessions/${old}`).catch(() => undefined);
      [this.id, this.file, this.property, this.source] = [session.id, session.file, property, source];
      [this.cursor, this.hidden, this.watches] = [0, [], []];
      await this.refresh();
      this.cursor = this.last;
    } catch (error) {
      page.fail(error);
    } finally {
      this.isLoading = false;
    }
  }

  private async refresh() {
    this.info = await get<TraceInfo>(`sessions/${this.id}/trace`);
    this.steps = [];
    this.wanted.clear();
    await this.need(0, Math.min(this.last, CHUNK - 1));
    await this.need(Math.max(0, this.last - 50), this.last);
  }

  /// Asks for steps that are about to be seen.
  async need(from: number, to: number) {
    for (let chunk = Math.floor(Math.max(0, from) / CHUNK); chunk <= Math.floor(to / CHUNK); chunk += 1) {
      if (this.wanted.has(chunk) || chunk * CHUNK > this.last) continue;
      this.wanted.add(chunk);
      await this.fetchChunk(chunk);
    }
  }

  private async fetchChunk(chunk: number) {
    const id = this.id;
    try {
      const found = await get<Step[]>(`sessions/${id}/steps`, { from: chunk * CHUNK, count: CHUNK });
      if (id !== this.id) return;
      const next = this.steps.slice();
      for (const step of found) next[step.n] = step;
      this.steps = next;
    } catch (error) {
      this.wanted.delete(chunk);
      if (error instanceof ApiError && error.status === 404 && this.source) {
        page.say('The counterexample was closed after a long pause; it is opened again.');
        await this.open(this.source, this.property);
      } else page.fail(error);
    }
  }

  /// The model of the run as it was when it was checked.
  async model(): Promise<{ file: string; texts: Record<string, string> }> {
    const { source } = this;
    if (source && 'job' in source) return get(`jobs/${source.job}/model`);
    return { file: source?.file ?? this.file, texts: source?.texts ?? {} };
  }

  go(step: number) {
    this.cursor = Math.max(0, Math.min(this.last, step));
    void this.need(this.cursor - 20, this.cursor + 20);
  }

  /// The next step forwards or backwards in the table.
  move(by: number) {
    const { rows } = this;
    const at = rows.findIndex((n) => n >= this.cursor);
    this.go(rows[Math.max(0, Math.min(rows.length - 1, at + by))] ?? this.cursor);
  }

  async watch(expressions: string[]): Promise<string | null> {
    try {
      await post(`sessions/${this.id}/watch`, { expressions });
      this.watches = expressions;
      const cursor = this.cursor;
      await this.refresh();
      this.go(cursor);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /// The line of the source that the cursor stands for.
  place = $derived.by(() => {
    const step = this.step;
    return step?.file && step.line ? { file: step.file, line: step.line } : null;
  });
}

export const trace = new Trace();
