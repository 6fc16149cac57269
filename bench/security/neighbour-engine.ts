import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { serveTextEngine } from '../../src/runtimes/process/serve-text-engine.ts'

// The engine of the bench: a fake model that takes 50 ms for an answer of ten tokens.
const model = createFakeTextModel({ clock: createSystemClock(), tokens: 10, tokenDelayMs: 5 })
serveTextEngine(async () => ({ ...model, [Symbol.asyncDispose]: async () => {} }))
