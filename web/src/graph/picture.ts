// The state graph of a search as SVG, in layers by the distance from the initial state. Compact: what a step does is told by the
// caption of its event, not by labels.
import type { Lesson } from '../api/types';
import { layout, type Placed } from './layout';

const LINE = 15;
const MARGIN = 30;
const escape = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

function depths(lesson: Lesson): number[] {
  const found: number[] = [0];
  const after = new Map<number, number[]>();
  for (const { from, to } of lesson.transitions) after.set(from, [...(after.get(from) ?? []), to]);
  for (let queue = [0]; queue.length > 0; ) {
    const next: number[] = [];
    for (const state of queue) {
      for (const to of after.get(state) ?? []) {
        if (found[to] !== undefined) continue;
        found[to] = (found[state] ?? 0) + 1;
        next.push(to);
      }
    }
    queue = next;
  }
  return found;
}

interface Shape extends Placed { lines: string[]; height: number }

function path(a: Shape, b: Shape): string {
  if (a === b) {
    const x = a.x + a.width / 2;
    return `M${x} ${a.y - 5}C${x + 26} ${a.y - 18} ${x + 26} ${a.y + 18} ${x + 7} ${a.y + 5}`;
  }
  if (b.depth > a.depth) {
    const [y1, y2] = [a.y + a.height / 2, b.y - b.height / 2 - 7];
    return `M${a.x} ${y1}C${a.x} ${y1 + 22} ${b.x} ${y2 - 22} ${b.x} ${y2}`;
  }
  const bend = Math.max(a.x + a.width / 2, b.x + b.width / 2) + 30 + Math.abs(a.y - b.y) / 8;
  return `M${a.x + a.width / 2} ${a.y}C${bend} ${a.y} ${bend} ${b.y} ${b.x + b.width / 2 + 7} ${b.y}`;
}

function head(a: Shape, b: Shape): string {
  if (b.depth > a.depth) {
    const y = b.y - b.height / 2;
    return `${b.x},${y} ${b.x - 4},${y - 7} ${b.x + 4},${y - 7}`;
  }
  const [x, y] = [b.x + b.width / 2, a === b ? b.y + 5 : b.y];
  return `${x},${y} ${x + 7},${y - 4} ${x + 7},${y + 4}`;
}

function node(shape: Shape, isAccepting: boolean, isError: boolean): string {
  const { id, x, y, width, height, lines } = shape;
  const rect = (inset: number) => `<rect x="${x - width / 2 + inset}" y="${y - height / 2 + inset}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="6"/>`;
  const texts = lines.map((line, i) => `<text class="text" text-anchor="middle" x="${x}" y="${y - height / 2 + 4 + LINE * i + 11}">${escape(line)}</text>`);
  const start = id === 0 ? `<g class="start"><circle cx="${x}" cy="${y - height / 2 - 20}" r="3"/><path d="M${x} ${y - height / 2 - 20}V${y - height / 2 - 7}"/><polygon points="${x},${y - height / 2} ${x - 4},${y - height / 2 - 7} ${x + 4},${y - height / 2 - 7}"/></g>` : '';
  return `<g class="node${isError ? ' error' : ''}" data-node="${id}"><title>state ${id}</title>${start}${rect(0)}${isAccepting ? rect(3) : ''}${texts.join('')}</g>`;
}

export function pictureOf(lesson: Lesson): string {
  const depth = depths(lesson);
  const shapes = new Map<number, Shape>();
  for (const { id, lines } of lesson.states) {
    const width = Math.max(28, Math.max(...lines.map((line) => line.length), 1) * 7.3 + 16);
    shapes.set(id, { id, depth: depth[id] ?? 0, x: 0, y: 0, width, lines, height: Math.max(1, lines.length) * LINE + 8 });
  }
  layout(shapes, lesson.transitions);
  const all = [...shapes.values()];
  const left = Math.min(...all.map((s) => s.x - s.width / 2)) - MARGIN;
  const width = Math.max(...all.map((s) => s.x + s.width / 2)) - left + 3 * MARGIN;
  const top = Math.min(...all.map((s) => s.y - s.height / 2)) - MARGIN;
  const height = Math.max(...all.map((s) => s.y + s.height / 2)) - top + MARGIN;
  const drawn = new Set<string>();
  const arrows = lesson.transitions.map(({ from, to, process, label }, index) => {
    const [a, b] = [shapes.get(from), shapes.get(to)];
    // Transitions from a state to itself share a drawing.
    if (!a || !b || (from === to && drawn.has(String(from)))) return '';
    if (from === to) drawn.add(String(from));
    return `<g class="arrow" data-arrow="${index}"><title>${escape(`${process}: ${label}`)}</title><path d="${path(a, b)}"/><polygon points="${head(a, b)}"/></g>`;
  });
  const nodes = lesson.states.map((s) => node(shapes.get(s.id)!, s.accepting, s.error !== null));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="${left} ${top} ${width} ${height}">${arrows.join('')}${nodes.join('')}</svg>`;
}
