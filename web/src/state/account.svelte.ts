// The user of a server for a group, with the projects that the user can see.
import { ApiError, get, post } from '../api/client';
import type { Project, User } from '../api/types';
import { page } from './page.svelte';
import { project } from './project.svelte';

class Account {
  user = $state<User | null>(null);
  projects = $state<Project[]>([]);

  /// Whether somebody is logged in.
  async load(): Promise<boolean> {
    try {
      const { user } = await get<{ user: User }>('me');
      this.user = user;
      this.projects = await get<Project[]>('projects');
      const kept = sessionStorage.getItem('kripke-project');
      project.id = this.projects.find((p) => p.id === kept)?.id ?? this.projects[0]?.id;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return false;
      throw error;
    }
  }

  /// The text of the refusal, or null.
  async login(name: string, password: string): Promise<string | null> {
    try {
      await post('login', { name, password });
      await this.load();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async logout() {
    if (!project.mayDiscard(Object.keys(project.buffers))) return;
    project.buffers = {};
    await post('logout').catch((error) => page.fail(error));
    sessionStorage.clear();
    location.reload();
  }

  /// Shows another project. Returns false if the user would rather keep texts that are not saved.
  async choose(id: string): Promise<boolean> {
    if (!project.mayDiscard(Object.keys(project.buffers))) return false;
    sessionStorage.setItem('kripke-project', id);
    project.id = id;
    project.buffers = {};
    [project.current, project.model] = ['', ''];
    await project.load().catch((error) => page.fail(error));
    const first = project.files.find((f) => f.language !== null);
    if (first) await project.open(first.path);
    return true;
  }
}

export const account = new Account();
