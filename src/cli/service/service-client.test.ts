import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvents } from './service-client.ts'

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('an event stream', () => {
  const text = ': a comment\n\nevent: status\ndata: {"a":"é"}\n\ndata:one\ndata: two\n\ndata: never ended'

  for (const size of [1, 2, 3, 7, 1000])
    it(`reads the same in pieces of ${size} bytes`, async () => {
      assert.deepEqual(await Array.fromAsync(readEvents(cut(text, size))), [
        { name: 'status', data: '{"a":"é"}' },
        { name: 'message', data: 'one\ntwo' },
      ])
    })

  it('ends its lines as it likes', async () => {
    const events = await Array.fromAsync(readEvents(cut('event: a\r\ndata: b\r\n\r\n', 3)))
    assert.deepEqual(events, [{ name: 'a', data: 'b' }])
  })
})
