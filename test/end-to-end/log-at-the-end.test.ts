import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** A service that logs every request, what it has logged once it has ended, and where it answers. */
async function start(data: string) {
  const argv = ['src/bin.ts', 'serve', '--port', '0', '--data', data, '--log', 'json', '--log-level', 'info']
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  const logged = text(child.stderr).then((all) =>
    all.split('\n').flatMap((line): { msg: string; requestId?: string }[] => (line ? [JSON.parse(line)] : [])),
  )
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return { url, logged, ended, child }
  }
  throw new Error((await logged).map(({ msg }) => msg).join())
}

test('a line of every request that was answered is in the log of a service that was told to stop under load', async () => {
  await using folder = await createTemporaryFolder()
  const { url, logged, ended, child } = await start(folder.path)
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
