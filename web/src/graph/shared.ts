/// The arrow under which each arrow is drawn: those from a node to itself share the drawing of the first one.
export function drawnAs(arrows: { from: number; to: number }[]): number[] {
  const first = new Map<number, number>();
  return arrows.map(({ from, to }, index) => {
    if (from !== to) return index;
    if (!first.has(from)) first.set(from, index);
    return first.get(from) ?? index;
  });
}
