import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { withMiniModels } from '../../support/mini-chat.ts'

/** The real service in a process of its own, on an empty data folder and a free port. */
export interface StartedService extends AsyncDisposable {
  readonly url: string
  /** The data folder. */
  readonly folder: string
  /** The first-run link it printed. */
  readonly link: string
  /** The access token it printed. */
  readonly token: string
}

const root = join(import.meta.dirname, '../../..')

/** @param flags Settings besides those of every test. */
export async function startService(flags: readonly string[] = []): Promise<StartedService> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-browser-'))
  const args = [
    'src/bin.ts',
    'serve',
    '--data',
    folder,
    '--log',
    'json',
    '--log-level',
    'error',
    ...(flags.includes('--pull-hosts') ? [] : ['--pull-hosts', '127.0.0.1']),
    ...(flags.includes('--port') ? [] : ['--port', '0']),
    ...withMiniModels(flags),
  ]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const printed = await readGreeting(child)
  return {
    folder,
    url: find(printed, /^ready (\S+)$/m),
    link: find(printed, /(http\S+\/console\/join#\S+)/),
    token: find(printed, /TOKEN=(\S+)/),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function readGreeting(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The service has no standard output')
  let printed = ''
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`
    if (line.startsWith('ready ')) return printed
  }
  throw new Error(`The service ended before it was ready:\n${printed}`)
}

function find(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`The service did not print ${pattern}:\n${text}`)
  return found
}
