import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../core/ports/clock.ts'
import { firstOf } from '../../core/waiting.ts'

/** How long a client may leave data unread before it is disconnected. */
const readerLimitMs = 30_000

/** The client stays connected but reads nothing. */
export class ReaderIdle extends Error {
  override readonly name = 'ReaderIdle'
}

/** Ends an answer that is not read; a reset, because the system would keep megabytes of what was sent for minutes. */
export function dropReader({ socket }: ServerResponse): void {
  try {
    socket?.resetAndDestroy()
  } catch {
    // Only plain TCP can be reset; TLS and Unix sockets refuse.
    socket?.destroy()
  }
}

/**
 * Writes one chunk of an answer and waits until there is room for the next, so that at most one chunk is buffered.
 *
 * @throws {ReaderIdle} when the client has read nothing for {@link readerLimitMs}; the signal's reason when it aborts.
 */
export async function writeChunk(
  { raw, clock }: { readonly raw: ServerResponse; readonly clock: Clock },
  chunk: string | Uint8Array,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  if (!raw.write(chunk, 'latin1')) await roomFor({ raw, clock }, { signal })
}

/**
 * Waits until the buffer has room again.
 *
 * @throws as {@link writeChunk}.
 */
export async function roomFor(
  { raw, clock }: { readonly raw: ServerResponse; readonly clock: Clock },
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  await firstOf<unknown>(
    signal,
    (either) => once(raw, 'drain', { signal: either }),
    async (either) => {
      await clock.wait(readerLimitMs, { signal: either })
      throw new ReaderIdle(`The client read nothing for ${readerLimitMs / 1000} s`)
    },
  )
}
