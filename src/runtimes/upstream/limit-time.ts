import type { ClientRequest } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { makeLateError } from './upstream-error.ts'

/** Silence after which the system asks the other machine whether it is there; it gives it up ten seconds later, however long an answer may take. */
const aliveMs = 1000

/**
 * Ends a request that takes too long to connect, to be answered or to go on, and one whose machine is gone; says whether it got as far as a connection.
 *
 * @param timeouts Absent = no limits.
 * @param isDueAtOnce Whether its answer must begin within the time of a pause, since no work is waited for.
 */
export function limitTime(
  sent: ClientRequest,
  timeouts: UpstreamTimeouts | undefined,
  { isDueAtOnce }: { readonly isDueAtOnce: boolean },
): () => boolean {
  let connected = false
  sent.once('socket', (socket) => {
    if (!socket.connecting) {
      connected = true
      return
    }
    socket.setKeepAlive(true, aliveMs)
    const timer = timeouts && setTimeout(() => sent.destroy(makeLateError('connect', timeouts.connectMs)), timeouts.connectMs)
    sent.once('close', () => clearTimeout(timer))
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      connected = true
      clearTimeout(timer)
    })
  })
  if (timeouts !== undefined) {
    const { firstMs, idleMs } = timeouts
    /** The limit of the first byte; null = none. */
    const first = isDueAtOnce
      ? ({ field: 'idle', ms: idleMs } as const)
      : firstMs === null
        ? null
        : ({ field: 'first', ms: firstMs } as const)
    const sentAt = performance.now()
    const leftMs = (): number => (first === null ? idleMs : Math.min(idleMs, sentAt + first.ms - performance.now()))
    const late = (): void => void (first && sent.destroy(makeLateError(first.field, first.ms)))
    // Not of the socket, over which a server may send answers to come (1xx), or headers drop by drop, as long as it likes.
    const timer = first === null ? undefined : setTimeout(late, first.ms)
    sent.once('close', () => clearTimeout(timer))
    sent.once('response', (response) => {
      clearTimeout(timer)
      let waitedMs = Math.max(1, leftMs())
      response.setTimeout(waitedMs, () => {
        // What came and is not read yet says that it is the reader who takes long.
        const isSilent = response.readableLength === 0
        // Headers alone, which some servers send at once, are no answer yet.
        const isBeginning = isSilent && !response.readableDidRead
        if (isBeginning && first !== null && leftMs() <= 0) return void response.destroy(makeLateError(first.field, first.ms))
        if (isSilent && !isBeginning && waitedMs >= idleMs) return void response.destroy(makeLateError('idle', idleMs))
        waitedMs = isBeginning ? leftMs() : idleMs
        response.socket.setTimeout(waitedMs)
      })
    })
    // What comes over a socket comes when it does.
    sent.once('upgrade', (_, socket) => {
      clearTimeout(timer)
      socket.setTimeout(0)
    })
  }
  return () => connected
}
