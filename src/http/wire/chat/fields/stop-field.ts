import Type from 'typebox'

const entry = Type.String({ maxLength: 1000 })

/** A list of stop strings. */
export const stopList = Type.Array(entry, { maxItems: 64 })

/** One stop string or up to 64. */
export const stopField = Type.Optional(
  Type.Union([entry, stopList], {
    description: 'Strings that end the output; they are not part of it. Empty ones are ignored.',
  }),
)

/** The stop strings of an answer, without empty ones. */
export function readStop(stop: string | readonly string[] | undefined): readonly string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '')
}
