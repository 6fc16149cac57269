import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventStream } from './event-stream.ts'

function streamOf(...chunks: readonly string[]): Response {
  const encoder = new TextEncoder()
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
        controller.close()
      },
    }),
  )
}

test('events that arrive in pieces are read whole', async () => {
  const events = await Array.fromAsync(readEventStream(streamOf('event: prog', 'ress\ndata: {"step":1}\n', '\ndata: last\n\n')))
  assert.deepEqual(events, [
    { event: 'progress', data: '{"step":1}' },
    { event: 'message', data: 'last' },
  ])
})

test('lines of one event are joined, and comments and unfinished events are ignored', async () => {
  const events = await Array.fromAsync(readEventStream(streamOf(': hello\n\ndata: a\r\ndata: b\r\n\r\ndata: cut off')))
  assert.deepEqual(events, [{ event: 'message', data: 'a\nb' }])
})
