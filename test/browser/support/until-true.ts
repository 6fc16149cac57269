import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventually } from './eventually.ts'

/** Waits until an expression is true on the page. The browser's driver asks twice by `eval`, which the pages' content policy forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await eventually(async () => assert.ok(await page.evaluate(expression), expression))
}
