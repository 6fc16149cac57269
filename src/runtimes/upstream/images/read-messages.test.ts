import assert from 'node:assert/strict'
import { duplexPair, PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readMessages } from './read-messages.ts'

const frame = (opcode: number, text: string, { isLast = true } = {}): Buffer =>
  Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, text.length]), Buffer.from(text)])

async function read(...pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const socket = new PassThrough()
  for (const piece of pieces) socket.write(piece)
  socket.end()
  return (await Array.fromAsync(readMessages(socket))).map(({ isText, bytes }) => `${isText ? 'text' : 'bytes'} ${bytes}`)
}

test('messages are complete however their bytes arrive', async () => {
  const sent = Buffer.concat([frame(1, 'one'), frame(2, 'tw', { isLast: false }), frame(0, 'o')])
  const messages = ['text one', 'bytes two']
  assert.deepEqual(await read(sent), messages)
  assert.deepEqual(await read(...Array.from(sent, (byte) => Uint8Array.of(byte))), messages)
})

test('lengths of two and eight bytes are read', async () => {
  const text = 'x'.repeat(300)
  assert.deepEqual(await read(Buffer.from([0x81, 126, 1, 44]), Buffer.from(text)), [`text ${text}`])
  assert.deepEqual(await read(Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 1, 44]), Buffer.from(text)), [`text ${text}`])
})

test('a close frame ends them, and a truncated message is dropped', async () => {
  assert.deepEqual(await read(frame(1, 'one'), frame(8, ''), frame(1, 'two')), ['text one'])
  assert.deepEqual(await read(frame(1, 'one').subarray(0, 3)), [])
})

test('a ping is answered with its payload', async () => {
  const [ours, theirs] = duplexPair()
  theirs.write(frame(9, 'hi'))
  theirs.end()
  await Array.fromAsync(readMessages(ours))
  assert.deepEqual(theirs.read(), Buffer.concat([Buffer.from([0x8a, 0x82, 0, 0, 0, 0]), Buffer.from('hi')]))
})

for (const [name, bytes] of [
  ['is masked', [0x81, 0x81, 0, 0, 0, 0, 1]],
  ['is compressed', [0xc1, 1, 1]],
  ['claims to have 4 GB', [0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]],
] as const)
  test(`a message that ${name} is rejected`, async () => {
    await assert.rejects(read(Buffer.from(bytes)), { code: 'inference_failed' })
  })

test('fragments of a message are counted together', async () => {
  const part = Buffer.concat([Buffer.from([0x02, 127, 0, 0, 0, 0, 0, 160, 0, 0]), Buffer.alloc(10 << 20)])
  await assert.rejects(read(part, Buffer.concat([Buffer.from([0]), part.subarray(1)])), { code: 'inference_failed' })
})

test('a message in thousands of fragments is rejected, which would need a hundred times its bytes', async () => {
  const part = frame(0, 'x', { isLast: false })
  await assert.rejects(read(frame(2, 'x', { isLast: false }), ...Array<Buffer>(5000).fill(part)), { code: 'inference_failed' })
})
