import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { ask, miniChat } from '../support/mini-chat.ts'

const { signal } = new AbortController()
const endless = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: true }

test('a stream continues while another account embeds long texts with the same model', async () => {
  const loader = createProcessModelLoader({
    textEntry: new URL('../../src/composition/text-engine.ts', import.meta.url),
    imageEntry: new URL('../../src/composition/image-engine.ts', import.meta.url),
    engineThreads: 1,
    textSlots: 2,
    clock: createSystemClock(),
    log: () => {},
  })
  await using loaded = await loader.loadText({ ...miniChat, embeddings: true }, { signal })
  const text = 'the fox '.repeat(480)
  const embed = () => loaded.model.embed({ model: miniChat.id, inputs: [text] }, { signal })
  const order: string[] = []
  let all: Promise<unknown> | null = null
  for await (const part of loaded.model.generate(ask('Tell me a story.', { maxTokens: 900, ending: endless }), { signal, account: 'a' })) {
    if (part.type !== 'text') continue
    order.push('token')
    all ??= Promise.all([1, 2, 3, 4].map(() => embed().then(() => order.push('embedded'))))
    if (order.filter((event) => event === 'embedded').length === 4) break
  }
  await all
  const [first, last] = [order.indexOf('embedded'), order.lastIndexOf('embedded')]
  const meanwhile = order.slice(first, last).filter((event) => event === 'token').length
  assert.ok(meanwhile >= 40, `${meanwhile} tokens while three texts were embedded`)
})
