import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Confinement } from './confinement.ts'
import { engineEnvironment } from './engine-environment.ts'

/** A user namespace of its own lets a process without rights leave the network; inside it is the same user. */
const withoutNetwork = ['unshare', '--user', '--map-current-user', '--net', '--']
/** Separate namespaces with only pseudo devices, processor information and libraries. */
const withoutFiles = [
  ...['bwrap', '--die-with-parent', '--new-session', '--unshare-user-try', '--unshare-net', '--unshare-ipc', '--unshare-pid'],
  ...['--cap-drop', 'ALL', '--proc', '/proc', '--dev', '/dev'],
]
/** Beside its libraries, what of the system native code reads; glibc looks up whether memory may have huge pages. */
const systemFiles = [
  '/usr',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/sys/devices/system',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
]
/** Private memory that may be written: what is mapped from files, such as weights, does not count. */
const withMemory = ['prlimit']
/** Of a machine that has much to do: what is not tried to its end is not used. */
const timeoutMs = 30_000
/** Folders of system libraries and system information used by engines. */
const systemFolders = ['/usr/lib', '/usr/lib64', '/lib', '/lib64', '/etc/os-release']

/**
 * Finds out what this machine offers to confine engines, by trying it.
 *
 * @param settings.root The folder of the service's code.
 */
export async function findConfinement({
  environment,
  root = new URL('../../../../', import.meta.url),
}: {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root?: URL
}): Promise<Confinement> {
  const passed = engineEnvironment(environment)
  const closeFiles = bubble(passed)
  const [hides, closeNetwork, limitMemory] = await Promise.all([
    works([...closeFiles, '--ro-bind', execPath, execPath, '--', execPath, '--version'], passed),
    works([...withoutNetwork, 'true'], passed),
    works([...withMemory, '--data=1073741824', '--', 'true'], passed),
  ])
  return {
    environment: passed,
    closeFiles: hides ? closeFiles : null,
    closeNetwork: closeNetwork ? withoutNetwork : null,
    limitMemory: limitMemory ? withMemory : null,
    codeFolders: codeFolders(fileURLToPath(root), passed.NODE_COMPILE_CACHE),
  }
}

/** Temporary files are gone with the engine. */
function bubble({ TMPDIR = '/tmp', LD_LIBRARY_PATH = '' }: Readonly<Record<string, string>>): readonly string[] {
  const libraries = LD_LIBRARY_PATH.split(':').filter((folder) => isAbsolute(folder))
  const shown = [...systemFiles, ...systemFolders, ...libraries].toSorted().flatMap((path) => ['--ro-bind-try', path, path])
  return [...withoutFiles, '--tmpfs', TMPDIR, ...shown]
}

/** Paths of the service's sources, system libraries, all `node_modules` with its packages, and compiled code. */
function codeFolders(root: string, compiled: string | undefined): readonly string[] {
  // Not the whole folder, since it may contain the data.
  const own = ['src', 'package.json'].map((name) => join(root, name))
  const found = [...own, ...systemFolders, ...(compiled === undefined ? [] : [compiled])]
  for (let folder = root; ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'))
    if (dirname(folder) === folder) break
  }
  return [...new Set(found.filter((folder) => existsSync(folder)).flatMap((folder) => [folder, realpathSync(folder)]))]
}

async function works([command = '', ...words]: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const child = spawn(command, words, { stdio: 'ignore', env: { ...env } })
    // The timer of the option `timeout` stays when there is no such command, and keeps a stopped service alive.
    timer = setTimeout(() => child.kill(), timeoutMs)
    const [code] = await once(child, 'exit')
    return code === 0
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
