import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import { sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly refId: string; readonly expr: string }[]
}

interface Sample {
  readonly value: readonly [number, string]
}

const { panels, schemaVersion }: { readonly panels: readonly Panel[]; readonly schemaVersion: number } = JSON.parse(
  await readFile('deploy/grafana/sepia.json', 'utf8'),
)
/** Load for far longer than what a scrape a second needs. */
const longestLoadMs = 120_000

const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

test('panels have unique ids, do not overlap and have at least one query', () => {
  assert.equal(schemaVersion, 39)
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  )
  assert.equal(new Set(cells).size, cells.length)
  assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24))
  for (const { title, targets } of panels)
    assert.ok(targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length, title)
})

/** A Prometheus that scrapes the service every second and loads the alerts that ship. */
async function startPrometheus(context: TestContext, folder: string, target: string, token: string): Promise<string> {
  const port = await findFreePort()
  const tokenFile = join(folder, 'sepia.token')
  await writeFile(tokenFile, token)
  const shipped = await readFile('deploy/prometheus/prometheus.yml', 'utf8')
  const file = join(folder, 'prometheus.yml')
  await writeFile(
    file,
    shipped
      .replace('scrape_interval: 15s', 'scrape_interval: 1s')
      .replace('[alerts.yml]', `[${join(process.cwd(), 'deploy/prometheus/alerts.yml')}]`)
      .replace('127.0.0.1:8080', new URL(target).host),
  )
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`]
  const child: ChildProcess = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  context.after(async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGTERM')) await ended
  })
  assert.ok(child.stderr)
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('Server is ready')) break
  child.stderr.resume()
  return `http://127.0.0.1:${port}`
}

async function query(prometheus: string, expr: string): Promise<readonly number[]> {
  const filled = expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+')
  const answer = await fetch(`${prometheus}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: filled }) })
  const { status, error, data } = (await answer.json()) as {
    readonly status: string
    readonly error?: string
    readonly data: { readonly result: readonly Sample[] }
  }
  assert.equal(status, 'success', `${expr}: ${error}`)
  return data.result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value))
}

test('every panel has a number after Prometheus scraped the service under load', async (context) => {
  if (spawnSync('prometheus', ['--version']).error !== undefined)
    return context.skip('prometheus is not installed; Debian’s package of this name has it')
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const data = join(folder.path, 'data')
  const service = stack.use(await startService(data))
  const { token }: { readonly token: string } = JSON.parse((await sepia('token', 'create', '--name', 'p', '--data', data, '--json')).out)
  const prometheus = await startPrometheus(context, folder.path, service.url, token)

  const post = async (path: string, body: unknown, asynchronous: boolean): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-service-async': asynchronous ? '1' : '' }
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.ok(answer.ok, await answer.clone().text())
    await answer.arrayBuffer()
  }
  const messages = [{ role: 'user', content: 'Hello' }]
  const load = (): Promise<unknown> =>
    Promise.all([
      post('/v1/chat/completions', { model: 'sepia-mini-chat', messages, max_tokens: 8, ignore_eos: true }, false),
      post('/generate/sdxl', { model: 'sepia-mini-image', prompt: 'a fox', steps: 3, width: 64, height: 64 }, true),
    ])

  let unanswered: typeof queries = queries
  let up: readonly number[] = []
  // On a machine that has more to do than it can, a scrape may fail that is followed by one that does not.
  for (const until = performance.now() + longestLoadMs; (unanswered.length > 0 || up[0] !== 1) && performance.now() < until; ) {
    await load()
    const answers = await Promise.all(unanswered.map(({ expr }) => query(prometheus, expr)))
    unanswered = unanswered.filter((_, index) => answers[index]?.length === 0)
    up = await query(prometheus, 'up{job="sepia"}')
  }
  assert.deepEqual([unanswered, up], [[], [1]])
})
