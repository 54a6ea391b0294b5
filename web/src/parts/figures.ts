// Numbers and times as people read them.

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/// 12 345 678, with thin spaces as in the terminal.
export const count = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : digits.format(value).replaceAll(',', '\u202f'));

/// 12.3M
export function brief(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  for (const [size, unit] of units) if (Math.abs(value) >= size) return `${(value / size).toFixed(value >= size * 100 ? 0 : 1)}${unit}`;
  return value.toFixed(0);
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const units: [number, string][] = [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']];
  for (const [size, unit] of units) if (value >= size) return `${(value / size).toFixed(value >= size * 100 ? 0 : 1)} ${unit}`;
  return `${value} B`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 0.001) return `${(value * 1e6).toFixed(0)} µs`;
  if (value < 1) return `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} ms`;
  if (value < 60) return `${value.toFixed(1)} s`;
  if (value < 3600) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
}

export const clock = (unix: number | null): string => (unix === null ? '–' : new Date(unix * 1000).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' }));

/// The colour of a process: one of eight, by its number.
export const inkOf = (pid: number | null | undefined): string => (pid === null || pid === undefined ? '' : `p${pid % 8}`);

/// Hands a file to the browser's downloads.
export function deliver(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
