// Teach mode: the events of a search, played at any speed. The sets of a moment follow from the events before it.
import { post } from '../api/client';
import type { Lesson } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';

export interface Moment {
  seen: Set<number>;
  stack: number[];
  queue: number[];
  red: Set<number>;
  redStack: number[];
  taken: Set<number>;
  step: number | null;
  current: number | null;
  matched: number | null;
  errors: Set<number>;
}

/// The search after its first `count` events.
export function momentOf(lesson: Lesson, order: string, count: number): Moment {
  const m: Moment = { seen: new Set(), stack: [], queue: [], red: new Set(), redStack: [], taken: new Set(), step: null, current: null, matched: null, errors: new Set() };
  for (const event of lesson.events.slice(0, count)) {
    const target = event.step === null ? null : (lesson.transitions[event.step]?.to ?? null);
    const state = event.state ?? target;
    [m.step, m.matched] = [event.step, null];
    if (event.step !== null) m.taken.add(event.step);
    if (event.kind === 'new' && state !== null) {
      m.seen.add(state);
      if (order === 'bfs') m.queue.push(state);
      else m.stack.push(state);
      m.current = state;
    } else if (event.kind === 'expanded' && state !== null) {
      m.queue = m.queue.filter((s) => s !== state);
      m.current = state;
    } else if (event.kind === 'done') {
      m.stack = m.stack.filter((s) => s !== state);
      m.current = order === 'bfs' ? state : (m.stack.at(-1) ?? null);
    } else if (event.kind === 'matched' || event.kind === 'red-matched') m.matched = target;
    else if (event.kind === 'error' && state !== null) m.errors.add(state);
    else if ((event.kind === 'seed' || event.kind === 'red') && state !== null) {
      m.red.add(state);
      m.redStack.push(state);
      m.current = state;
    } else if (event.kind === 'red-done') {
      m.redStack = m.redStack.filter((s) => s !== state);
      m.current = m.redStack.at(-1) ?? m.stack.at(-1) ?? null;
    } else if (event.kind === 'cycle' && target !== null) m.errors.add(target);
  }
  return m;
}

class Teach {
  order = $state<'bfs' | 'dfs' | 'nested'>('bfs');
  property = $state('');
  ltl = $state('');
  allErrors = $state(false);
  lesson = $state.raw<Lesson | null>(null);
  played = $state<'bfs' | 'dfs' | 'nested'>('bfs');
  at = $state(0);
  isPlaying = $state(false);
  isBusy = $state(false);
  /// Events in a second.
  speed = $state(2);
  private timer: ReturnType<typeof setTimeout> | undefined;

  moment = $derived(this.lesson ? momentOf(this.lesson, this.played, this.at) : null);
  last = $derived(this.lesson?.events.length ?? 0);

  async load() {
    this.pause();
    this.isBusy = true;
    try {
      const question = { order: this.order, property: this.property || null, ltl: this.ltl.trim() || null, all_errors: this.allErrors, max_states: 300 };
      this.lesson = await post<Lesson>('teach', { ...project.ref(), ...question });
      [this.played, this.at] = [this.order, 1];
    } catch (error) {
      page.fail(error);
    } finally {
      this.isBusy = false;
    }
  }

  go(at: number) {
    this.at = Math.max(0, Math.min(this.last, at));
  }

  play() {
    if (!this.lesson) return;
    if (this.at >= this.last) this.at = 0;
    this.isPlaying = true;
    this.tick();
  }

  pause() {
    this.isPlaying = false;
    clearTimeout(this.timer);
  }

  private tick() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.isPlaying) return;
      // Above 60 events a second, several of them share a picture.
      this.go(this.at + Math.max(1, Math.round(this.speed / 60)));
      if (this.at >= this.last) this.pause();
      else this.tick();
    }, Math.max(16, 1000 / this.speed));
  }
}

export const teach = new Teach();
