/** Whether a pressed key would enter text but nothing that accepts text has the focus. */
export function isUnclaimedKey({ key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target }: KeyboardEvent): boolean {
  // Space scrolls, and ? opens the list of keys.
  const writes = [...key].length === 1 && key !== ' ' && key !== '?' && !ctrlKey && !metaKey && !altKey
  if (!writes || isComposing || defaultPrevented || document.querySelector('dialog[open]') !== null) return false
  return target instanceof HTMLElement && target.matches('body, [tabindex="-1"]')
}
