/** Whether a key that was pressed writes something, and stands on nothing that takes it: a page or its heading has the focus. */
export function isUnheard({ key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target }: KeyboardEvent): boolean {
  // Space scrolls, and ? shows what keys do.
  const writes = [...key].length === 1 && key !== ' ' && key !== '?' && !ctrlKey && !metaKey && !altKey
  if (!writes || isComposing || defaultPrevented || document.querySelector('dialog[open]') !== null) return false
  return target instanceof HTMLElement && target.matches('body, [tabindex="-1"]')
}
