// The lines of the source that the screens point to. One place, so that all of them agree.
import type { Range } from '../api/types';
import type { Marks } from '../editor/editor';
import { checks } from './checks.svelte';
import { page } from './page.svelte';
import { simulation } from './simulation.svelte';
import { trace } from './trace.svelte';

class Cursor {
  /// A place that the editor is about to select.
  wanted = $state.raw<{ path: string; range: Range } | null>(null);

  jump(place: { path: string; range: Range }) {
    page.showText();
    this.wanted = place;
  }

  jumpToLine(path: string, line: number) {
    const at = { line: line - 1, character: 0 };
    this.jump({ path, range: { start: at, end: at } });
  }

  /// The lines of the current state: of the counterexample, or of the simulation.
  private lines(path: string): { step: number[]; error: number[] } {
    if (page.screen === 'simulate') {
      const marks = simulation.state?.marks.filter((mark) => mark.file === path) ?? [];
      return { step: marks.filter((mark) => mark.enabled).map((mark) => mark.line), error: [] };
    }
    const place = trace.place;
    if (page.screen !== 'trace' || place?.file !== path) return { step: [], error: [] };
    const isError = trace.cursor === trace.last && trace.info?.cycle === null;
    return isError ? { step: [], error: [place.line] } : { step: [place.line], error: [] };
  }

  marksOf(path: string): Marks {
    return { ...this.lines(path), unreached: checks.unreached[path] ?? [] };
  }

  revealed(path: string): number | null {
    const { step, error } = this.lines(path);
    return error[0] ?? step[0] ?? null;
  }
}

export const cursor = new Cursor();
