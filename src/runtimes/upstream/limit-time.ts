import type { ClientRequest } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { ServiceError } from '../../core/error.ts'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { makeLateError } from './upstream-error.ts'

/** Idle time before TCP keep-alive probes; the connection is dropped ten seconds later if they fail, whatever the time limit of the response. */
const aliveMs = 1000

/** Time limits of one answer. */
export interface AnswerLimits {
  readonly isConnected: () => boolean
  /**
   * Waits for the next bytes of the content of an answer, the first of which may take longer.
   *
   * @param options.end Called with the error when the time is up; must settle `next`.
   */
  readonly wait: <Bytes>(
    next: Promise<Bytes>,
    options: { readonly isFirst: boolean; readonly end: (late: ServiceError) => void },
  ) => Promise<Bytes>
}

/**
 * Ends a request that takes too long to connect, to begin its response or to continue it, or whose machine is gone.
 *
 * @param timeouts Absent = no time limits.
 * @param options.isDueAtOnce Whether the response must begin within the idle limit, because it needs no work.
 * @param options.startedAt Monotonic time from which the limit of the first byte counts; earlier attempts share it.
 */
export function limitTime(
  sent: ClientRequest,
  timeouts: UpstreamTimeouts | undefined,
  { isDueAtOnce, startedAt }: { readonly isDueAtOnce: boolean; readonly startedAt: number },
): AnswerLimits {
  let connected = false
  const isConnected = (): boolean => connected
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
  if (timeouts === undefined) return { isConnected, wait: (next) => next }
  const { firstMs, idleMs } = timeouts
  /** Time limit of the first byte; null = none. */
  const first = isDueAtOnce
    ? ({ field: 'idle', ms: idleMs } as const)
    : firstMs === null
      ? null
      : ({ field: 'first', ms: firstMs } as const)
  /** Not above 0 = the first byte is late. */
  const leftMs = (): number => (first === null ? idleMs : Math.min(idleMs, leftOf(first.ms)))
  const leftOf = (limitMs: number): number => startedAt + limitMs - performance.now()
  const late = (): void => void (first && sent.destroy(makeLateError(first.field, first.ms)))
  // Not the socket's time-out: a server may send interim responses (1xx) or single headers for ever.
  const timer = first === null ? undefined : setTimeout(late, Math.max(1, leftOf(first.ms)))
  sent.once('close', () => clearTimeout(timer))
  sent.once('response', (response) => {
    clearTimeout(timer)
    let waitedMs = Math.max(1, leftMs())
    response.setTimeout(waitedMs, () => {
      // Unread data means that the reader is slow, not the server.
      const isSilent = response.readableLength === 0
      // Headers alone are not a response yet; some servers send them at once.
      const isBeginning = isSilent && !response.readableDidRead
      // Read once: a socket throws if it is given a time that has just run out.
      const left = leftMs()
      if (isBeginning && first !== null && left <= 0) return void response.destroy(makeLateError(first.field, first.ms))
      if (isSilent && !isBeginning && waitedMs >= idleMs) return void response.destroy(makeLateError('idle', idleMs))
      waitedMs = isBeginning ? left : idleMs
      response.socket.setTimeout(waitedMs)
    })
  })
  // Messages of a websocket have no time limit.
  sent.once('upgrade', (_, socket) => {
    clearTimeout(timer)
    socket.setTimeout(0)
  })
  return {
    isConnected,
    async wait(next, { isFirst, end }) {
      if (isFirst && first === null) return await next
      const isBeginning = isFirst && first !== null
      const [field, limitMs, ms] = isBeginning
        ? [first.field, first.ms, Math.max(1, leftOf(first.ms))]
        : (['idle', idleMs, idleMs] as const)
      const timer = setTimeout(() => end(makeLateError(field, limitMs)), ms)
      return await next.finally(() => clearTimeout(timer))
    },
  }
}
