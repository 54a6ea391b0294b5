// The machines that a group can run checks on.
import { get } from '../api/client';
import type { Machine } from '../api/types';

class Machines {
  list = $state<Machine[]>([]);

  async load() {
    this.list = await get<Machine[]>('machines').catch(() => []);
  }
}

export const machines = new Machines();
