import { setTimeout } from 'node:timers/promises'

/** How long a page may take to come to a state, on a machine that has much else to do. */
export const patienceMs = 90_000

/** Checks again until nothing is thrown; after a minute and a half throws what was thrown last. */
export async function eventually(check: () => unknown): Promise<void> {
  const end = Date.now() + patienceMs
  for (;;) {
    try {
      return void (await check())
    } catch (error) {
      if (Date.now() > end) throw error
      await setTimeout(20)
    }
  }
}
