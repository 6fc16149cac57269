import { after, before } from 'node:test'
import { type ConsoleVisit, visitConsole } from './console-visit.ts'
import { withoutChromium } from './open-chromium.ts'

/** Starts a service and a browser for the tests of a file; where there is no Chromium, they say why they are left out. */
export function useConsole(prepare: (visit: ConsoleVisit) => Promise<void> = async () => {}): {
  readonly skip: string | false
  readonly visit: () => ConsoleVisit
} {
  let visit: ConsoleVisit | null = null
  if (withoutChromium === false) {
    before(async () => {
      visit = await visitConsole()
      await prepare(visit)
    })
    after(async () => {
      // Script errors, and refusals by the page's own content policy, fail whatever else was tested.
      const complaints = visit?.complaints ?? []
      await visit?.[Symbol.asyncDispose]()
      if (complaints.length > 0) throw new Error(`The pages complained: ${complaints.join('; ')}`)
    })
  }
  return {
    skip: withoutChromium,
    visit: () => {
      if (visit === null) throw new Error('No console was started')
      return visit
    },
  }
}
