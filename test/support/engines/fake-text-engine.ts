import { createSystemClock } from '../../../src/composition/system-clock.ts'
import type { TextModel } from '../../../src/core/ports/text-model.ts'
import { createFakeTextModel } from '../../../src/runtimes/fake/fake-text-model.ts'
import { serveTextEngine } from '../../../src/runtimes/process/serve-text-engine.ts'

const model = createFakeTextModel({
  clock: createSystemClock(),
  tokens: 100_000,
  crash: () => process.kill(process.pid, 'SIGKILL'),
})

const stubborn: TextModel = {
  ...model,
  async *generate() {
    yield { type: 'text', choice: 0, text: 'no' }
    await new Promise(() => {})
  },
}

// The main of an engine process whose model is fake: `[crash]` kills the process, and the model's name breaks it in other ways.
serveTextEngine(async ({ id, name }) => {
  if (name === 'hangs while loading') return new Promise(() => {})
  if (name === 'breaks while loading') throw new Error('the file is no model')
  console.error(`loaded ${id}`)
  return { ...(name === 'ignores aborts' ? stubborn : model), [Symbol.asyncDispose]: async () => {} }
})
