import { setTimeout } from 'node:timers/promises'

/** How long a page may take to come to a state on a slow machine. */
const patienceMs = 30_000

/** Checks again until nothing is thrown; after half a minute throws what was thrown last. */
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
