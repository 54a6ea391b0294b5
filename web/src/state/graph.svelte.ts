// The part of the state graph that has been found.
import { ApiError, get, post, remove } from '../api/client';
import type { GraphEdge, GraphNode, GraphPart, GraphSession, Session } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';
import { simulation } from './simulation.svelte';

class GraphState {
  id = $state<string | null>(null);
  names = $state.raw<string[]>([]);
  nodes = $state.raw<Map<number, GraphNode>>(new Map());
  edges = $state.raw<GraphEdge[]>([]);
  selected = $state<number | null>(null);
  path = $state.raw<number[]>([]);
  values = $state.raw<[string, string][]>([]);
  /// The requests that have no answer yet.
  private pending = $state(0);
  isBusy = $derived(this.pending > 0);
  isProjected = $state(false);
  property = $state('');
  reduced = $state(false);
  revision = $state(-1);
  /// The number of sessions that were asked for.
  private begun = 0;
  /// What was found, while a projection is shown.
  private whole: { nodes: Map<number, GraphNode>; edges: GraphEdge[] } | null = null;

  isOld = $derived(this.id !== null && this.revision !== project.revision);
  open = $derived([...this.nodes.values()].filter((node) => node.open).length);
  errors = $derived([...this.nodes.values()].filter((node) => node.error !== null).length);

  async begin() {
    const begun = (this.begun += 1);
    await this.request(async () => {
      const body = { ...project.ref(), kind: 'graph', property: this.property || null, reduced: this.reduced };
      const { revision } = project;
      const session = await post<GraphSession>('sessions', body);
      if (begun !== this.begun) return void remove(`sessions/${session.id}`).catch(() => undefined);
      if (this.id) void remove(`sessions/${this.id}`).catch(() => undefined);
      [this.id, this.names, this.revision, this.isProjected, this.whole] = [session.id, session.names, revision, false, null];
      [this.nodes, this.edges, this.path, this.values] = [new Map(), [], [], []];
      this.add(session);
      await this.select(session.nodes[0]?.id ?? null);
    });
  }

  private add(part: GraphPart) {
    const nodes = new Map(this.nodes);
    for (const node of part.nodes) nodes.set(node.id, node);
    this.nodes = nodes;
    this.edges = [...this.edges, ...part.edges];
  }

  async expand(id: number) {
    if (this.isProjected || !this.nodes.get(id)?.open) return;
    await this.ask('expand', { nodes: [id] }, (part) => this.add(part));
  }

  async grow(states: number) {
    await this.ask('grow', { states }, (part) => this.add(part));
  }

  async project(names: string) {
    await this.ask('project', { names }, (part) => {
      this.whole ??= { nodes: this.nodes, edges: this.edges };
      [this.nodes, this.edges, this.isProjected, this.selected, this.path] = [new Map(part.nodes.map((n) => [n.id, n])), part.edges, true, null, []];
    });
  }

  unproject() {
    if (this.whole) [this.nodes, this.edges] = [this.whole.nodes, this.whole.edges];
    [this.whole, this.isProjected, this.selected] = [null, false, null];
  }

  async select(id: number | null) {
    this.selected = id;
    if (id === null || this.isProjected) {
      [this.path, this.values] = [[], id === null ? [] : Object.entries(this.nodes.get(id)?.values ?? {})];
      return;
    }
    const session = this.id;
    try {
      const found = await get<{ values: [string, string][]; path: number[] }>(`sessions/${session}/node`, { id });
      if (this.selected === id && this.id === session) [this.path, this.values] = [found.path, found.values];
    } catch (error) {
      if (this.id === session) this.lost(error);
    }
  }

  async simulate(id: number) {
    await this.request(async () => {
      simulation.adopt(await post<Session>(`sessions/${this.id}/simulate`, { node: id }));
      page.show('simulate');
    });
  }

  private lost(error: unknown) {
    if (error instanceof ApiError && error.status === 404 && this.id) {
      this.id = null;
      page.say('The state graph was closed after a long pause. Start it again.', true);
    } else page.fail(error);
  }

  /// Asks the session. An answer of a session that was replaced meanwhile is dropped.
  private async ask(verb: string, body: unknown, use: (part: GraphPart) => void) {
    const session = this.id;
    await this.request(async () => {
      try {
        const part = await post<GraphPart>(`sessions/${session}/${verb}`, body);
        if (session === this.id) use(part);
      } catch (error) {
        if (session === this.id) throw error;
      }
    });
  }

  private async request(work: () => Promise<void>) {
    this.pending += 1;
    try {
      await work();
    } catch (error) {
      this.lost(error);
    } finally {
      this.pending -= 1;
    }
  }
}

export const graph = new GraphState();
