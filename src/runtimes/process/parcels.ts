import type { FromEngine } from './engine-messages.ts'

/**
 * A transfer from an engine: a message, or a run of text parts as `id, choice, text, id, choice, text, …`, since serializing field names
 * for every part takes several times as long as its text.
 */
export type Parcel = FromEngine | readonly (number | string)[]

/** Packs messages, in order. */
export function pack(messages: readonly FromEngine[]): readonly Parcel[] {
  const parcels: Parcel[] = []
  let run: (number | string)[] | null = null
  for (const message of messages) {
    if (
      message.type === 'part' &&
      message.part.type === 'text' &&
      message.part.logprobs === undefined &&
      message.part.tokens === undefined
    ) {
      if (run === null) {
        run = []
        parcels.push(run)
      }
      run.push(message.id, message.part.choice, message.part.text)
    } else {
      run = null
      parcels.push(message)
    }
  }
  return parcels
}

/** Hands over the messages that were packed, in order. */
export function unpack(parcels: readonly Parcel[], receive: (message: FromEngine) => void): void {
  for (const parcel of parcels) {
    if (!isRun(parcel)) receive(parcel)
    else
      for (let at = 0; at < parcel.length; at += 3)
        receive({
          type: 'part',
          id: Number(parcel[at]),
          part: { type: 'text', choice: Number(parcel[at + 1]), text: String(parcel[at + 2]) },
        })
  }
}

function isRun(parcel: Parcel): parcel is readonly (number | string)[] {
  return Array.isArray(parcel)
}
