import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** A file of the browser code, with its compressed twins. */
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

/** Reads the built browser code into memory, by its path with forward slashes; null when it was not built. */
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
