import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { ModelPool } from '../../src/core/ports/model-pool.ts'
import { createModelPool } from '../../src/residency/model-pool.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'
import { startHttpService } from '../../test/support/http-service.ts'
import { createStampedModel } from './stamped-model.ts'

// One server of the bench: `bare`, `service` or `engine`, a pace in milliseconds and a number of streams. Says where it listens.
const [variant = '', delay = '0', streams = '1'] = process.argv.slice(2)
const tokenDelayMs = Number(delay)
const slots = Number(streams)

const { url, token } =
  variant === 'bare' ? await startBare() : await startHttpService({ pool: variant === 'engine' ? openEngine() : openFixed() })
process.send?.({ url, token })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit())

function openFixed(): ModelPool {
  return createFixedModelPool({ text: { 'fake-chat': createStampedModel({ tokenDelayMs }) } }, { slots })
}

function openEngine(): ModelPool {
  const clock = createSystemClock()
  const loader = createProcessModelLoader({
    textEntry: new URL('./stamped-engine.ts', import.meta.url),
    imageEntry: new URL('./stamped-engine.ts', import.meta.url),
    engineThreads: 1,
    textSlots: slots,
    clock,
    log: (event) => event.type === 'output' && console.error(event.line),
  })
  const limits = { memoryBytes: 1e12, idleUnloadMs: null, textSlots: slots, textQueue: 0, imageQueue: 0, waitLimitMs: 60_000 }
  return createModelPool({ catalog: createFakeCatalog([describeFakeText({ license: delay })]), loader, clock, limits, onEvent: () => {} })
}

/** The rival: the same events from the same model, with nothing in between. */
async function startBare(): Promise<{ readonly url: string; readonly token: string }> {
  const model = createStampedModel({ tokenDelayMs })
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const signal = new AbortController().signal
    const head = { id: `cmpl-${'0'.repeat(32)}`, object: 'chat.completion.chunk', created: 1_767_225_600, model: 'fake-chat' }
    for await (const part of model.generate({ maxTokens: JSON.parse(body).max_tokens } as never, { signal, account: 'a' })) {
      if (part.type !== 'text') continue
      const delta = { role: 'assistant', content: part.text, function_call: null }
      const event = `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
      if (!response.write(event)) await once(response, 'drain')
    }
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'none' }
}
