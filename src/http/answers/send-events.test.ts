import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dropReader } from './send-events.ts'

test('a reader on a Unix socket, which cannot be reset, is disconnected all the same', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-drop-'))
  context.after(() => rm(folder, { recursive: true }))
  const faults: unknown[] = []
  const server = createServer((_, response) => {
    try {
      response.write('the beginning')
      dropReader(response)
    } catch (error) {
      faults.push(error)
      response.destroy()
    }
  })
  await using _ = server
  const socketPath = join(folder, 'socket')
  await once(server.listen(socketPath), 'listening')
  const closed = Promise.withResolvers<void>()
  const request = get({ socketPath })
  request.on('error', () => {})
  request.on('close', closed.resolve)
  await closed.promise
  assert.deepEqual(faults, [])
})
