import type { Locator } from 'playwright-core'

/** The text of an element, as shown in the page. */
export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? ''
}
