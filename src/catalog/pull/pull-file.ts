import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BrokenOff } from '../catalog-fault.ts'
import { type HubAccess, usualSpreading } from '../hub/hub-access.ts'
import { type ListedFile, unknownSum } from '../model-file.ts'
import type { ModelSource } from '../model-source.ts'
import { hashFile } from '../verify-model.ts'
import { keepFetching, notesOf, pullSpans, removeNotes } from './pull-spans.ts'

/**
 * Downloads a file of a model and checks it; resumes earlier attempts.
 *
 * @returns Its hex SHA-256.
 * @param target Destination; written as `<target>.part` first.
 * @throws {Error} if the bytes do not match `model.json`.
 */
export async function pullFile(
  { source, wait, spreading = usualSpreading }: { readonly source: ModelSource } & Pick<HubAccess, 'wait' | 'spreading'>,
  { path, listed, target }: { readonly path: string; readonly listed: ListedFile; readonly target: string },
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<string> {
  if ((await sizeOf(target)) === listed.bytes) {
    const present = await hashFile(target, { signal, onBytes: () => {} })
    if (present === listed.sha256 || listed.sha256 === unknownSum) {
      onBytes(listed.bytes)
      return present
    }
  }
  const part = `${target}.part`
  await mkdir(dirname(target), { recursive: true })
  const noted = await sizeOf(notesOf(part))
  const spreads = source.spreads === true && listed.bytes >= spreading.leastBytes && listed.sha256 !== unknownSum
  // A download over one connection can be resumed by one; one over several cannot.
  const continues = noted > 0 || (await sizeOf(part)) === 0
  const file = { path, part, bytes: listed.bytes, connections: spreading.connections }
  const arrived = spreads && continues && (await pullSpans({ source, wait }, file, { signal, onBytes }))
  if (!arrived) {
    if (noted > 0 || (await sizeOf(part)) > listed.bytes) await rm(part, { force: true })
    await removeNotes(part)
    const fetchMore = () => appendRest(source, { path, part, limit: listed.bytes }, { signal, onBytes })
    await keepFetching(wait, { arrived: () => sizeOf(part), bytes: listed.bytes, fetchMore }, { signal })
  }
  const sha256 = await hashFile(part, { signal, onBytes: () => {} })
  if (sha256 !== listed.sha256 && listed.sha256 !== unknownSum) {
    await rm(part)
    throw new Error(`${path} arrived damaged (SHA-256 ${sha256} instead of ${listed.sha256}); run the same command again.`)
  }
  await rename(part, target)
  return sha256
}

async function appendRest(
  source: ModelSource,
  { path, part, limit }: { readonly path: string; readonly part: string; readonly limit: number },
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<void> {
  // Opened before the request: bytes that arrive while nothing reads them are lost when the connection breaks.
  await using file = await open(part, 'a')
  const { offset, bytes } = await source.openFile(path, (await file.stat()).size, { signal })
  let done = offset
  for await (const piece of bytes) {
    // The source ignored the requested range.
    if (done === 0) await file.truncate()
    done += piece.length
    if (done > limit) throw new Error(`${path} is longer than the ${limit} bytes listed in model.json; ask its publisher.`)
    await file.appendFile(piece)
    onBytes(done)
  }
  await file.sync()
  if (done < limit) throw new BrokenOff(`${path} broke off after ${done} of ${limit} bytes; run the same command again to continue.`)
}

/** Size of a file; 0 if it does not exist. */
async function sizeOf(file: string): Promise<number> {
  const stats = await stat(file).catch(() => null)
  return stats?.size ?? 0
}
