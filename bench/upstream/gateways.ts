import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, killServer } from '../child-server.ts'
import { startSepia } from '../text/chat-server.ts'

/** Where chat completions are answered, and what a request to it carries. */
export interface Gateway extends AsyncDisposable {
  readonly name: string
  /** Base address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The fake upstream itself: what all gateways add to. */
export function startUpstream(): Promise<Gateway> {
  return startScript('upstream itself', 'fake-upstream.ts')
}

/** The minimum cost of passing a request on. */
export function startBareProxy(upstream: Gateway): Promise<Gateway> {
  return startScript('bare proxy', 'bare-proxy.ts', upstream.url)
}

async function startScript(name: string, file: string, ...args: readonly string[]): Promise<Gateway> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${String(printed).trim()}`
  return { name, url, headers: {}, [Symbol.asyncDispose]: () => killServer(child) }
}

/** Our service with a model that runs at `upstream`. */
export async function startOurs(upstream: Gateway): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-upstream-'))
  await mkdir(join(folder, 'fake'))
  const description = { id: 'fake', kind: 'text', format: 'openai', url: `${upstream.url}/v1` }
  await writeFile(join(folder, 'fake', 'model.json'), JSON.stringify(description))
  const service = await startSepia({ models: folder, model: 'fake', file: '', threads: 1, slots: 1, context: 0 })
  return {
    name: 'Sepia',
    url: service.url,
    headers: { authorization: `Bearer ${service.token}` },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Portkey's gateway; PORTKEY_GATEWAY names its `start-server.js`. */
export async function startPortkey(upstream: Gateway): Promise<Gateway | null> {
  const script = process.env.PORTKEY_GATEWAY
  if (script === undefined) return null
  const port = await freePort()
  const child = spawn(process.execPath, [script, '--headless', `--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production' },
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 50))
  const headers = { authorization: 'Bearer none', 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream.url}/v1` }
  return { name: 'Portkey', url, headers, [Symbol.asyncDispose]: () => killServer(child) }
}
