import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** The folder of the bundled browser code. */
export const appBuildFolder: string = join(import.meta.dirname, '../../../dist/console')

/** A file of the browser code, with its compressed versions. */
export interface AppFile {
  readonly contentType: string
  readonly plain: Buffer
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
  readonly etag: string
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.webmanifest': 'application/manifest+json',
}

/** Reads the built browser code into memory, by paths with forward slashes; null when it was not built. */
export async function readAppFiles(folder: string): Promise<ReadonlyMap<string, AppFile> | null> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const known = names.filter((name) => Object.hasOwn(contentTypes, extname(name)))
  if (!known.includes('index.html')) return null
  const entries = known.map(async (name) => [name.split(sep).join('/'), await readAppFile(join(folder, name))] as const)
  return new Map(await Promise.all(entries))
}

async function readAppFile(file: string): Promise<AppFile> {
  const plain = await readFile(file)
  return {
    contentType: contentTypes[extname(file)] ?? 'application/octet-stream',
    plain,
    brotli: await readFile(`${file}.br`).catch(() => null),
    gzip: await readFile(`${file}.gz`).catch(() => null),
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 24)}"`,
  }
}

/**
 * Whether the built browser code is missing, or older than what it is built of. That of an installed package, which comes without its
 * sources, is never older.
 */
export async function isAppOutdated(folder: string, root: string = join(import.meta.dirname, '../../..')): Promise<boolean> {
  const built = await stat(join(folder, 'index.html')).catch(() => null)
  if (built === null) return true
  const [app = [], ...others] = await Promise.all(['src/console/app', 'src/console/bundle', 'src/core'].map((name) => filesOf(root, name)))
  if (app.length === 0) return false
  const changes = await Promise.all(['package-lock.json', ...app, ...others.flat()].map((name) => changeOf(join(root, name))))
  return changes.some((change) => change > built.mtimeMs)
}

async function filesOf(root: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder), { recursive: true }).catch(() => [])
  return names.filter((name) => !name.endsWith('.test.ts')).map((name) => join(folder, name))
}

/** When a file was changed; long ago for one that is removed meanwhile. */
async function changeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

/**
 * The built browser code. `npm start` builds it. If it is missing, the first visit starts a build in a separate process, so that the
 * service's start never waits for it.
 */
export class AppSource {
  readonly #folder: string
  readonly #onOutdated: () => void
  #files: ReadonlyMap<string, AppFile> | null = null
  #building: Promise<void> | null = null

  /** @param onOutdated Called at the first visit if the code is older than its sources, such as after `git pull`. */
  constructor(folder: string, onOutdated: () => void) {
    this.#folder = folder
    this.#onOutdated = onOutdated
  }

  /** The files, or null while they are being built. */
  async files(): Promise<ReadonlyMap<string, AppFile> | null> {
    if (this.#files !== null) return this.#files
    const files = await readAppFiles(this.#folder)
    // Several visits may have waited for the first reading.
    if (files !== null && this.#files === null) void this.#reportAge()
    this.#files ??= files
    if (this.#files === null) {
      this.#building ??= buildInChild().finally(() => {
        this.#building = null
      })
    }
    return this.#files
  }

  async #reportAge(): Promise<void> {
    if (await isAppOutdated(this.#folder)) this.#onOutdated()
  }
}

async function buildInChild(): Promise<void> {
  await once(fork(join(import.meta.dirname, 'build.ts'), { stdio: 'ignore' }), 'exit')
}
