import Type from 'typebox'

const entry = Type.String({ minLength: 1, maxLength: 1000 })

/** One stop string or up to 16. */
export const stopField = Type.Optional(
  Type.Union([entry, Type.Array(entry, { maxItems: 16 })], {
    description: 'Generation ends before any of these; they are not part of the output.',
  }),
)

/** The texts that end an answer; none when the field is left out. */
export function readStop(stop: string | readonly string[] | undefined): readonly string[] {
  return stop === undefined ? [] : typeof stop === 'string' ? [stop] : stop
}
