import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const argv = ['src/bin.ts', 'serve', '--port', '0', '--log', 'json']

async function untilReady(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /^ready (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('It ended before it was ready.')
}

/** Ends a service also where an assertion fails: its pipes would keep this file waiting. */
function ending(child: ChildProcess): Disposable {
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

async function answers(url: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/models`)
  return status
}

test('a command whose reader leaves ends silently', async () => {
  const child = spawn(process.execPath, ['src/bin.ts', 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.equal(err, '')
  assert.equal(code, 141)
})

test('a command that cannot write its answer reports it', {
  skip: !existsSync('/dev/full') && 'this system has no device that is always full',
}, async () => {
  const child = spawn(process.execPath, ['src/bin.ts', 'version'], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
  const { stderr } = child
  assert.ok(stderr !== null)
  const [err, [code]] = await Promise.all([text(stderr), once(child, 'close')])
  assert.match(err, /^Standard output cannot be written: ENOSPC.*\n$/)
  assert.equal(code, 1)
})

test('a service continues when the reader of its log leaves, and stops on SIGTERM', async () => {
  await using folder = await createTemporaryFolder()
  const child = spawn(process.execPath, [...argv, '--data', folder.path], { stdio: ['ignore', 'pipe', 'pipe'] })
  using _ended = ending(child)
  const ended = once(child, 'exit')
  const url = await untilReady(child.stdout)
  child.stdout.destroy()
  child.stderr.destroy()
  for (let count = 0; count < 5; count++) assert.equal(await answers(url), 401)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a service continues if its log cannot be written', {
  skip: !existsSync('/dev/full') && 'this system has no device that is always full',
}, async () => {
  await using folder = await createTemporaryFolder()
  const child = spawn(process.execPath, [...argv, '--data', folder.path], { stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')] })
  const { stdout } = child
  assert.ok(stdout !== null)
  using _ended = ending(child)
  const ended = once(child, 'exit')
  const url = await untilReady(stdout)
  for (let count = 0; count < 5; count++) assert.equal(await answers(url), 401)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a service whose log is not read still stops', async () => {
  await using folder = await createTemporaryFolder()
  const child = spawn(process.execPath, [...argv, '--data', folder.path, '--log-level', 'debug'], { stdio: ['ignore', 'pipe', 'pipe'] })
  using _ended = ending(child)
  const ended = once(child, 'exit')
  const url = await untilReady(child.stdout)
  // Pipes and what this process reads ahead hold some 200 KB; each request logs 210 bytes.
  for (let round = 0; round < 100; round++)
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 15 }, () => answers(url)))), new Set([401]))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a service whose terminal closes stops as on SIGTERM', async () => {
  await using folder = await createTemporaryFolder()
  const child = spawn(process.execPath, [...argv, '--data', folder.path], { stdio: ['ignore', 'pipe', 'pipe'] })
  using _ended = ending(child)
  const ended = once(child, 'exit')
  const logged = text(child.stderr)
  await untilReady(child.stdout)
  child.kill('SIGHUP')
  child.kill('SIGHUP')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"msg":"service stopped"/)
})
