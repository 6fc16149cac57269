import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isRecord } from '../../core/json-value.ts'
import { BrokenOff } from '../catalog-fault.ts'
import type { HubAccess } from '../hub/hub-access.ts'
import type { ModelSource } from '../model-source.ts'

/** A part of a file that one connection fetches; `done` is the first byte that is not there yet. */
interface Span {
  done: number
  readonly end: number
}

/** Bytes after which what has arrived is noted; a crash costs no more. */
const noteBytes = 32 * 1024 * 1024

/** Where notes lie of what of a file has arrived. */
export function notesOf(part: string): string {
  return `${part}.spans`
}

/**
 * Fetches a file over several connections, each a stretch of it; what earlier tries noted is not fetched again.
 *
 * @param file.part Grows to the file's size at once; beside it lie the notes until all has arrived.
 * @returns Whether it arrived; false where the source does not begin in the middle, and nothing is left of the try.
 */
export async function pullSpans(
  { source, wait }: { readonly source: ModelSource } & Pick<HubAccess, 'wait'>,
  {
    path,
    part,
    bytes,
    connections,
  }: { readonly path: string; readonly part: string; readonly bytes: number; readonly connections: number },
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<boolean> {
  const spans = (await readSpans(part, bytes)) ?? split(bytes, connections)
  const missing = () => spans.reduce((sum, { done, end }) => sum + end - done, 0)
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  {
    await using file = await open(part, 'r+').catch(() => open(part, 'w+'))
    await file.truncate(bytes)
    let noted = missing()
    let notes: Promise<void> = note(file, part, spans)
    const onPiece = (): void => {
      onBytes(bytes - missing())
      if (noted - missing() < noteBytes) return
      noted = missing()
      notes = notes.then(() => note(file, part, spans))
      // The waiter gets the error.
      notes.catch(() => undefined)
    }
    try {
      await Promise.all(
        spans.map((span) =>
          keepFetching(
            wait,
            {
              arrived: () => span.done,
              bytes: span.end,
              fetchMore: () => fetchSpan(source, { path, file, span }, { signal: either, onPiece }),
            },
            { signal: either },
          ).catch((error: unknown) => {
            stop.abort(error)
            throw error
          }),
        ),
      )
    } catch (error) {
      await notes
      if (!(error instanceof NoMiddle)) {
        await note(file, part, spans)
        signal.throwIfAborted()
        throw error
      }
      await Promise.all([rm(part, { force: true }), rm(notesOf(part), { force: true })])
      return false
    }
    await notes
    await file.sync()
  }
  await rm(notesOf(part), { force: true })
  return true
}

/** The source began with the first byte, whatever was asked for. */
class NoMiddle extends Error {}

async function fetchSpan(
  source: ModelSource,
  { path, file, span }: { readonly path: string; readonly file: FileHandle; readonly span: Span },
  { signal, onPiece }: { readonly signal: AbortSignal; readonly onPiece: () => void },
): Promise<void> {
  const { offset, bytes } = await source.openFile(path, span.done, { signal })
  if (offset !== span.done) throw new NoMiddle()
  for await (const piece of bytes) {
    const wanted = piece.subarray(0, span.end - span.done)
    await file.write(wanted, 0, wanted.length, span.done)
    span.done += wanted.length
    onPiece()
    if (span.done === span.end) return
  }
  throw new BrokenOff(`${path} broke off before its end; run the same command again to continue.`)
}

function split(bytes: number, connections: number): readonly Span[] {
  const at = (index: number): number => Math.floor((bytes * index) / connections)
  return Array.from({ length: connections }, (_, index) => ({ done: at(index), end: at(index + 1) }))
}

/** Notes what has arrived, once it is on the disk. */
async function note(file: FileHandle, part: string, spans: readonly Span[]): Promise<void> {
  const text = JSON.stringify(spans)
  await file.datasync()
  await writeFile(`${notesOf(part)}.new`, text, { flush: true })
  await rename(`${notesOf(part)}.new`, notesOf(part))
}

/** What an earlier try noted; null where it left nothing of use. */
async function readSpans(part: string, bytes: number): Promise<readonly Span[] | null> {
  const text = await readFile(notesOf(part), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const noted: unknown = JSON.parse(text)
    const spans = (Array.isArray(noted) ? noted : []).map((span: unknown) => {
      const { done, end } = isRecord(span) ? span : {}
      return typeof done === 'number' && typeof end === 'number' && done <= end ? { done, end } : null
    })
    const sound = spans.filter((span) => span !== null)
    return sound.length === spans.length && sound.at(-1)?.end === bytes ? sound : null
  } catch {
    return null
  }
}

const mostFruitlessTries = 5

const pauseMs = 500

/**
 * Connections break: as long as each try brings a byte, or a few without one have not failed in a row, the next one goes on.
 *
 * @param fetching.arrived Bytes that are there, of `bytes`.
 * @param fetching.fetchMore One try.
 * @throws {BrokenOff} of the last try; whatever else a try fails with at once.
 */
export async function keepFetching(
  wait: HubAccess['wait'],
  {
    arrived,
    bytes,
    fetchMore,
  }: { readonly arrived: () => number | Promise<number>; readonly bytes: number; readonly fetchMore: () => Promise<void> },
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  let fruitless = 0
  for (let before = await arrived(); before < bytes; before = await arrived()) {
    try {
      await fetchMore()
    } catch (error) {
      signal.throwIfAborted()
      fruitless = (await arrived()) > before ? 0 : fruitless + 1
      if (!(error instanceof BrokenOff) || fruitless === mostFruitlessTries) throw error
      await wait(pauseMs * 2 ** fruitless, { signal })
    }
  }
}
