import { BrokenOff } from '../broken-off.ts'
import type { HubAccess } from '../hub/hub-access.ts'

const mostFruitlessTries = 5
const pauseMs = 500

/**
 * Connections break: as long as each try brings a byte, or a few without one have not failed in a row, the next one goes on.
 *
 * @param fetching.arrived Bytes that are there, of `bytes`.
 * @param fetching.fetchMore One try.
 * @throws {BrokenOff} of the last try; whatever else a try fails with at once.
 */
export async function keepFetching(
  wait: HubAccess['wait'],
  {
    arrived,
    bytes,
    fetchMore,
  }: { readonly arrived: () => number | Promise<number>; readonly bytes: number; readonly fetchMore: () => Promise<void> },
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  let fruitless = 0
  for (let before = await arrived(); before < bytes; before = await arrived()) {
    try {
      await fetchMore()
    } catch (error) {
      signal.throwIfAborted()
      fruitless = (await arrived()) > before ? 0 : fruitless + 1
      if (!(error instanceof BrokenOff) || fruitless === mostFruitlessTries) throw error
      await wait(pauseMs * 2 ** fruitless, { signal })
    }
  }
}
