/** Answers to come (1xx) that a server may send before its own: each costs time, and without end they would take all there is. */
const mostInterim = 20

/** Why a request ended whose server sent answers to come, and none of its own. */
export const noOwnAnswer = new Error('The server sent interim responses and no final one.')

/** Ends a request, with {@link noOwnAnswer}, whose server sends answers to come without end. */
export function limitInterim(request: { on(event: 'information', listener: () => void): unknown; destroy(reason: Error): unknown }): void {
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > mostInterim) request.destroy(noOwnAnswer)
  })
}
