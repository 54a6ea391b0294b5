// The places of a layered graph: a node's layer is its distance from the initial state; within a layer, nodes are ordered by the
// mean place of their neighbours (Sugiyama, Tagawa, Toda 1981) and moved as little as the least distance allows.

export interface Placed { id: number; depth: number; x: number; y: number; width: number }
export interface Link { from: number; to: number }

const GAP = 18;
const LAYER = 78;
const SWEEPS = 8;

/// The places closest to the wanted ones, in least squares, such that neighbours keep their distance: blocks of nodes that touch
/// move together (pool adjacent violators).
export function separate(wanted: number[], widths: number[]): number[] {
  const offsets: number[] = [];
  let reach = 0;
  wanted.forEach((_, i) => {
    if (i > 0) reach += (widths[i - 1]! + widths[i]!) / 2 + GAP;
    offsets.push(reach);
  });
  const blocks: { sum: number; count: number }[] = [];
  wanted.forEach((place, i) => {
    blocks.push({ sum: place - offsets[i]!, count: 1 });
    while (blocks.length > 1) {
      const [before, last] = [blocks.at(-2)!, blocks.at(-1)!];
      if (before.sum / before.count <= last.sum / last.count) break;
      blocks.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
    }
  });
  return blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count)).map((place, i) => place + offsets[i]!);
}

function neighbours(nodes: Map<number, Placed>, links: Link[]): Map<number, Placed[]>[] {
  const [above, below] = [new Map<number, Placed[]>(), new Map<number, Placed[]>()];
  const add = (map: Map<number, Placed[]>, key: number, node: Placed) => {
    const list = map.get(key);
    if (list) list.push(node);
    else map.set(key, [node]);
  };
  for (const { from, to } of links) {
    const [a, b] = [nodes.get(from), nodes.get(to)];
    if (!a || !b || a.depth === b.depth) continue;
    const [upper, lower] = a.depth < b.depth ? [a, b] : [b, a];
    if (lower.depth - upper.depth > 1) continue;
    add(above, lower.id, upper);
    add(below, upper.id, lower);
  }
  return [above, below];
}

/// Sets `x` and `y` of all nodes. Nodes that had a place keep it roughly, since it is where the sweeps begin.
export function layout(nodes: Map<number, Placed>, links: Link[]) {
  const layers: Placed[][] = [];
  for (const node of nodes.values()) (layers[node.depth] ??= []).push(node);
  const filled = layers.filter((layer) => layer !== undefined);
  const [above, below] = neighbours(nodes, links) as [Map<number, Placed[]>, Map<number, Placed[]>];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const layer of down ? filled : filled.toReversed()) arrange(layer, down ? above : below, down ? below : above, sweep);
  }
  const distance = Math.max(LAYER, spread(nodes) / filled.length / 1.3);
  filled.forEach((layer, index) => layer.forEach((node) => (node.y = index * distance)));
}

/// The width of the picture. Layers of wide graphs are further apart, so that the picture is about as high as wide.
function spread(nodes: Map<number, Placed>): number {
  let [left, right] = [0, 0];
  for (const { x } of nodes.values()) [left, right] = [Math.min(left, x), Math.max(right, x)];
  return right - left;
}

function arrange(layer: Placed[], first: Map<number, Placed[]>, second: Map<number, Placed[]>, sweep: number) {
  const wanted = new Map<Placed, number>();
  for (const node of layer) {
    const near = first.get(node.id) ?? (sweep > 1 ? second.get(node.id) : undefined);
    wanted.set(node, near ? near.reduce((sum, other) => sum + other.x, 0) / near.length : node.x);
  }
  if (sweep < SWEEPS - 2) layer.sort((a, b) => wanted.get(a)! - wanted.get(b)! || a.id - b.id);
  const places = separate(layer.map((node) => wanted.get(node)!), layer.map((node) => node.width));
  layer.forEach((node, i) => (node.x = places[i]!));
}
