import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextRequest } from '../../src/core/text-generation.ts'
import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { ask, miniChat } from '../support/mini-chat.ts'

const { signal } = new AbortController()
const slots = 4
const drawn = { temperature: 1, topP: 0.95, seed: 7 }
const rules = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false }
const schema = { type: 'object', properties: { name: { type: 'string', maxLength: 12 } }, required: ['name'], additionalProperties: false }

const requests: readonly TextRequest[] = [
  ask('Tell me a short story about a fox.'),
  ask('Tell me a short story about a goat.', { sampling: drawn, choices: 3 }),
  ask('Tell me a short story about a whale.', { sampling: { ...drawn, frequencyPenalty: 1, repetitionPenalty: 1.2 }, topLogprobs: 2 }),
  ask('Tell me a short story about a robot.', { stop: ['the ', '. '], sampling: drawn }),
  ask('Hello!', { sampling: drawn, ending: { ...rules, minTokens: 20 }, maxTokens: 30 }),
  ask('What is the capital of Peru?', { responseFormat: { type: 'json_schema', schema }, sampling: drawn }),
]

function answer(model: TextModel): Promise<readonly unknown[]> {
  return Promise.all(
    requests.map(async (request) => {
      const parts = await Array.fromAsync(model.generate(request, { signal, account: 'a' }))
      // How the choices of one request follow one another is a matter of time.
      return parts.filter((part) => part.type !== 'prompt' && part.type !== 'finish').toSorted((a, b) => a.choice - b.choice)
    }),
  )
}

test('one engine thread with queued batches returns the same as one that waits for each batch', async () => {
  const loader = createProcessModelLoader({
    textEntry: new URL('../../src/composition/text-engine.ts', import.meta.url),
    imageEntry: new URL('../../src/composition/image-engine.ts', import.meta.url),
    engineThreads: 1,
    textSlots: slots,
    clock: createSystemClock(),
    log: () => {},
  })
  await using queued = await loader.loadText(miniChat, { signal })
  await using waiting = await loadLlamaModel(miniChat, { threads: 1, slots, signal })
  const expected = await answer(waiting)
  for (let round = 0; round < 3; round++) assert.deepEqual(await answer(queued.model), expected)
})
