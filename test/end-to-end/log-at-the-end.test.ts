import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface LogLine {
  readonly level: string
  readonly msg: string
  readonly requestId?: string
}

/** A service that logs every request, what it has logged once it has ended, and where it answers; disposing kills one that still runs. */
async function start(data: string, { flags = [], ...options }: { readonly detached?: boolean; readonly flags?: readonly string[] } = {}) {
  const argv = ['src/bin.ts', 'serve', '--port', '0', '--data', data, '--log', 'json', '--log-level', 'info', ...flags]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  const logged = text(child.stderr).then((all) => all.split('\n').flatMap((line): LogLine[] => (line ? [JSON.parse(line)] : [])))
  const ended = once(child, 'exit')
  let token = ''
  for await (const line of createInterface({ input: child.stdout })) {
    token = /export TOKEN=(\S+)/.exec(line)?.[1] ?? token
    const url = /^ready (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return { url, token, logged, ended, child, [Symbol.dispose]: () => void child.kill('SIGKILL') }
  }
  throw new Error((await logged).map(({ msg }) => msg).join())
}

test('the log of a service stopped under load has a line for every answered request', async () => {
  await using folder = await createTemporaryFolder()
  using service = await start(folder.path)
  const { url, logged, ended, child } = service
  const answered: string[] = []
  const ask = async () => {
    for (let ok = true; ok; ) {
      ok = await fetch(`${url}/healthz`).then(
        async (answer) => {
          await answer.text()
          answered.push(answer.headers.get('x-request-id') ?? '')
          if (answered.length === 200) child.kill('SIGTERM')
          return true
        },
        () => false,
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  assert.deepEqual(await ended, [0, null])
  const lines = await logged
  const ids = new Set(lines.map(({ requestId }) => requestId))
  assert.ok(answered.length >= 200)
  assert.deepEqual(
    answered.filter((id) => !ids.has(id)),
    [],
  )
  assert.equal(lines.at(-1)?.msg, 'service stopped')
})

/** Longer than an answer takes on a machine with more to do than it can. */
const patient = ['--grace', '10m']

test('answers running when the service stops are recorded', async () => {
  await using folder = await createTemporaryFolder()
  using service = await start(folder.path, { flags: patient })
  const { url, token, logged, ended, child } = service
  const body = JSON.stringify({ model: 'sepia-mini-chat', stream: true, max_tokens: 200, messages: [{ role: 'user', content: 'Count.' }] })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const streams = await Promise.all(
    Array.from({ length: 3 }, async () => fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })),
  )
  child.kill('SIGTERM')
  const answers = await Promise.all(streams.map((stream) => stream.text()))
  assert.deepEqual(await ended, [0, null])
  for (const answer of answers) assert.match(answer, /\[DONE\]/)
  assert.deepEqual(
    (await logged).filter(({ level }) => level === 'error'),
    [],
  )
  using database = new DatabaseSync(join(folder.path, 'sepia.db'), { readOnly: true })
  assert.equal(database.prepare('select count(*) as records from request_records').get()?.records, 3)
})

test('running answers complete after Ctrl-C reaches the service and its processes', {
  skip: process.platform === 'win32',
}, async () => {
  await using folder = await createTemporaryFolder()
  using service = await start(folder.path, { detached: true, flags: patient })
  const { url, token, logged, ended, child } = service
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = (path: string, body: object) => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const chat = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Count.' }] }
  await (await send('/v1/chat/completions', { ...chat, max_tokens: 1 })).text()
  const stream = await send('/v1/chat/completions', { ...chat, stream: true, max_tokens: 500, ignore_eos: true })
  assert.ok(child.pid !== undefined)
  process.kill(-child.pid, 'SIGINT')
  assert.match(await stream.text(), /\[DONE\]/)
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual(
    (await logged).filter(({ level }) => level === 'error'),
    [],
  )
})
