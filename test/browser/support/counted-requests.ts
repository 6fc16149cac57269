import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Usage } from '../../../src/console/contract/usage.ts'
import { eventually } from './eventually.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Waits until so many requests of the signed-in person are in the books, which an answer does not wait for. */
export async function countedRequests(page: Page, atLeast: number): Promise<void> {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const path = `/console/api/usage?of=me&from=${day(Date.now() - dayMs)}&to=${day(Date.now() + dayMs)}`
  await eventually(async () => {
    const { days } = await page.evaluate<Usage>(`fetch('${path}').then((answer) => answer.json())`)
    const counted = days.reduce((sum, { requests }) => sum + requests, 0)
    assert.ok(counted >= atLeast, `${counted} requests are counted of ${atLeast}`)
  })
}
