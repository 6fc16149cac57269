import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, killServer } from '../child-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A chat-completions server under test. */
export interface ChatServer extends AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly token: string
  readonly model: string
  readonly pid: number
}

export interface ServerShape {
  /** Absolute path of a folder `<models>/<id>/` with `model.json`; null = the built-in models. */
  readonly models: string | null
  readonly model: string
  readonly file: string
  readonly threads: number
  /** Sequences at once. */
  readonly slots: number
  /** Tokens per sequence. */
  readonly context: number
}

/** Where llama-server is, as bench/text/build-llama-server.sh prints it. */
function findLlamaServer(): string {
  const binary = process.env.LLAMA_SERVER
  if (binary === undefined) throw new Error('Set LLAMA_SERVER to a llama-server binary; bench/text/build-llama-server.sh builds one.')
  return binary
}

/** Our service, whole: HTTP, accounts, engine process. */
export async function startSepia({ models, model, threads, slots }: ServerShape): Promise<ChatServer> {
  const data = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
  const flags = ['--port', '0', '--data', data, '--engine-threads', String(threads), '--text-slots', String(slots), '--log', 'json']
  if (models !== null) flags.push('--models', models)
  // The settings of the person who runs the bench are not measured.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SEPIA_')))
  const child = spawn(process.execPath, [join(root, 'src/bin.ts'), 'serve', ...flags], { stdio: ['ignore', 'pipe', 'ignore'], env })
  child.stdout.setEncoding('utf8')
  let printed = ''
  for await (const piece of child.stdout) {
    printed += piece
    if (/^ready /m.test(printed)) break
  }
  const url = /^ready (\S+)/m.exec(printed)?.[1]
  const token = /sepia_\w+/.exec(printed)?.[0]
  if (url === undefined || token === undefined) throw new Error(`The service did not start:\n${printed}`)
  return {
    name: 'sepia',
    url,
    token,
    model,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(data, { recursive: true, force: true })
    },
  }
}

/**
 * @param further Flags beside those that the shape makes.
 * @param build The one of LLAMA_SERVER where it is left out.
 */
export async function startLlamaServer(
  { file, model, threads, slots, context }: ServerShape,
  further: readonly string[] = [],
  build: { readonly name: string; readonly server: string } = { name: 'llama-server', server: findLlamaServer() },
): Promise<ChatServer> {
  const port = await freePort()
  const count = (value: number): string => String(value)
  const flags = [
    '-m',
    file,
    '-t',
    count(threads),
    '-tb',
    count(threads),
    '-np',
    count(slots),
    '-c',
    count(context * slots),
    '--port',
    count(port),
    '--no-ui',
    ...further,
  ]
  const child = spawn(build.server, flags, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`llama-server ended with ${child.exitCode ?? child.signalCode}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    name: build.name,
    url,
    token: 'none',
    model,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: () => killServer(child),
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    return false
  }
}
