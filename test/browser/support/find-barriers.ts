import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Accessibility faults of the current page: axe's findings of every level, one line each. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
