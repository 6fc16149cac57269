import { get } from 'node:http'
import type { Page } from 'playwright-core'

/** How many bytes with gzip the scripts have that the page has loaded since it was opened. */
export async function scriptBytes(page: Page): Promise<number> {
  const loaded = await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
  const scripts = new Set(loaded.filter((address) => address.endsWith('.js')))
  const sizes = await Promise.all([...scripts].map(gzipBytes))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

function gzipBytes(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    }).on('error', reject)
  })
}
