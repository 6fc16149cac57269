/** A connection that a server took over from HTTP. */
interface UpgradedSocket {
  on(event: 'error', ignore: () => void): unknown
  destroy(): unknown
}

/** What this file needs of Node's `ClientRequest`. */
interface ClientRequest<Answer> {
  on(event: 'response', listener: (answer: Answer) => void): unknown
  on(event: 'upgrade', listener: (answer: Answer, socket: UpgradedSocket) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Keeps later errors of a request from ending the process. Node may emit two: the reason the request was destroyed for, and a fault in bytes
 * that arrived at the same time. If these bytes switch to another protocol, the socket emits the first error instead.
 */
export function outliveErrors(request: Pick<ClientRequest<unknown>, 'on'>): void {
  request.on('error', () => {})
  request.on('upgrade', (_, socket) => void socket.on('error', () => {}))
}

/**
 * The answer to a request. An upgrade is an answer too, and its connection is closed. Without a handler, neither the upgrade nor the end of
 * the connection would be noticed.
 */
export function answerTo<Answer>(request: ClientRequest<Answer>): Promise<Answer> {
  outliveErrors(request)
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    request.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer)
    })
  })
}

/** Maximum number of interim responses (1xx) before the final one. */
const maxInterimResponses = 20

/** The error for a server that sends interim responses but no final one. */
export const noFinalResponse = new Error('The server sent interim responses and no final one.')

/** Aborts a request with {@link noFinalResponse} after too many interim responses. */
export function limitInterimResponses(request: {
  on(event: 'information', listener: () => void): unknown
  destroy(reason: Error): unknown
}): void {
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > maxInterimResponses) request.destroy(noFinalResponse)
  })
}
