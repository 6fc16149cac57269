import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const lines = 40
/** Between two looks at what goes on: looks without end would take the processor from the service. */
const pauseMs = 50

/** The whole service; `kill -9` ends it. */
async function start(data: string): Promise<{ readonly child: ChildProcess; readonly url: string; readonly token: string | undefined }> {
  const flags = ['serve', '--port', '0', '--data', data, '--log', 'json']
  const child = spawn(process.execPath, ['src/bin.ts', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  let token: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    token = /sepia_[0-9A-Za-z]+/.exec(line)?.[0] ?? token
    const url = /^ready (http:\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume() // a full pipe would hold the service
    return { child, url, token }
  }
  throw new Error('The service ended before it was ready')
}

test('a batch continues after kill -9 without losing or repeating a line', { timeout: 300_000 }, async () => {
  await using folder = await createTemporaryFolder()
  let { child, url, token } = await start(folder.path)
  try {
    const fetchText = async (path: string, init: RequestInit = {}): Promise<string> => {
      const headers = { authorization: `Bearer ${token}`, ...(typeof init.body === 'string' && { 'content-type': 'application/json' }) }
      const answer = await fetch(`${url}/v1/${path}`, { ...init, headers })
      const text = await answer.text()
      assert.ok(answer.ok, text)
      return text
    }
    const body = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 8, temperature: 0 }
    const text = Array.from({ length: lines }, (_, at) =>
      JSON.stringify({ custom_id: `c${at}`, method: 'POST', url: '/v1/chat/completions', body: { ...body, seed: at } }),
    ).join('\n')
    const form = new FormData()
    form.append('purpose', 'batch')
    form.append('file', new Blob([text]), 'in.jsonl')
    const file = JSON.parse(await fetchText('files', { method: 'POST', body: form }))
    const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const { id } = JSON.parse(await fetchText('batches', { method: 'POST', body: JSON.stringify(order) }))
    for (const killAt of [1, 17]) {
      for (;;) {
        const { data } = JSON.parse(await fetchText('requests?status=completed&limit=100'))
        if (data.length >= killAt) break
        await pause(pauseMs)
      }
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      ;({ child, url } = await start(folder.path))
    }
    let batch = JSON.parse(await fetchText(`batches/${id}`))
    while (batch.status === 'in_progress' || batch.status === 'validating') {
      await pause(pauseMs)
      batch = JSON.parse(await fetchText(`batches/${id}`))
    }
    assert.equal(batch.status, 'completed')
    assert.deepEqual(batch.request_counts, { total: lines, completed: lines, failed: 0 })
    const results = (await fetchText(`files/${batch.output_file_id}/content`)).trimEnd().split('\n')
    assert.deepEqual(
      results.map((line) => JSON.parse(line).custom_id),
      Array.from({ length: lines }, (_, at) => `c${at}`),
    )
    assert.equal(new Set(results.map((line) => JSON.parse(line).response.request_id)).size, lines)
  } finally {
    child.kill('SIGKILL')
  }
})
