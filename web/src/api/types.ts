// The data of crates/web/API.md.

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }
export interface Edit { path: string; range: Range; text: string }
export interface Fix { title: string; edits: Edit[] }

export interface Diagnosis {
  range: Range;
  path: string;
  severity: 'error' | 'warning';
  message: string;
  help: string | null;
  related: { path: string; range: Range; message: string }[];
  fixes: Fix[];
}

export interface Outlined {
  name: string;
  kind: string;
  detail: string;
  range: Range;
  selection: Range;
  children: Outlined[];
}

export interface Analysis { diagnostics: Diagnosis[]; language: string; symbols: Outlined[] }
export interface Completion { label: string; kind: string; detail: string }
export interface Location { path: string; range: Range }

export interface FileEntry { path: string; bytes: number; modified: number; language: string | null }
export interface FileText { path: string; text: string; language: string | null; version: string }
export interface Example { name: string; language: string; title: string }

/// A model as requests name it.
export interface ModelRef { project?: string; file: string; texts?: Record<string, string>; define?: string[] }

export interface ModelOutline {
  language: string;
  processes: { name: string; line: number; instances: number }[];
  variables: { name: string; type: string; line: number }[];
  channels: { name: string; capacity: number; fields: string[]; line: number }[];
  automata: string[];
}

export interface AutomatonNode { id: number; lines: string[]; initial: boolean; accepting: boolean; role: string; location: number | null; line: number | null }
export interface AutomatonArrow { id: number; from: number; to: number; label: string; line: number | null; file: string | null }
export interface Automaton { title: string; svg: string; nodes: AutomatonNode[]; arrows: AutomatonArrow[] }

export interface Property { name: string; kind: string; formula: string | null; file: string | null; line: number | null }
export interface Formula {
  formula: string;
  propositions: string[];
  kinds?: string[];
  states?: number;
  automaton?: Automaton;
  never?: string;
  hoa?: string;
}
export interface Pattern { pattern: string; scope: string; description: string; ltl: string; ctl: string | null; letters: string[] }

export interface OptionSpec {
  name: string;
  kind: 'flag' | 'number' | 'text' | 'texts' | 'choice' | 'size' | 'time';
  group: string;
  help: string;
  choices?: string[];
  default?: string | number | boolean | null;
}
export type Options = Record<string, string | number | boolean | string[] | null>;

export interface Decision { item: string; value: string; reason: string }
export interface Plan { command: string; properties: { name: string; kind: string; plan: Decision[] }[] }

export interface JobProperty { name: string; kind: string; verdict: string; trail: boolean; steps: number | null }
export interface Job {
  id: string;
  file: string;
  project: string;
  user: string | null;
  options: Options;
  command: string;
  state: 'queued' | 'running' | 'finished' | 'stopped' | 'failed' | 'interrupted';
  machine: string;
  created: number;
  started: number | null;
  ended: number | null;
  verdict: 'holds' | 'violated' | 'inconclusive' | 'error' | null;
  exit: number | null;
  message: string | null;
  position: number | null;
  summary: { states: number; transitions: number; seconds: number; peak_rss: number } | null;
  properties: JobProperty[];
}

export interface Progress {
  seconds: number; states: number; transitions: number; depth: number; queue: number; bytes: number; rss: number;
  limit: number | null; rate: number; full: number | null;
}

export interface Result {
  verdict: string;
  complete: boolean;
  reason: string | null;
  message: string | null;
  properties: { name: string; kind: string; verdict: string; fairness: string | null; states: number; transitions: number; seconds: number; plan: Decision[]; vacuous?: string | null; not_checked?: string[] }[];
  states: number;
  transitions: number;
  depth: number;
  state_bytes: number;
  findings: { kind: string; message: string; property: string; file: string | null; line: number | null; process: string | null; steps: number }[];
  seconds: Record<string, number>;
  memory: Record<string, number>;
  unreached?: unknown;
  [more: string]: unknown;
}

export interface Column { name: string; owner: string | null; kind: 'variable' | 'channel' | 'watch' | 'proposition'; changes: boolean }
export interface TraceInfo {
  steps: number;
  cycle: { from: number; to: number } | null;
  verdict: string;
  place: string | null;
  notes: string[];
  marks: { step: number; text: string }[];
  minor: number[];
  waiting: { process: string; place: string | null; statements: string[]; at_end: boolean }[];
  processes: { pid: number; name: string; type: string }[];
  columns: Column[];
  files: string[];
}
export interface Step {
  n: number; pid: number | null; process: string; file: string | null; line: number | null; statement: string; output: string;
  values: (string | null)[]; locations: [number, number][]; partner: number | null;
}
export interface ChartRow {
  step: number; leads: boolean; line: string; lane: number | null; kind: 'local' | 'rendezvous' | 'send' | 'receive' | 'lost' | null;
  to: number | null; message: number | null; text: string; changes: string[]; output: string;
}
export interface Chart {
  svg: string;
  lanes: { name: string; alive: [number, number][] }[];
  rows: ChartRow[];
  messages: { sent: number | null; received: number | null }[];
  cycle: number | null;
  error: string | null;
}

export interface Move { index: number; pid: number; process: string; statement: string; file: string | null; line: number | null; next: boolean; error: string | null }
export interface Value { name: string; value: string; was: string | null }
export interface SimState {
  step: number;
  moves: Move[];
  groups: { owner: string | null; pid: number | null; file: string | null; line: number | null; values: Value[] }[];
  queues: { name: string; capacity: number; messages: string[]; changed: boolean }[];
  marks: { file: string; line: number; pid: number; process: string; enabled: boolean }[];
  locations: [number, number][];
  watched: Value[];
  remarks: string[];
  output: string;
}
export interface TreeNode { id: number; parent: number | null; step: number; pid: number | null; process: string; statement: string; line: number | null; file: string | null; output: string; error: string | null }
export interface Session { id: string; kind: string; file: string; node: number; state: SimState; tree: TreeNode[]; walked?: string }

export interface GraphNode {
  id: number; values: Record<string, string>; open: boolean; depth: number; error: string | null; end: boolean; accepting: boolean; states: number;
}
export interface GraphEdge { from: number; to: number; pid: number | null; process: string; label: string }
export interface GraphSession { id: string; kind: 'graph'; file: string; names: string[]; nodes: GraphNode[]; edges: GraphEdge[] }
export interface GraphPart { nodes: GraphNode[]; edges: GraphEdge[]; total?: { nodes: number; edges: number } }

export interface TeachEvent { kind: string; step: number | null; state: number | null; caption: string }
export interface Lesson {
  states: { id: number; lines: string[]; error: string | null; accepting: boolean; end: boolean }[];
  transitions: { from: number; to: number; process: string; label: string }[];
  events: TeachEvent[];
  svg: string;
}

export interface Limits { jobs: number; cores: number; memory: number; seconds: number; queued: number }
export interface User { name: string; admin: boolean; limits: Limits }
export interface Project { id: string; name: string; owner: string; members: { name: string; right: 'read' | 'write' }[] }
export interface Machine { name: string; kind: string; cores: number; description?: string }
export interface Load {
  cores: { used: number; total: number };
  memory: { used: number; total: number };
  jobs: { running: number; queued: number };
  users: { name: string; running: number; queued: number }[];
  history: { time: number; running: number; queued: number; cores: number; memory: number }[];
}
export interface Comparison { jobs: Job[]; options: { name: string; values: unknown[] }[]; figures: { name: string; values: (number | string | null)[] }[] }
