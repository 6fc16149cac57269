import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readDataLines } from './read-data-lines.ts'

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}
const read = (...texts: readonly string[]) => Array.fromAsync(readDataLines(pieces(...texts)))

suite('the data lines of a stream', () => {
  test('are whole, wherever pieces end', async () => {
    const text = 'data: one\n\nevent: x\ndata:two\r\n\r\n: data: no\ndata: three'
    const expected = ['one', 'two', 'three']
    assert.deepEqual(await read(text), expected)
    assert.deepEqual(await read(...text), expected)
    for (let at = 0; at < text.length; at++) assert.deepEqual(await read(text.slice(0, at), text.slice(at)), expected)
  })

  test('end when one has no end, before it fills the memory', async () => {
    let asked = 0
    async function* endless(): AsyncGenerator<string> {
      for (;;) yield asked++ === 0 ? 'data: ' : 'x'.repeat(1 << 16)
    }
    await assert.rejects(Array.fromAsync(readDataLines(endless())), { code: 'inference_failed' })
    assert.ok(asked <= 70, `${asked} pieces were read`)
  })

  test('may be long', async () => {
    const long = 'x'.repeat(1 << 21)
    assert.deepEqual(await read('data: ', long.slice(0, 5), long.slice(5), '\n\ndata: [DONE]'), [long, '[DONE]'])
  })
})
