// The state graph on a canvas. Far away nodes are dots; near enough they show their values.
import type { GraphEdge, GraphNode } from '../api/types';
import type { Placed } from './layout';

export interface Shape extends Placed { node: GraphNode; lines: string[]; shownX: number; shownY: number }
export interface View { x: number; y: number; zoom: number }
export interface Scene {
  shapes: Map<number, Shape>;
  edges: GraphEdge[];
  selected: number | null;
  path: Set<string>;
  view: View;
}

export interface Palette {
  bg: string; side: string; ink: string; soft: string; faint: string; line: string; accent: string; accentSoft: string;
  bad: string; badSoft: string; good: string; warn: string; lasso: string; process: string[]; mono: string;
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    bg: get('--bg'), side: get('--bg-side'), ink: get('--ink'), soft: get('--ink-soft'), faint: get('--ink-faint'), line: get('--line-strong'),
    accent: get('--accent'), accentSoft: get('--accent-soft'), bad: get('--bad'), badSoft: get('--bad-soft'), good: get('--good'), warn: get('--warn'),
    lasso: get('--lasso'), process: Array.from({ length: 8 }, (_, i) => get(`--p${i}`)), mono: get('--mono'),
  };
}

const HEIGHT = 15;
/// The group of the edges on the way to the selected state.
const PATH = 'path';
export const NEAR = 0.55;

const half = (shape: Shape): number => (shape.lines.length * HEIGHT + 8) / 2;

function curve(context: CanvasRenderingContext2D, a: Shape, b: Shape, near: boolean) {
  if (!near && b.depth > a.depth) {
    context.moveTo(a.shownX, a.shownY);
    context.lineTo(b.shownX, b.shownY);
    return;
  }
  if (a === b) {
    const x = a.shownX + a.width / 2;
    context.moveTo(x, a.shownY - 5);
    context.bezierCurveTo(x + 26, a.shownY - 18, x + 26, a.shownY + 18, x, a.shownY + 5);
  } else if (b.depth > a.depth) {
    const [y1, y2] = [a.shownY + half(a), b.shownY - half(b)];
    context.moveTo(a.shownX, y1);
    context.bezierCurveTo(a.shownX, y1 + 22, b.shownX, y2 - 22, b.shownX, y2);
  } else {
    const bend = Math.max(a.shownX + a.width / 2, b.shownX + b.width / 2) + 30 + Math.abs(a.shownY - b.shownY) / 8;
    context.moveTo(a.shownX + a.width / 2, a.shownY);
    context.bezierCurveTo(bend, a.shownY, bend, b.shownY, b.shownX + b.width / 2, b.shownY);
  }
}

function arrowHead(context: CanvasRenderingContext2D, a: Shape, b: Shape) {
  const down = b.depth > a.depth;
  const [x, y] = down ? [b.shownX, b.shownY - half(b)] : [b.shownX + b.width / 2, b === a ? b.shownY + 5 : b.shownY];
  const [dx, dy] = down ? [0, -1] : [1, 0];
  context.moveTo(x, y);
  context.lineTo(x + 8 * dx - 4 * dy, y + 8 * dy + 4 * dx);
  context.lineTo(x + 8 * dx + 4 * dy, y + 8 * dy - 4 * dx);
  context.closePath();
}

/// The part of the graph that the canvas shows.
function clip(view: View, width: number, height: number) {
  const margin = 60;
  return { left: -view.x / view.zoom - margin, top: -view.y / view.zoom - margin, right: (width - view.x) / view.zoom + margin, bottom: (height - view.y) / view.zoom + margin };
}

function drawEdges(context: CanvasRenderingContext2D, scene: Scene, colours: Palette, seen: ReturnType<typeof clip>) {
  const near = scene.view.zoom >= NEAR;
  const groups = new Map<string, GraphEdge[]>();
  for (const edge of scene.edges) {
    const [a, b] = [scene.shapes.get(edge.from), scene.shapes.get(edge.to)];
    if (!a || !b) continue;
    if (Math.max(a.shownY, b.shownY) < seen.top || Math.min(a.shownY, b.shownY) > seen.bottom) continue;
    if (Math.max(a.shownX, b.shownX) + 200 < seen.left || Math.min(a.shownX, b.shownX) > seen.right) continue;
    const ink = scene.path.has(`${edge.from} ${edge.to}`) ? PATH : edge.pid === null ? colours.line : (colours.process[edge.pid % 8] ?? colours.line);
    const group = groups.get(ink);
    if (group) group.push(edge);
    else groups.set(ink, [edge]);
  }
  for (const [ink, edges] of groups) {
    context.globalAlpha = ink === PATH ? 1 : near ? 0.75 : 0.35;
    context.lineWidth = (ink === PATH ? 3 : 1) / Math.min(1, scene.view.zoom);
    context.strokeStyle = context.fillStyle = ink === PATH ? colours.warn : ink;
    context.beginPath();
    for (const edge of edges) curve(context, scene.shapes.get(edge.from)!, scene.shapes.get(edge.to)!, near);
    context.stroke();
    if (!near) continue;
    context.beginPath();
    for (const edge of edges) arrowHead(context, scene.shapes.get(edge.from)!, scene.shapes.get(edge.to)!);
    context.fill();
  }
  context.globalAlpha = 1;
}

/// A node from afar: a dot of a colour, large enough to be seen and hit.
function drawDot(context: CanvasRenderingContext2D, shape: Shape, colours: Palette, isSelected: boolean, zoom: number) {
  const { node } = shape;
  const size = (isSelected ? 9 : node.error || node.accepting ? 6 : 4) / zoom;
  const [width, height] = [Math.max(size, zoom > 0.2 ? shape.width : 0), Math.max(size, zoom > 0.2 ? half(shape) * 2 : 0)];
  context.fillStyle = isSelected ? colours.accent : node.error ? colours.bad : node.accepting ? colours.lasso : node.open ? colours.accent : colours.line;
  context.fillRect(shape.shownX - width / 2, shape.shownY - height / 2, width, height);
}

function drawNode(context: CanvasRenderingContext2D, shape: Shape, colours: Palette, isSelected: boolean) {
  const { node, shownX: x, shownY: y, width } = shape;
  const high = half(shape) * 2;
  context.fillStyle = node.error ? colours.badSoft : node.open ? colours.accentSoft : colours.side;
  context.strokeStyle = isSelected ? colours.accent : node.error ? colours.bad : node.accepting ? colours.lasso : node.open ? colours.accent : colours.line;
  context.lineWidth = isSelected ? 3.5 : 1.3;
  context.setLineDash(node.open && !isSelected ? [4, 3] : []);
  context.beginPath();
  context.roundRect(x - width / 2, y - high / 2, width, high, 6);
  context.fill();
  context.stroke();
  if (node.accepting) {
    context.beginPath();
    context.roundRect(x - width / 2 + 3, y - high / 2 + 3, width - 6, high - 6, 4);
    context.stroke();
  }
  context.setLineDash([]);
  context.fillStyle = colours.ink;
  shape.lines.forEach((line, i) => context.fillText(line, x, y - high / 2 + 4 + HEIGHT * (i + 0.5)));
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, colours: Palette) {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  const { view } = scene;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.bg;
  context.fillRect(0, 0, width, height);
  context.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * view.x, ratio * view.y);
  context.font = `11px ${colours.mono}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const seen = clip(view, width, height);
  drawEdges(context, scene, colours, seen);
  const near = view.zoom >= NEAR;
  for (const shape of scene.shapes.values()) {
    if (shape.shownX + shape.width < seen.left || shape.shownX - shape.width > seen.right || shape.shownY < seen.top || shape.shownY > seen.bottom) continue;
    if (near) drawNode(context, shape, colours, shape.id === scene.selected);
    else drawDot(context, shape, colours, shape.id === scene.selected, view.zoom);
  }
}

/// The lines of a node's text, and its width in the font of the canvas (a monospaced one).
export function measure(node: GraphNode, names: string[] | null): { lines: string[]; width: number } {
  const entries = Object.entries(node.values).filter(([name]) => names === null || names.includes(name));
  const places = entries.filter(([, value]) => value.startsWith('@')).map(([name, value]) => `${name}${value}`);
  const rest = entries.filter(([, value]) => !value.startsWith('@')).map(([name, value]) => `${name}=${value}`);
  const lines: string[] = [];
  for (const words of [places, rest]) {
    let line = '';
    for (const word of words) {
      if (line && line.length + word.length > 24) {
        lines.push(line);
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    if (line) lines.push(line);
  }
  const short = lines.slice(0, 3).map((line) => (line.length > 30 ? `${line.slice(0, 29)}…` : line));
  if (lines.length > 3) short.push('…');
  if (node.states > 1) short.push(`${node.states} states`);
  if (short.length === 0) short.push(String(node.id));
  return { lines: short, width: Math.max(28, Math.max(...short.map((line) => line.length)) * 6.7 + 14) };
}
