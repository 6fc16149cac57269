import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from './eventually.ts'

/** Waits until nothing on the page waits for an answer, and its texts are set in their typefaces. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-busy]))').waitFor()
  await loadTypefaces(page)
}

/** Waits until the texts of the page are set in their typefaces, which are asked for once the page is laid out. */
export async function loadTypefaces(page: Page): Promise<void> {
  await page.evaluate('document.body.offsetWidth, document.fonts.ready.then(() => undefined)')
}

/** Elements that reach beyond the right edge of the window, with their classes; empty if the page fits. */
const overhanging = `(() => {
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth === width) return []
  const over = [...document.body.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > width)
  return over.slice(0, 5).map((element) => element.cloneNode().outerHTML)
})()`

/** Waits until the page is as wide as its window, and no wider. */
export async function assertFits(page: Page, what?: string): Promise<void> {
  await eventually(async () => assert.deepEqual(await page.evaluate(overhanging), [], what))
}
