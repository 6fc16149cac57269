import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
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
 * The built browser code. `npm start` builds it. If it is missing, the first visit starts a build in a separate process, so that the
 * service's start never waits for it.
 */
export class AppSource {
  readonly #folder: string
  #files: ReadonlyMap<string, AppFile> | null = null
  #building: Promise<void> | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The files, or null while they are being built. */
  async files(): Promise<ReadonlyMap<string, AppFile> | null> {
    this.#files ??= await readAppFiles(this.#folder)
    if (this.#files === null) {
      this.#building ??= buildInChild().finally(() => {
        this.#building = null
      })
    }
    return this.#files
  }
}

async function buildInChild(): Promise<void> {
  await once(fork(join(import.meta.dirname, 'build.ts'), { stdio: 'ignore' }), 'exit')
}
