import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InferenceSession } from 'onnxruntime-node'
import { SessionTurns } from './session-turns.ts'

/** Sessions that log when they are opened, run and closed; a run takes one turn of the event loop. */
function follow() {
  const log: string[] = []
  const create = (name: string) => async (): Promise<InferenceSession> => {
    log.push(`open ${name}`)
    return {
      inputMetadata: [],
      outputMetadata: [],
      run: async () => {
        log.push(`run ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`ran ${name}`)
        return {}
      },
      release: async () => void log.push(`close ${name}`),
    } as unknown as InferenceSession
  }
  return { log, create }
}

test('a part frees the sessions of other parts, but keeps its own', async () => {
  const { log, create } = follow()
  const turns = new SessionTurns(() => true)
  const text = await turns.open('text', create('text'))
  const plain = await turns.open('transformer', create('plain'))
  const lora = await turns.open('transformer', create('lora'))
  assert.deepEqual(log.splice(0), ['open text', 'close text', 'open plain', 'open lora'])
  for (const each of [plain, lora, plain]) await each.run({}, [])
  assert.deepEqual(log.splice(0), ['run plain', 'ran plain', 'run lora', 'ran lora', 'run plain', 'ran plain'])
  await text.run({}, [])
  assert.deepEqual(log.splice(0), ['close plain', 'close lora', 'open text', 'run text', 'ran text'])
  await Promise.all([plain.release(), text.release()])
  assert.deepEqual(log, ['close text'])
})

test('a part that yields is closed when another runs, and no other part is', async () => {
  const { log, create } = follow()
  const turns = new SessionTurns((part) => part === 'texts')
  const text = await turns.open('texts', create('text'))
  const transformer = await turns.open('transformer', create('transformer'))
  const decoder = await turns.open('decoder', create('decoder'))
  assert.deepEqual(log.splice(0), ['open text', 'open transformer', 'open decoder'])
  for (const each of [text, text, transformer, decoder, transformer]) await each.run({}, [])
  const texts = ['run text', 'ran text', 'run text', 'ran text', 'close text']
  const rest = ['run transformer', 'ran transformer', 'run decoder', 'ran decoder', 'run transformer', 'ran transformer']
  assert.deepEqual(log.splice(0), [...texts, ...rest])
  await text.run({}, [])
  assert.deepEqual(log, ['open text', 'run text', 'ran text'])
})

test('a running part is not closed by another that wants to run', async () => {
  const { log, create } = follow()
  const turns = new SessionTurns(() => true)
  const [one, other] = [await turns.open('one', create('one')), await turns.open('other', create('other'))]
  log.length = 0
  await Promise.all([other.run({}, []), one.run({}, []), other.run({}, [])])
  assert.deepEqual(log, [
    ...['run other', 'ran other', 'close other', 'open one', 'run one', 'ran one'],
    ...['close one', 'open other', 'run other', 'ran other'],
  ])
})

test('a part that cannot be opened fails only its own runs', async () => {
  const { create } = follow()
  const turns = new SessionTurns(() => true)
  const sound = await turns.open('sound', create('sound'))
  await assert.rejects(
    turns.open('damaged', () => Promise.reject(new Error('damaged'))),
    /damaged/,
  )
  await sound.run({}, [])
})
