import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { isRecord, type JsonObject } from '../../src/core/json-value.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import { createDice } from '../conformance/queue-races.ts'
import { submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'

const options = { signal: new AbortController().signal }
const dayMs = 24 * 60 * 60 * 1000
const readersOfEach = 5

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A store whose reads begin some turns of the event loop later, so that others come between a record and its bytes. */
function slowly(outputs: OutputStore, dice: (below: number) => number): OutputStore {
  const late = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    await turns(dice(80))
    return call()
  }
  return {
    put: (name, content, given) => outputs.put(name, content, given),
    open: (reference, given) => late(() => outputs.open(reference, given)),
    readPart: (reference, part, given) => late(() => outputs.readPart(reference, part, given)),
    delete: (keys, given) => outputs.delete(keys, given),
    listOld: (query, given) => outputs.listOld(query, given),
  }
}

async function readJson(answer: Response): Promise<JsonObject> {
  assert.ok(answer.ok, String(answer.status))
  return JSON.parse(await answer.text())
}

/** Addresses of a result, a picture, its thumbnail, a file, and the events and state of a request. */
async function fillService(service: HttpService) {
  const drawn = await submit(service, { prompt: 'a tiger', seed: 1 })
  await readJson(await service.fetch(`/v1/requests/${drawn.id}?wait=60`))
  const { data } = await readJson(await service.fetch('/v1/images/generations', { json: { prompt: 'a lion', response_format: 'url' } }))
  const picture = new URL(String(Array.isArray(data) && isRecord(data[0]) && data[0].url))
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob([Buffer.alloc(100_000, 'line\n')]), 'notes.txt')
  const sent = { method: 'POST', body: form, headers: { authorization: `Bearer ${service.token}` } }
  const { id: file } = await readJson(await fetch(`${service.url}/v1/files`, sent))
  const own = picture.pathname + picture.search
  const read = [`/v1/responses/${drawn.id}`, own, `${own}&width=160`, `/v1/files/${file}/content`]
  return { file: `/v1/files/${file}`, read, watch: [`/v1/requests/${drawn.id}`, `/v1/requests/${drawn.id}/events`, '/v1/requests'] }
}

suite('results deleted while they are read', () => {
  for (let seed = 1; seed <= 8; seed++)
    test(`a reader gets all bytes or that they are gone, and deleting twice deletes once (seed ${seed})`, async () => {
      const dice = createDice(seed)
      let later = 0
      const system = createSystemClock()
      const clock = { ...system, now: () => system.now() + later }
      const outputs = slowly(createMemoryOutputs({ clock }), dice)
      await using service = await startHttpService({ clock, worker: true, overrides: { outputs } })
      const { file, read, watch } = await fillService(service)
      const whole = new Map<string, Buffer>()
      for (const path of read) whole.set(path, Buffer.from(await (await service.fetch(path)).arrayBuffer()))

      const reader = async (path: string): Promise<void> => {
        await turns(dice(60))
        const answer = await service.fetch(path)
        const bytes = Buffer.from(await answer.arrayBuffer())
        if (!answer.ok) assert.ok([404, 410].includes(answer.status), `${path}: ${answer.status} ${bytes}`)
        else assert.deepEqual(bytes, whole.get(path) ?? bytes, path)
      }
      const sweep = async (): Promise<void> => {
        await turns(dice(60))
        later = dayMs + 1
        const { outputs: keys } = await service.store.queue.expire(options)
        await outputs.delete(keys, options)
      }
      const remove = async (): Promise<number> => {
        await turns(dice(60))
        return (await service.fetch(file, { method: 'DELETE' })).status
      }
      const readers = [...read, ...watch].flatMap((path) => Array.from({ length: readersOfEach }, () => reader(path)))
      const [removals] = await Promise.all([Promise.all([remove(), remove()]), sweep(), sweep(), ...readers])
      assert.deepEqual(removals.toSorted(), [200, 404])
      assert.deepEqual(service.failures, [])
    })
})
