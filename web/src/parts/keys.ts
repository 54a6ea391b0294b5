/// Whether a key belongs to a text that is being edited. The editor is in a shadow root, so the target alone does not say it.
export function isTyping(event: KeyboardEvent): boolean {
  return event.composedPath().some((target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)));
}

export const hasModifier = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey || event.altKey;
