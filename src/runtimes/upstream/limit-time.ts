import type { ClientRequest } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { makeLateError } from './upstream-error.ts'

/**
 * Ends a request that takes too long to connect, to be answered or to go on; says whether it got as far as a connection.
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
    const timer = timeouts && setTimeout(() => sent.destroy(makeLateError('connect', timeouts.connectMs)), timeouts.connectMs)
    sent.once('close', () => clearTimeout(timer))
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      connected = true
      clearTimeout(timer)
    })
  })
  if (timeouts !== undefined) {
    const { firstMs, idleMs } = timeouts
    const begins = isDueAtOnce ? ({ field: 'idle', ms: idleMs } as const) : firstMs !== null && ({ field: 'first', ms: firstMs } as const)
    const sentAt = performance.now()
    const late = (): void => void (begins && sent.destroy(makeLateError(begins.field, begins.ms)))
    if (begins) sent.setTimeout(begins.ms, late)
    sent.once('response', (response) => {
      sent.off('timeout', late)
      // Headers alone, which some servers send at once, are no answer yet.
      const left = (): number => (begins ? Math.max(0, sentAt + begins.ms - performance.now()) : idleMs)
      let waited = Math.min(idleMs, Math.max(1, left()))
      response.setTimeout(waited, () => {
        const isBeginning = !response.readableDidRead
        // What came and is not read yet says that it is the reader who takes long.
        const isReader = response.readableLength > 0
        if (isBeginning && !isReader && begins && left() <= 0) return void response.destroy(makeLateError(begins.field, begins.ms))
        if (!isBeginning && !isReader && waited >= idleMs) return void response.destroy(makeLateError('idle', idleMs))
        waited = isBeginning && !isReader ? Math.min(idleMs, left()) : idleMs
        response.socket.setTimeout(waited)
      })
    })
    // What comes over a socket comes when it does.
    sent.once('upgrade', (_, socket) => socket.setTimeout(0))
  }
  return () => connected
}
