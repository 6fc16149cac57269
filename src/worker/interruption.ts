/** Why a worker stops an inference in the middle, as the reason of the signal it aborts. */
export class Interruption extends Error {
  readonly kind: 'drain' | 'lost' | 'cancelled'

  constructor(kind: Interruption['kind']) {
    super(`The work was interrupted: ${kind}.`)
    this.name = 'Interruption'
    this.kind = kind
  }
}
