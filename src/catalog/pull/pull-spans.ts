import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isRecord } from '../../core/json-value.ts'
import { type Abortable, besides } from '../../core/waiting.ts'
import { BrokenOff } from '../catalog-fault.ts'
import type { HubAccess } from '../hub/hub-access.ts'
import type { ModelSource } from '../model-source.ts'

/** A range of a file fetched by one connection; `done` is the offset of the first missing byte. */
interface Span {
  done: number
  readonly end: number
}

/** Interval of progress notes in bytes, the maximum lost in a crash. */
const noteBytes = 32 * 1024 * 1024

/** Path of the progress notes of a download. */
export function notesOf(part: string): string {
  return `${part}.spans`
}

/** Path of notes that are being written. */
function newNotesOf(part: string): string {
  return `${notesOf(part)}.new`
}

/** Removes the notes of a download, also those that a killed process was writing. */
export async function removeNotes(part: string): Promise<void> {
  for (const path of [newNotesOf(part), notesOf(part)]) await rm(path, { force: true })
}

/**
 * Downloads a file over several connections, each a range of it; ranges recorded by earlier attempts are skipped.
 *
 * @param file.part Allocated at full size; the notes are stored beside it until the download is complete.
 * @returns Whether it is complete; false if the source does not support ranges, in which case nothing is left behind.
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
  {
    await using file = await open(part, 'r+').catch(() => open(part, 'w+'))
    // Before the file has its full size, which counts as complete without notes.
    await note(file, part, spans)
    await file.truncate(bytes)
    let noted = missing()
    let notes = Promise.resolve()
    const onPiece = (): void => {
      onBytes(bytes - missing())
      if (noted - missing() < noteBytes) return
      noted = missing()
      notes = notes.then(() => note(file, part, spans))
      // The waiting caller gets the error.
      notes.catch(() => undefined)
    }
    try {
      await besides(signal, spans, (span, either) =>
        keepFetching(
          wait,
          {
            arrived: () => span.done,
            bytes: span.end,
            fetchMore: () => fetchSpan(source, { path, file, span }, { signal: either, onPiece }),
          },
          { signal: either },
        ),
      )
    } catch (error) {
      await notes
      if (!(error instanceof NoMiddle)) {
        await note(file, part, spans)
        signal.throwIfAborted()
        throw error
      }
      await Promise.all([rm(part, { force: true }), removeNotes(part)])
      return false
    }
    await notes
    await file.sync()
  }
  await removeNotes(part)
  return true
}

/** The source ignored the requested range. */
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
    // A write ends early when the disk is nearly full.
    for (let written = 0; written < wanted.length; ) {
      const { bytesWritten } = await file.write(wanted, written, wanted.length - written, span.done)
      written += bytesWritten
      span.done += bytesWritten
    }
    onPiece()
    if (span.done === span.end) return
  }
  throw new BrokenOff(`${path} broke off before its end; run the same command again to continue.`)
}

function split(bytes: number, connections: number): readonly Span[] {
  const at = (index: number): number => Math.floor((bytes * index) / connections)
  return Array.from({ length: connections }, (_, index) => ({ done: at(index), end: at(index + 1) }))
}

/** Records progress after the data is on disk. */
async function note(file: FileHandle, part: string, spans: readonly Span[]): Promise<void> {
  const text = JSON.stringify(spans)
  await file.datasync()
  await writeFile(newNotesOf(part), text, { flush: true })
  await rename(newNotesOf(part), notesOf(part))
}

/** Reads the notes of an earlier attempt; null = none usable. */
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

const maxAttemptsWithoutProgress = 5

const pauseMs = 500

/**
 * Retries interrupted downloads while attempts make progress, or until a few in a row made none.
 *
 * @param fetching.arrived Bytes received, of `bytes`.
 * @param fetching.fetchMore Makes one attempt.
 * @throws {BrokenOff} from the last attempt; other errors at once.
 */
export async function keepFetching(
  wait: HubAccess['wait'],
  {
    arrived,
    bytes,
    fetchMore,
  }: { readonly arrived: () => number | Promise<number>; readonly bytes: number; readonly fetchMore: () => Promise<void> },
  { signal }: Abortable,
): Promise<void> {
  let fruitless = 0
  for (let before = await arrived(); before < bytes; before = await arrived()) {
    try {
      await fetchMore()
    } catch (error) {
      signal.throwIfAborted()
      fruitless = (await arrived()) > before ? 0 : fruitless + 1
      if (!(error instanceof BrokenOff) || fruitless === maxAttemptsWithoutProgress) throw error
      await wait(pauseMs * 2 ** fruitless, { signal })
    }
  }
}
