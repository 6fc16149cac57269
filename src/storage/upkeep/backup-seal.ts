import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/**
 * The end of a backup: the SHA-256 of everything before it. SQLite reads as many pages as the first one tells and nothing behind them, so that a sealed backup is
 * a database still. No multiple of the smallest page, so that a file which ends with a page has no seal: an earlier version wrote it.
 */
const pattern = /^\nsepia backup sha256 ([0-9a-f]{64})\n$/
const sealBytes = sealOf('0'.repeat(64)).length
const smallestPageBytes = 512
const chunkBytes = 1 << 20

function sealOf(sha256: string): string {
  return `\nsepia backup sha256 ${sha256}\n`
}

/** Adds the seal to a backup that is complete. */
export async function sealBackup(file: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  await using opened = await open(file, 'r+')
  const { size } = await opened.stat()
  await opened.write(sealOf(await digest(opened, size, { signal })), size)
  await opened.sync()
}

/** Whether a backup is as it was written; of one without a seal nobody knows, and its pages have to speak for it. */
export async function isSealWhole(file: string, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
  await using opened = await open(file)
  const { size } = await opened.stat()
  if (size % smallestPageBytes === 0) return true
  const content = Math.max(0, size - sealBytes)
  const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(sealBytes), position: content })
  const sealed = pattern.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
  return sealed !== undefined && sealed === (await digest(opened, content, { signal }))
}

async function digest(
  file: Awaited<ReturnType<typeof open>>,
  bytes: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(chunkBytes)
  for (let position = 0; position < bytes; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read({ buffer, position, length: Math.min(chunkBytes, bytes - position) })
    if (bytesRead === 0) break
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
  return hash.digest('hex')
}
