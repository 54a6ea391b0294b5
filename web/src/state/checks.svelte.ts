// Checks: the options, the running job with its progress, results.
import { ApiError, events, get, post } from '../api/client';
import type { Job, OptionSpec, Options, Plan, Progress, Result } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';

const KEPT = 'kripke-job';
/// The margin of the text shows code that no run reaches, so checks list it unless the user does not want it.
const USUAL: Options = { unreached: true };

/// Counts of the lines that no run reaches, by file.
export type Unreached = Record<string, number[]>;

function linesOf(result: Result | null): Unreached {
  const found: Unreached = {};
  const entries = Array.isArray(result?.unreached) ? (result.unreached as Record<string, unknown>[]) : [];
  for (const entry of entries) {
    const file = String(entry['file'] ?? '');
    if (typeof entry['line'] === 'number') (found[file] ??= []).push(entry['line']);
  }
  return found;
}

class Checks {
  specs = $state<OptionSpec[]>([]);
  options = $state<Options>({ ...USUAL });
  machine = $state('local');
  plan = $state<Plan | null>(null);
  problem = $state<{ text: string; option: string | null } | null>(null);
  jobs = $state<Job[]>([]);
  job = $state<Job | null>(null);
  progress = $state.raw<Progress[]>([]);
  messages = $state<string[]>([]);
  result = $state<Result | null>(null);
  /// The revision of the texts that the job checks.
  revision = $state(-1);
  private stream: AbortController | null = null;

  isRunning = $derived(this.job?.state === 'running' || this.job?.state === 'queued');
  isOld = $derived(this.job !== null && this.revision !== project.revision);
  unreached = $derived(this.isOld ? {} : linesOf(this.result));
  verdicts = $derived.by(() => {
    const known: Record<string, { verdict: string; trail: boolean; steps: number | null }> = {};
    if (this.job && this.job.file === project.model) for (const p of this.job.properties) known[p.name] = p;
    return known;
  });

  async load() {
    this.specs = await get<OptionSpec[]>('options');
    this.jobs = await get<Job[]>('jobs');
    const kept = sessionStorage.getItem(KEPT);
    const job = this.jobs.find((j) => j.id === kept);
    if (job) await this.follow(job);
  }

  reset() {
    this.options = { ...USUAL };
  }

  isUsual = $derived(JSON.stringify(this.chosen()) === JSON.stringify(USUAL));

  /// The options that differ from the defaults.
  chosen(): Options {
    const entries = Object.entries(this.options).filter(([, value]) => value !== null && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0));
    return Object.fromEntries(entries);
  }

  async explain() {
    if (!project.model) return;
    const revision = project.revision;
    try {
      this.plan = await post<Plan>('plan', { ...project.ref(), options: this.chosen() });
      this.problem = null;
    } catch (error) {
      if (revision !== project.revision || !(error instanceof ApiError)) return;
      this.plan = null;
      this.problem = { text: error.message, option: error.body.option ?? null };
    }
  }

  /// Starts a check of the model in the editor.
  async start(more: Options = {}) {
    if (!project.model) return page.say('Open a model first.', true);
    try {
      const options = { ...this.chosen(), ...more };
      const machine = page.mode === 'serve' ? { machine: this.machine } : {};
      page.show('run');
      const revision = project.revision;
      const job = await post<Job>('jobs', { ...project.ref(), ...machine, options });
      this.revision = revision;
      await this.follow(job);
    } catch (error) {
      page.fail(error);
    }
  }

  async again(id: string) {
    try {
      page.show('run');
      const job = await post<Job>(`jobs/${id}/restart`);
      await this.follow(job);
    } catch (error) {
      page.fail(error);
    }
  }

  async stop() {
    if (!this.job) return;
    try {
      await post<Job>(`jobs/${this.job.id}/stop`);
    } catch (error) {
      page.fail(error);
    }
  }

  /// Shows a job and listens to its events until it ends.
  async follow(job: Job) {
    this.stream?.abort();
    const stream = (this.stream = new AbortController());
    [this.job, this.progress, this.messages, this.result] = [job, [], [], null];
    sessionStorage.setItem(KEPT, job.id);
    await this.listen(job.id, stream.signal);
    if (stream.signal.aborted) return;
    await this.finish(job.id, stream.signal);
  }

  private async listen(id: string, signal: AbortSignal) {
    let next = 0;
    for (let failures = 0; failures < 5 && !signal.aborted; ) {
      try {
        for await (const { id: number, event, data } of events(`jobs/${id}/events`, next, signal)) {
          if (signal.aborted) return;
          failures = 0;
          if (number >= 0) next = number + 1;
          this.hear(event, data);
          if (event === 'end') return;
        }
        failures += 1;
      } catch (error) {
        if (signal.aborted || (error instanceof ApiError && error.status >= 400)) return;
        failures += 1;
      }
      await new Promise((resume) => setTimeout(resume, 500));
    }
  }

  private hear(event: string, data: unknown) {
    if (event === 'progress') this.progress = [...this.progress.slice(-1999), data as Progress];
    if (event === 'state' || event === 'end') this.job = data as Job;
    if (event === 'message') this.messages = [...this.messages, (data as { text: string }).text];
    if (event === 'property' && this.job) {
      const { property: name, verdict } = data as { property: string; verdict: string };
      const others = this.job.properties.filter((p) => p.name !== name);
      const known = this.job.properties.find((p) => p.name === name);
      this.job.properties = [...others, { name, kind: known?.kind ?? '', verdict, trail: known?.trail ?? false, steps: known?.steps ?? null }];
    }
  }

  /// Asks for what is known of a job at its end, or when its events are given up.
  private async finish(id: string, signal: AbortSignal) {
    const [job, result, jobs] = await Promise.all([
      get<Job>(`jobs/${id}`).catch(() => null),
      get<Result>(`jobs/${id}/result`).catch(() => null),
      get<Job[]>('jobs').catch(() => null),
    ]);
    if (jobs) this.jobs = jobs;
    if (signal.aborted) return;
    if (job) this.job = job;
    this.result = result;
  }
}

export const checks = new Checks();
