import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { sep } from 'node:path'
import { env, execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../../core/error.ts'
import type { Confinement, EngineNeeds } from './confinement.ts'
import { linkTargets } from './link-targets.ts'

/**
 * Starts the module of an engine in a process of its own, with a channel for messages, as confined as the platform allows.
 *
 * @param confinement null = not at all, as for engines that tests start.
 * @throws {ServiceError} `server_is_overloaded` when the system starts no process, for want of file descriptors, memory or processes.
 */
export async function spawnEngine(entry: URL, needs: EngineNeeds, confinement: Confinement | null): Promise<ChildProcess> {
  try {
    const child = start(entry, needs, confinement)
    await once(child, 'spawn')
    return child
  } catch (cause) {
    const message = 'The service cannot start a process at the moment; try again in a few seconds.'
    throw new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 5, isNotStarted: true, cause })
  }
}

/** @throws {Error} for some faults of the system; of others the process emits an error. */
function start(entry: URL, needs: EngineNeeds, confinement: Confinement | null): ChildProcess {
  const [command = '', ...words] = [
    ...launcher(entry, needs, confinement),
    execPath,
    ...nodeFlags(entry, needs, confinement),
    fileURLToPath(entry),
  ]
  return spawn(command, words, {
    env: { ...(confinement?.environment ?? env), ...needs.environment },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    windowsHide: true,
    // Out of the terminal's reach: Ctrl-C would end what confines it, and with that the answers that the service still waits for.
    detached: platform !== 'win32',
  })
}

/** Each of them becomes the command behind it, or ends with it. */
function launcher(entry: URL, { memoryBytes, readable }: EngineNeeds, confinement: Confinement | null): readonly string[] {
  const { closeFiles, closeNetwork, limitMemory, codeFolders } = confinement ?? {}
  return [
    ...(limitMemory != null && memoryBytes !== null ? [...limitMemory, `--data=${memoryBytes}`, '--'] : []),
    ...(closeFiles != null && codeFolders != null && readable !== null
      ? [...closeFiles, ...shown([execPath, ...codeFolders, folderOf(entry), ...readable, ...linkTargets(readable)]), '--']
      : (closeNetwork ?? [])),
  ]
}

/** Shows each path once: a shown folder holds what lies in it, and nothing can be mounted over a link in it or behind that. */
function shown(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)].toSorted()
  const isInShownFolder = (path: string) => all.some((folder) => path.startsWith(`${folder}${sep}`))
  return all.filter((path) => !isInShownFolder(path)).flatMap((path) => ['--ro-bind-try', path, path])
}

function folderOf(entry: URL): string {
  return fileURLToPath(new URL('.', entry))
}

/** Linux's list of a process's memory mappings. The image engine finds the pages of weights to release in it. */
const ownMappings = '/proc/self/maps'

/** The service may run under flags (an inspector, a test runner) that its engines must not inherit. */
function nodeFlags(entry: URL, { readable, opensThread = false }: EngineNeeds, confinement: Confinement | null): readonly string[] {
  const quiet = '--disable-warning=ExperimentalWarning'
  const codeFolders = confinement?.codeFolders ?? null
  if (codeFolders === null || readable === null) return [quiet]
  const allowed = [...codeFolders, folderOf(entry), ...readable, ...linkTargets(readable), ownMappings]
  const threads = opensThread ? ['--allow-worker'] : []
  // Node warns that native add-ons are not covered (see docs/security.md); the engine also gives up threads.
  return [
    quiet,
    '--disable-warning=SecurityWarning',
    '--permission',
    '--allow-addons',
    ...threads,
    ...allowed.map((path) => `--allow-fs-read=${path}`),
  ]
}
