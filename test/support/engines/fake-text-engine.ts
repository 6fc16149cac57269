import { EventEmitter, once } from 'node:events'
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

/** Yields the number of its threads, at the start and after each change, until the reader leaves. */
function createThreadTeller(threads: number): TextModel & { useThreads(count: number): void } {
  const changes = new EventEmitter()
  let count = threads
  return {
    ...model,
    device: { backend: 'cpu', name: null },
    async *generate(_, { signal }) {
      for (let sent = 0; ; ) {
        if (sent === count) await once(changes, 'change', { signal })
        sent = count
        yield { type: 'text', choice: 0, text: String(sent) }
      }
    },
    useThreads: (next) => {
      count = next
      changes.emit('change')
    },
  }
}

// The main of an engine process whose model is fake: `[crash]` kills the process, and the model's name breaks it in other ways.
serveTextEngine(async ({ id, name }, { threads }) => {
  if (name === 'hangs while loading') return new Promise(() => {})
  if (name === 'dies while loading') {
    console.error('no room for its weights')
    process.exit(3)
  }
  if (name === 'breaks while loading') throw new Error('the file is no model')
  console.error(`loaded ${id}`)
  if (name === 'tells its threads') return { ...createThreadTeller(threads), [Symbol.asyncDispose]: async () => {} }
  return { ...(name === 'ignores aborts' ? stubborn : model), [Symbol.asyncDispose]: async () => {} }
})
