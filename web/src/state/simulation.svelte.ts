// A simulation: the current state, and the tree of histories.
import { ApiError, post, remove } from '../api/client';
import type { Session, SimState, TreeNode } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';

class Simulation {
  id = $state<string | null>(null);
  file = $state('');
  node = $state(0);
  state = $state.raw<SimState | null>(null);
  tree = $state.raw<TreeNode[]>([]);
  walked = $state('');
  isBusy = $state(false);
  watches = $state<string[]>([]);
  revision = $state(-1);
  types = $state.raw<Map<number, string>>(new Map());

  isOld = $derived(this.id !== null && this.revision !== project.revision);
  /// The nodes from the initial state to the current one.
  path = $derived.by(() => {
    const byId = new Map(this.tree.map((node) => [node.id, node]));
    const found: TreeNode[] = [];
    for (let node = byId.get(this.node); node; node = node.parent === null ? undefined : byId.get(node.parent)) found.unshift(node);
    return found;
  });

  private take(session: Session, fresh: boolean) {
    const known = fresh ? [] : this.tree.filter((old) => !session.tree.some((node) => node.id === old.id));
    [this.node, this.state, this.tree, this.walked] = [session.node, session.state, [...known, ...session.tree], session.walked ?? ''];
  }

  async open(body: Record<string, unknown>) {
    await this.request(async () => {
      const session = await post<Session>('sessions', { kind: 'simulation', ...body });
      if (this.id) void remove(`sessions/${this.id}`).catch(() => undefined);
      this.adopt(session);
    });
  }

  /// Shows a simulation that the server has started, as from a state of the graph.
  adopt(session: Session) {
    [this.id, this.file, this.watches, this.revision] = [session.id, session.file, [], project.revision];
    this.take(session, true);
  }

  begin(seed = 1) {
    return this.open({ ...project.ref(), seed });
  }

  choose(index: number) {
    return this.act('take', { index });
  }

  go(node: number) {
    return this.act('go', { node });
  }

  back() {
    const parent = this.tree.find((node) => node.id === this.node)?.parent;
    return parent === null || parent === undefined ? Promise.resolve() : this.go(parent);
  }

  random(steps: number) {
    return this.act('random', { steps });
  }

  until(condition: string, steps = 10000) {
    return this.act('until', { condition, steps });
  }

  async watch(expressions: string[]) {
    if (await this.act('watch', { expressions })) this.watches = expressions;
  }

  private act(verb: string, body: unknown): Promise<boolean> {
    return this.request(async () => this.take(await post<Session>(`sessions/${this.id}/${verb}`, body), false));
  }

  private async request(work: () => Promise<void>): Promise<boolean> {
    this.isBusy = true;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && this.id) {
        this.id = null;
        page.say('The simulation was closed after a long pause. Start it again.', true);
      } else page.fail(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }
}

export const simulation = new Simulation();
